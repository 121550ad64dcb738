package kernels_test

import (
	"slices"
	"testing"

	"github.com/acqnp/acqnp/kernels"
)

func TestHowAGPURunsAnImage(t *testing.T) {
	for _, c := range []struct {
		gpus       string
		capability int
		want       string
	}{
		{"75 80 86 ptx86", 75, kernels.MachineCode},
		{"75 80 86 ptx86", 87, kernels.MachineCode}, // 8.7 runs the code of 8.6
		{"75 80 86 ptx86", 72, ""},                  // too old
		{"75 80 86 ptx86", 90, kernels.PTX},
		{"75 80 86 90 ptx90", 120, kernels.PTX},
		{"75 86 ptx86", 80, ""}, // code of 8.6 does not run on 8.0, and its PTX is later
		{"90a", 90, kernels.MachineCode},
		{"90a", 91, ""},
		{"90a", 100, ""},
		{"120 ptx120", 121, kernels.MachineCode},
		{"", 90, ""},
	} {
		if got := (kernels.Image{GPUs: c.gpus}).Runs(c.capability); got != c.want {
			t.Errorf("%q on %d: %q, want %q", c.gpus, c.capability, got, c.want)
		}
	}
}

func TestCompiledNamesEachGPUOnce(t *testing.T) {
	images := []kernels.Image{{GPUs: "75 80 ptx80"}, {GPUs: "90a"}, {GPUs: ""}, {GPUs: "80 120"}}
	if got, want := kernels.Compiled(images), []string{"7.5", "8.0", "9.0a", "12.0"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
