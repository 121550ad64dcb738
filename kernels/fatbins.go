//go:build gpu

package kernels

import (
	"embed"
	"io/fs"
)

// fatbins holds the files that `make fatbins` compiles. A program with the tag gpu does not build
// without them.
//
//go:embed fatbin/*.fatbin
var fatbins embed.FS

// Fatbins returns the compiled kernels, one image for each source: machine code for several GPUs,
// and PTX for later GPUs.
func Fatbins() ([][]byte, error) {
	names, err := fs.Glob(fatbins, "fatbin/*.fatbin")
	var images [][]byte
	for _, name := range names {
		image, e := fatbins.ReadFile(name)
		if e != nil {
			return nil, e
		}
		images = append(images, image)
	}
	return images, err
}
