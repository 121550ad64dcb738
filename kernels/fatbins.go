//go:build gpu

package kernels

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

// fatbins holds the files that `make fatbins` compiles. A program with the tag gpu does not build
// without them.
//
//go:embed fatbin/*.fatbin
var fatbins embed.FS

// Image is a compiled source: machine code for several GPUs, and PTX for later GPUs.
type Image struct {
	Name string // of the source file, without its extension
	Code []byte
}

// Fatbins returns the compiled kernels, one image for each source.
func Fatbins() ([]Image, error) {
	names, err := fs.Glob(fatbins, "fatbin/*.fatbin")
	var images []Image
	for _, name := range names {
		code, e := fatbins.ReadFile(name)
		if e != nil {
			return nil, e
		}
		images = append(images, Image{strings.TrimSuffix(path.Base(name), ".fatbin"), code})
	}
	return images, err
}
