//go:build simt && !gpu

package device_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/kernels/emulator"
	"github.com/acqnp/acqnp/kernels/gpu"
	"github.com/acqnp/acqnp/kernels/gpu/gputest"
)

func TestCUDAPrecisionByCapability(t *testing.T) {
	for _, c := range []struct {
		major, minor int
		precision    string
		name         string // the device's
	}{
		{7, 5, "auto", "cuda:1 (simt, training fp16 if fused, evaluation fp32)"},
		{7, 5, "fp32", "cuda:1 (simt, fp32)"},
		{7, 5, "fp16", "cuda:1 (simt, fp16 if fused)"},
		{8, 0, "auto", "cuda:1 (simt, training fp16 if fused, evaluation fp32)"},
		{9, 0, "auto", "cuda:1 (simt, training fp16 if fused, evaluation fp32)"},
		{9, 0, "fp16", "cuda:1 (simt, fp16 if fused)"},
	} {
		d, err := device.CUDA(emulator.New(emulator.Options{Major: c.major, Minor: c.minor}), 1, c.precision)
		if err != nil || d.Name() != c.name {
			t.Errorf("%s on %d.%d: %v, %v, want %s", c.precision, c.major, c.minor, d, err, c.name)
		}
	}
}

func TestCUDAClosesItsDriverOnce(t *testing.T) {
	driver := gputest.Faulty(emulator.New(emulator.Options{}), 0, nil)
	d := must.Get(device.CUDA(driver, 0, "auto"))(t)
	if err := errors.Join(d.Close(), d.Close()); err != nil || driver.Calls() != 1 {
		t.Errorf("%d calls to close, %v", driver.Calls(), err)
	}
}

func TestCUDAOfAnEmulatedMachine(t *testing.T) {
	for choice, want := range map[string]string{
		"auto": "the emulated GPU is for tests", "cpu": "cpu with 2 threads", "cuda": "cuda:0 (simt", "cuda:0": "cuda:0 (simt",
	} {
		d, err := (device.Request{Choice: choice, Precision: "auto", Threads: 2}).Open()
		if err != nil || !strings.Contains(d.String(), want) {
			t.Errorf("%s: %v, %v", choice, d, err)
			continue
		}
		must.Do(t, d.Close())
	}
	if _, err := (device.Request{Choice: "cuda:1", Precision: "auto", Threads: 0}).Open(); err == nil || !strings.Contains(err.Error(), "--device cuda:1") {
		t.Errorf("a GPU that is not there: %v", err)
	}
}

// TestCUDANamesThePrecisionInForce compiles models whose decoders are of a width for which there are
// fused kernels, for a GPU with Hopper's own and for one before, and of one for which there are none.
func TestCUDANamesThePrecisionInForce(t *testing.T) {
	for _, c := range []struct {
		width, major int
		want         string
	}{
		{64, 9, "cuda:0 (simt, training fp16 on sm_90a, evaluation fp32)"}, {64, 8, "cuda:0 (simt, training fp16, evaluation fp32)"},
		{20, 9, "cuda:0 (simt, training fp32 unfused in place of fp16, evaluation fp32)"},
	} {
		d := must.Get(device.CUDA(emulator.New(emulator.Options{Major: c.major}), 0, "auto"))(t)
		width, want := c.width, c.want
		hidden := []int{width, width}
		m := must.Get(models.New(config.Model{Name: "cqnp", Representation: width, Encoder: hidden, Decoder: hidden}, 1, 1))(t)
		g := must.Get(m.Build(tensor.Float32, ops.Extents{Groups: 1, Context: 1, Points: 2, Levels: 2}, models.Training))(t)
		tr := must.Get(d.Trainer(g, device.Training{}))(t)
		if d.Name() != want {
			t.Errorf("width %d: %s, want %s", width, d.Name(), want)
		}
		must.Do(t, errors.Join(tr.Close(), d.Close()))
	}
}

func TestCUDAVariablesAreChecked(t *testing.T) {
	for _, name := range []string{"ACQNP_CUDA_DEBUG", "ACQNP_CUDA_PAIRS", "ACQNP_CUDA_EARLY"} {
		t.Setenv(name, "yes")
		var bad *invalid.Input
		if _, err := device.CUDA(emulator.New(emulator.Options{}), 0, "auto"); !errors.As(err, &bad) || bad.File != name {
			t.Errorf("%s: got %v", name, err)
		}
		t.Setenv(name, "1")
	}
}

// graphs is a driver that records whether a graph has launches that may start early, and leaves out the
// launches of a kernel.
type graphs struct {
	gpu.Driver
	early  bool
	broken string // the kernel
	known  map[gpu.Func]string
}

func (d *graphs) Function(name string) (gpu.Func, error) {
	f, err := d.Driver.Function(name)
	d.known[f] = name
	return f, err
}

func (d *graphs) Launch(f gpu.Func, dims gpu.Dims, p gpu.Params) error {
	if d.known[f] == d.broken {
		return nil
	}
	return d.Driver.Launch(f, dims, p)
}

func (d *graphs) Graph(nodes []gpu.Node) (gpu.Graph, error) {
	d.early = d.early || slices.Contains(gpu.Early(nodes), true)
	return d.Driver.Graph(nodes)
}

// TestCUDASwitches trains with kernels for sm_90a and early launches, without either, and with a kernel for
// sm_90a that does nothing, which the check of the first trainer must find.
func TestCUDASwitches(t *testing.T) {
	hidden := []int{64, 64}
	m := must.Get(models.New(config.Model{Name: "cqnp", Representation: 64, Encoder: hidden, Decoder: hidden}, 1, 1))(t)
	e := ops.Extents{Groups: 1, Context: 1, Points: 2, Levels: 2}
	g := must.Get(m.Build(tensor.Float32, e, models.Training))(t)
	for _, c := range []struct {
		pairs, late, broken, name, warning string
	}{
		{"", "", "", "training fp16 on sm_90a,", ""},
		{"0", "", "branch_forward_f16_pairs_64", "training fp16,", ""},
		{"1", "0", "", "training fp16 on sm_90a,", ""},
		{"", "", "branch_forward_f16_pairs_64", "training fp16 in place of sm_90a, whose kernels failed their check,", "kernels for sm_90a are not used"},
	} {
		t.Setenv("ACQNP_CUDA_PAIRS", c.pairs)
		t.Setenv("ACQNP_CUDA_EARLY", c.late)
		driver := &graphs{Driver: emulator.New(emulator.Options{}), broken: c.broken, known: map[gpu.Func]string{}}
		d := must.Get(device.CUDA(driver, 0, "auto"))(t)
		var warnings []string
		tr := must.Get(d.Trainer(g, device.Training{Warn: func(line string) { warnings = append(warnings, line) }}))(t)
		driver.early = false // the graphs of the check
		for batch := range 4 {
			must.Do(t, tr.Step(e, batch, 0.01))
		}
		if text := strings.Join(warnings, "\n"); !strings.Contains(text, c.warning) || len(warnings) != min(1, len(c.warning)) {
			t.Errorf("%+v: warnings %q", c, text)
		}
		if !strings.Contains(d.Name(), c.name) || driver.early != (c.late != "0") {
			t.Errorf("%+v: %s, early launches: %v", c, d.Name(), driver.early)
		}
		must.Do(t, tr.Close(), d.Close())
	}
}
