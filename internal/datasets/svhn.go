package datasets

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/matfile"
	"github.com/acqnp/acqnp/internal/input"
)

const svhnSide, svhnChannels = 32, 3

// readSVHN reads the cropped digits of Street View House Numbers: the variable X [row, column, channel, image], the row
// varying fastest, red, green, blue. The labels beside it are not read.
func readSVHN(path string, _ config.Data, limit int) (pictures, error) {
	a, err := matfile.Read(path, "X")
	if err != nil {
		return pictures{}, err
	}
	d := a.Dims
	if len(d) == 3 { // MATLAB drops a last dimension of 1
		d = append(d, 1)
	}
	if len(d) != 4 || d[0] != svhnSide || d[1] != svhnSide || d[2] != svhnChannels {
		return pictures{}, &input.Error{File: path, Key: "X", Found: fmt.Sprintf("dimensions %v", a.Dims),
			Expected: fmt.Sprintf("[%d %d %d IMAGES]", svhnSide, svhnSide, svhnChannels)}
	}
	n := d[3]
	if limit > 0 {
		n = min(n, limit)
	}
	p := pictures{height: svhnSide, width: svhnSide, channels: svhnChannels}
	// In place, an image at a time: the whole set twice in memory would be half a gigabyte.
	p.bytes = a.Data[:n*p.size()]
	column := make([]byte, p.size())
	for image := range n {
		stored := p.bytes[image*p.size() : (image+1)*p.size()]
		copy(column, stored)
		for c := range svhnChannels {
			for j := range svhnSide {
				for i := range svhnSide {
					stored[(i*svhnSide+j)*svhnChannels+c] = column[(c*svhnSide+j)*svhnSide+i]
				}
			}
		}
	}
	return p, nil
}
