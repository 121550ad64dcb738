//go:build simt

package emulator

import (
	"embed"
	"io/fs"
	"regexp"
	"strconv"
	"sync"

	"github.com/acqnp/acqnp/kernels"
	"github.com/acqnp/acqnp/kernels/vocabulary"
)

var boundedKernel = regexp.MustCompile(`__launch_bounds__\((\d+)[^)]*\)\s+(\w+)\(`)

// probes holds the kernels that test the emulator.
//
//go:embed *.cu
var probes embed.FS

// launchBounds maps a kernel to the largest block that its __launch_bounds__ allows, if the bound is
// written in digits. It reads the sources, because g++ ignores __launch_bounds__.
var launchBounds = sync.OnceValue(func() map[string]int {
	bounds := map[string]int{}
	for _, files := range []embed.FS{kernels.Sources, vocabulary.Source, probes} {
		names, _ := fs.Glob(files, "*.*") // the pattern is good
		for _, name := range names {
			source, err := files.ReadFile(name)
			if err != nil {
				panic(err) // an embedded file
			}
			for _, m := range boundedKernel.FindAllSubmatch(source, -1) {
				bounds[string(m[2])], _ = strconv.Atoi(string(m[1]))
			}
		}
	}
	return bounds
})
