package paper

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/matfile"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
)

// loadFaces reads the Frey faces and splits them: data.seed chooses data.train_fraction of the
// frames for training. The variable ff of the file is [pixel, frame]; the pixels of a frame are row
// by row.
func loadFaces(files []imageFile) (train, test pictures, err error) {
	path, d := files[0].path, files[0].data
	a, err := matfile.Read(path, "ff")
	if err != nil {
		return train, test, err
	}
	faces := pictures{Shape: files[0].shape, bytes: a.Data}
	if len(a.Dims) != 2 || a.Dims[0] != faces.size() {
		return train, test, &invalid.Input{File: path, Key: "ff", Found: fmt.Sprintf("dimensions %v", a.Dims),
			Expected: fmt.Sprintf("[%d FRAMES]", faces.size())}
	}
	order := random.New(d.Seed, random.Split).Order(0, faces.count())
	n := datasets.Share(d.TrainFraction, len(order))
	if n < 1 || n >= len(order) {
		return train, test, datasets.Refuse("data.train_fraction", d.TrainFraction, "a fraction that leaves some of the %d frames on both sides", len(order))
	}
	pick := func(order []int) pictures {
		return pictures{faces.Shape, points.Pick(faces.bytes, faces.size(), order)}
	}
	return pick(order[:n]), pick(order[n:]), nil
}
