package datasets

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/datasets/matfile"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/random"
)

// loadFaces reads the Frey faces, which have one file, and splits them: the variable ff [pixel, frame], in which the
// columns of a row of pixels follow one another. data.train_fraction of the frames, chosen by data.seed, are for
// training.
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
		return train, test, refuse("data.train_fraction", d.TrainFraction, "one that splits %d frames", len(order))
	}
	random.New(d.Seed, random.Split).Perm(0, order)
	return faces.pick(order[:n]), faces.pick(order[n:]), nil
}

// trainingPart is the whole part of a fraction of n. A product such as 0.29·100 is a rounding below the whole number it
// stands for.
func trainingPart(fraction float64, n int) int { return int(fraction*float64(n) + 1e-9) }

// pick copies images in an order.
func (p pictures) pick(order []int) pictures {
	picked := p
	picked.bytes = make([]byte, 0, len(order)*p.size())
	for _, i := range order {
		picked.bytes = append(picked.bytes, p.bytes[i*p.size():(i+1)*p.size()]...)
	}
	return picked
}
