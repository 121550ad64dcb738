package device_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/simd"
	"github.com/acqnp/acqnp/internal/test/must"
)

func TestChoices(t *testing.T) {
	for text, want := range map[string]device.Choice{
		"auto": {Auto: true}, "cpu": {}, "cuda": {CUDA: true}, "cuda:0": {CUDA: true}, "cuda:1": {CUDA: true, Index: 1},
		"cuda:12": {CUDA: true, Index: 12},
	} {
		if got, err := device.ParseChoice(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "gpu", "CPU", "cuda:", "cuda:x", "cuda:-1", "cuda:1000", "cuda:1 ", "cuda1", "auto:0", "cuda:1\n"} {
		var bad *invalid.Input
		if _, err := device.ParseChoice(text); !errors.As(err, &bad) || bad.File != "--device" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestPrecisions(t *testing.T) {
	for _, c := range []struct {
		choice, precision string
		good              bool
	}{
		{"cpu", "auto", true}, {"cpu", "fp32", true}, {"auto", "tf32", false}, {"cpu", "fp16", false}, {"cpu", "", false},
		{"auto", "fp16", true}, {"auto", "bf16", true}, {"cpu", "bf16", true}, {"cuda", "bf16", false}, {"cpu", "BF16", false},
		{"cuda:1", "auto", true}, {"cuda", "fp32", true}, {"cuda", "fp16", true}, {"cuda", "FP16", false},
	} {
		choice := must.Get(device.ParseChoice(c.choice))(t)
		err := device.CheckPrecision(choice, c.precision)
		var bad *invalid.Input
		if c.good && err != nil || !c.good && !errors.As(err, &bad) {
			t.Errorf("%s on %s: %v", c.precision, c.choice, err)
		}
		if !c.good && c.choice != "auto" && !strings.Contains(err.Error(), "bf16") {
			t.Errorf("%s on %s: %v does not say where bf16 is", c.precision, c.choice, err)
		}
	}
}

func TestOpenRefusesWhatCannotBe(t *testing.T) {
	for _, c := range []struct {
		choice, precision string
		threads           int
	}{{"tpu", "auto", 0}, {"cpu", "int8", 0}, {"cpu", "auto", -1}} {
		var bad *invalid.Input
		if _, err := (device.Request{Choice: c.choice, Precision: c.precision, Threads: c.threads}).Open(); !errors.As(err, &bad) {
			t.Errorf("%v: %v", c, err)
		}
	}
	d, err := (device.Request{Choice: "cpu", Precision: "auto", Threads: 1}).Open()
	if err != nil || d.Name() != "cpu" || d.String() != "cpu with 1 thread" {
		t.Errorf("%v, %v", d, err)
	}
}

// TestBF16IsTheCPUs opens the CPU for bf16, whatever else the machine has.
func TestBF16IsTheCPUs(t *testing.T) {
	d := must.Get((device.Request{Choice: "auto", Precision: device.BF16, Threads: 2}).Open())(t)
	plain := simd.Name()
	want := "cpu with 2 threads in bf16"
	if !simd.HasHalves() {
		want += " (emulated by the " + plain + " kernels, slower than fp32)"
	}
	if d.Name() != "cpu (bf16)" || !strings.HasPrefix(d.String(), want) || d.Kernels() != plain+"+bf16" {
		t.Errorf("%s, %v, %s", d.Name(), d, d.Kernels())
	}
	if device.SameBits(d.Kernels(), plain) || !device.SameBits("avx2+bf16", "avx512+bf16") {
		t.Error("precisions are confused")
	}
	for _, c := range []struct{ before, now, want string }{
		{"avx512+bf16", "avx2", "--precision bf16"}, {"avx512", "avx512+bf16", "--precision fp32"},
		{"amx+bf16", "avx2", "ACQNP_SIMD=amx and --precision bf16"}, {"portable", "avx2", "ACQNP_SIMD=portable"},
	} {
		if got := device.KernelsSettings(c.before, c.now); got != c.want {
			t.Errorf("from %s to %s: %q, want %q", c.now, c.before, got, c.want)
		}
	}
	if title := device.KernelsTitle("avx512+bf16"); title != "AVX-512 bf16" {
		t.Error(title)
	}
}
