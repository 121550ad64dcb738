package device

import (
	"regexp"
	"strconv"

	"github.com/acqnp/acqnp/internal/invalid"
)

// Choice is what --device asks for.
type Choice struct {
	Auto, CUDA bool // neither: the CPU
	Index      int  // of the CUDA device, as the driver counts
}

var cudaChoice = regexp.MustCompile(`^cuda(?::([0-9]{1,3}))?$`)

// ParseChoice parses auto, cpu, cuda or cuda:N. Anything else is an *invalid.Input.
func ParseChoice(text string) (Choice, error) {
	if m := cudaChoice.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi("0" + m[1])
		return Choice{CUDA: true, Index: n}, nil
	}
	if text == "auto" || text == "cpu" {
		return Choice{Auto: text == "auto"}, nil
	}
	return Choice{}, &invalid.Input{File: "--device", Found: strconv.Quote(text), Expected: "auto, cpu or cuda[:N]"}
}

// String returns the choice as --device names it.
func (c Choice) String() string {
	switch {
	case c.Auto:
		return "auto"
	case c.CUDA:
		return "cuda:" + strconv.Itoa(c.Index)
	}
	return "cpu"
}

// The precisions of matrix products, as --precision names them: on a GPU of those in the quantile
// branch, on a CPU of those of wide layers. Everything else is float32, and so is a branch for whose
// widths a GPU has no fused kernels.
const (
	AutoPrecision = "auto" // depends on the device; fp32 on a CPU
	FP32          = "fp32"
	FP16          = "fp16" // factors and activations in half precision, with loss scaling; needs 7.5; auto trains in it
	BF16          = "bf16" // on a CPU alone: factors and activations in bfloat16
)

// CheckPrecision returns an *invalid.Input if the precision is unknown, or if the chosen device lacks it.
func CheckPrecision(c Choice, precision string) error {
	bad := invalid.Input{File: "--precision", Found: strconv.Quote(precision), Expected: "auto, fp32, fp16 or bf16"}
	switch precision {
	case AutoPrecision, FP32:
		return nil
	case FP16:
		if c.Auto || c.CUDA {
			return nil
		}
		bad.Expected = "auto, fp32 or bf16 with --device cpu"
	case BF16:
		if !c.CUDA {
			return nil
		}
		bad.Expected = "auto, fp32 or fp16 with --device " + c.String() + "; --device cpu has bf16"
	}
	return &bad
}
