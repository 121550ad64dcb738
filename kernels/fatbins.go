//go:build gpu

package kernels

import (
	"embed"
	"errors"
	"io/fs"
	"path"
	"strings"
)

// fatbins holds the files that `make fatbins` compiles. A program with the tag gpu does not build
// without them.
//
//go:embed fatbin/*.fatbin fatbin/*.gpus
var fatbins embed.FS

// Fatbins returns the compiled kernels, one image for each source. It leaves out sources for GPUs
// that the compiler did not know.
func Fatbins() ([]Image, error) {
	names, err := fs.Glob(fatbins, "fatbin/*.fatbin")
	var images []Image
	for _, name := range names {
		base := strings.TrimSuffix(name, ".fatbin")
		code, e := fatbins.ReadFile(name)
		gpus, e2 := fatbins.ReadFile(base + ".gpus")
		if err = errors.Join(err, e, e2); len(code) > 0 {
			images = append(images, Image{path.Base(base), code, strings.TrimSpace(string(gpus))})
		}
	}
	return images, err
}
