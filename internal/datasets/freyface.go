package datasets

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/datasets/matfile"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/random"
)

// loadFaces reads the Frey faces and splits them: data.train_fraction of the frames, chosen by
// data.seed, are for training. The file's variable ff is [pixel, frame], with the pixels of a frame
// row by row.
func loadFaces(files []imageFile) (train, test pictures, err error) {
	path, d := files[0].path, files[0].data
	a, err := matfile.Read(path, "ff")
	if err != nil {
		return train, test, err
	}
	faces := pictures{Shape: files[0].shape, bytes: a.Data}
	if len(a.Dims) != 2 || a.Dims[0] != faces.size() {
		return train, test, &input.Error{File: path, Key: "ff", Found: fmt.Sprintf("dimensions %v", a.Dims),
			Expected: fmt.Sprintf("[%d FRAMES]", faces.size())}
	}
	order := make([]int, faces.count())
	n := trainingPart(d.TrainFraction, len(order))
	if n < 1 || n >= len(order) {
		return train, test, refuse("data.train_fraction", d.TrainFraction, "a fraction that leaves some of the %d frames on both sides", len(order))
	}
	random.New(d.Seed, random.Split).Perm(0, order)
	return faces.pick(order[:n]), faces.pick(order[n:]), nil
}

// pick copies the images with the numbers in order.
func (p pictures) pick(order []int) pictures {
	picked := p
	picked.bytes = make([]byte, 0, len(order)*p.size())
	for _, i := range order {
		picked.bytes = append(picked.bytes, p.bytes[i*p.size():(i+1)*p.size()]...)
	}
	return picked
}
