//go:build simt && !gpu

package device_test

import (
	"errors"
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
	var bad *invalid.Input
	_, err := device.CUDA(emulator.New(emulator.Options{Major: 7}), 0, "auto")
	if err == nil || errors.As(err, &bad) || !strings.Contains(err.Error(), "compute capability 7.0") {
		t.Errorf("a device that is too old: %v", err)
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
		if err := d.Close(); err != nil {
			t.Error(err)
		}
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
		g := must.Get(m.Build(tensor.Float32, ops.Extents{Functions: 1, Context: 1, Points: 2, Levels: 2}, models.Training))(t)
		tr := must.Get(d.Trainer(g, device.Training{}))(t)
		if d.Name() != want {
			t.Errorf("width %d: %s, want %s", width, d.Name(), want)
		}
		if err := errors.Join(tr.Close(), d.Close()); err != nil {
			t.Error(err)
		}
	}
}

func TestCUDADebugVariableIsChecked(t *testing.T) {
	t.Setenv("ACQNP_CUDA_DEBUG", "yes")
	var bad *invalid.Input
	if _, err := device.CUDA(emulator.New(emulator.Options{}), 0, "auto"); !errors.As(err, &bad) {
		t.Errorf("got %v", err)
	}
}
