//go:build simt

package kernels

import (
	"io/fs"
	"regexp"
	"strconv"
	"sync"
)

var boundedKernel = regexp.MustCompile(`__launch_bounds__\((\d+)[^)]*\)\s+(\w+)\(`)

// launchBounds is the largest block of each kernel whose source says so in digits; g++ does not see __launch_bounds__.
var launchBounds = sync.OnceValue(func() map[string]int {
	bounds := map[string]int{}
	_ = fs.WalkDir(Sources, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		source, err := fs.ReadFile(Sources, path)
		if err != nil {
			return nil // a directory
		}
		for _, m := range boundedKernel.FindAllSubmatch(source, -1) {
			bounds[string(m[2])], _ = strconv.Atoi(string(m[1]))
		}
		return nil
	})
	return bounds
})
