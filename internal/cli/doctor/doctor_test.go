package doctor_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/cli/doctor"
	"github.com/acqnp/acqnp/internal/datasets/paper"
	"github.com/acqnp/acqnp/internal/test/must"
)

func TestLookNamesWhatIsMissing(t *testing.T) {
	d := doctor.Look(t.TempDir(), "1.2.3")
	if d.Version != "1.2.3" || d.Cores < 1 || d.CPU == "" || !slices.Contains(d.Available, d.Kernels) {
		t.Errorf("%+v", d)
	}
	has := func(words ...string) bool {
		return slices.ContainsFunc(d.Missing, func(line string) bool {
			return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(line, w) })
		})
	}
	if !has("data set mnist", "acqnp data fetch mnist") || has("data set sawtooth") {
		t.Errorf("missing: %q", d.Missing)
	}
	if alone := doctor.Look("", "1.2.3"); len(alone.Data) > 0 || strings.Contains(strings.Join(alone.Missing, " "), "data set") {
		t.Errorf("data sets that nobody asked for: %+v, missing %q", alone.Data, alone.Missing)
	}
	if !d.GPU && !has("no NVIDIA GPU") {
		t.Errorf("missing: %q", d.Missing)
	}
}

func TestPrintHasALineForEachThing(t *testing.T) {
	d := doctor.Diagnosis{
		Version: "1.2.3", CPU: "Some CPU", MemoryBytes: 3 << 30, MemoryLimit: 1 << 30, GPU: true, GPUs: []string{"H100"}, Driver: "550",
		CUDA: "/bin/acqnp-cuda", CUDAError: "too old", Compiled: []string{"7.5", "9.0a"}, Runs: "PTX", Network: "7 weights", Data: []paper.Status{{Benchmark: "mnist", Detail: "not there"}}, Missing: []string{"mnist"},
	}
	var b strings.Builder
	must.Do(t, d.Print(&b))
	for _, want := range []string{"Some CPU\n", "3.0 GiB, limited to 1.0 GiB\n", "H100, 550\n", "/bin/acqnp-cuda, machine code for GPUs of 7.5, 9.0a, the GPU runs PTX, not usable: too old\n",
		"network     pretrained: 7 weights\n", "data set    mnist: not there\n", "missing     mnist\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
