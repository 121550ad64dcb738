package kernels

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Image is a compiled source.
type Image struct {
	Name string // of the source file, without its extension
	Code []byte
	GPUs string // what Code has, as scripts/fatbin.sh writes it: "75 80 ptx80", or "90a"
}

// How a GPU runs an image.
const (
	MachineCode = "machine code"
	PTX         = "PTX" // which the driver compiles when the image is loaded
)

// Runs returns how a GPU of a compute capability, such as 86 for 8.6, runs the image; empty if it
// cannot. Machine code runs on GPUs of the same major capability and no lower minor one. Code such as
// 90a runs on that capability alone. PTX runs on all later GPUs.
func (i Image) Runs(capability int) (how string) {
	for _, word := range strings.Fields(i.GPUs) {
		digits, ptx := strings.CutPrefix(word, "ptx")
		digits, exact := strings.CutSuffix(digits, "a")
		n, err := strconv.Atoi(digits)
		switch {
		case err != nil || n > capability || exact && n != capability:
		case ptx:
			how = cmp.Or(how, PTX)
		case n/10 == capability/10:
			return MachineCode
		}
	}
	return how
}

// Compiled returns the GPUs for which any of the images has machine code, such as 7.5, 8.0 and 9.0a.
func Compiled(images []Image) []string {
	var gpus []string
	for _, image := range images {
		for _, word := range strings.Fields(image.GPUs) {
			minor := len(strings.TrimSuffix(word, "a")) - 1
			if gpu := word[:minor] + "." + word[minor:]; !strings.HasPrefix(word, "ptx") && !slices.Contains(gpus, gpu) {
				gpus = append(gpus, gpu)
			}
		}
	}
	return gpus
}
