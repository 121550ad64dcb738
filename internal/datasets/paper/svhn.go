package paper

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/datasets/matfile"
	"github.com/acqnp/acqnp/internal/invalid"
)

// readSVHN reads the cropped digits of Street View House Numbers: the variable X [row, column,
// channel, image]. The row varies fastest, and the channels are red, green and blue. It does not
// read the labels.
func readSVHN(f imageFile, limit int) (pictures, error) {
	a, err := matfile.Read(f.path, "X")
	if err != nil {
		return pictures{}, err
	}
	d := a.Dims
	if len(d) == 3 { // MATLAB drops a last dimension of 1
		d = append(d, 1)
	}
	if len(d) != 4 || d[0] != f.shape.Height || d[1] != f.shape.Width || d[2] != f.shape.Channels {
		return pictures{}, &invalid.Input{File: f.path, Key: "X", Found: fmt.Sprintf("dimensions %v", a.Dims),
			Expected: fmt.Sprintf("[%d %d %d IMAGES]", f.shape.Height, f.shape.Width, f.shape.Channels)}
	}
	n := d[3]
	if limit > 0 {
		n = min(n, limit)
	}
	p := pictures{Shape: f.shape}
	// Reorder in place, image by image: a second copy of the set would take 225 MB.
	p.bytes = a.Data[:n*p.size()]
	column := make([]byte, p.size())
	for image := range n {
		stored := p.bytes[image*p.size() : (image+1)*p.size()]
		copy(column, stored)
		for c := range p.Channels {
			for j := range p.Width {
				for i := range p.Height {
					stored[(i*p.Width+j)*p.Channels+c] = column[(c*p.Width+j)*p.Height+i]
				}
			}
		}
	}
	return p, nil
}
