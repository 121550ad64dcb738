//go:build gpu

package cu

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gorgonia.org/cu"

	"github.com/acqnp/acqnp/kernels"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// pairs is the image that has machine code for sm_90a alone, in programs that nvcc of CUDA 12 or later
// has compiled.
const pairs = "branch_f16_pairs"

// load makes the streams and loads the smallest image, so that a GPU on which no image runs is an
// error at the start. The other images are loaded when one of their kernels is asked for. On a GPU
// newer than the program's machine code, the driver compiles each image that is loaded, which takes
// long for the branch's kernels.
func (d *Driver) load() (err error) {
	for _, s := range []*cu.Stream{&d.stream, &d.ahead} {
		if *s, err = cu.MakeStream(cu.NonBlocking); err != nil {
			return err
		}
	}
	if d.images, err = kernels.Fatbins(); err != nil {
		return err
	}
	d.images = slices.DeleteFunc(d.images, func(i kernels.Image) bool { return i.Runs(d.device.Capability()) == "" })
	if len(d.images) == 0 {
		return result(209) // no binary
	}
	d.device.Hopper = slices.ContainsFunc(d.images, func(i kernels.Image) bool { return i.Name == pairs })
	slices.SortStableFunc(d.images, func(a, b kernels.Image) int { return cmp.Compare(len(a.Code), len(b.Code)) })
	return d.next("")
}

// next loads the image that most likely has a kernel. All words of such an image's name, such as
// branch_f16, are in the kernel's name, such as branch_forward_f16_128. Of these images it takes the
// one with the most words, then the smallest. If there are none, it takes the smallest of all.
func (d *Driver) next(kernel string) error {
	words := strings.Split(kernel, "_")
	likely := func(i kernels.Image) int {
		n := 0
		for _, w := range strings.Split(i.Name, "_") {
			if !slices.Contains(words, w) {
				return 0
			}
			n++
		}
		return n
	}
	best := 0
	for i, image := range d.images {
		if likely(image) > likely(d.images[best]) {
			best = i
		}
	}
	image := d.images[best]
	d.images = slices.Delete(d.images, best, best+1)
	return d.add(image.Code)
}

// add loads an image of compiled kernels.
func (d *Driver) add(image []byte) error {
	m, err := cu.LoadData(string(image))
	if err == nil {
		d.modules = append(d.modules, m)
	}
	return err
}

// Load adds an image of compiled kernels to the program's, for tests.
func (d *Driver) Load(image []byte) error {
	return d.call("load", len(image), func() error { return d.add(image) })
}

func (d *Driver) Function(name string) (gpu.Func, error) {
	for i := range d.functions {
		if d.functions[i].name == name {
			return gpu.Func(i + 1), nil
		}
	}
	err := d.callKernel("function", name, 0, func() error {
		h, err := d.find(name)
		if err == nil {
			d.functions = append(d.functions, function{name, h, parameterSizes(h), unasked})
		}
		return err
	})
	return gpu.Func(len(d.functions)), err
}

// find returns a kernel of the modules. It loads more images until one has the kernel.
func (d *Driver) find(name string) (cu.Function, error) {
	for i := 0; ; i++ {
		if i == len(d.modules) {
			if len(d.images) == 0 {
				return cu.Function{}, fmt.Errorf("no kernel %q in this program", name)
			}
			if err := d.next(name); err != nil {
				return cu.Function{}, err
			}
		}
		h, err := d.modules[i].Function(name)
		if r, ok := code(err); err == nil || !ok || r != notFound {
			return h, err
		}
	}
}
