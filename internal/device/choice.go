package device

import (
	"regexp"
	"strconv"

	"github.com/acqnp/acqnp/internal/input"
)

// Choice is what --device asks for.
type Choice struct {
	Auto, CUDA bool // neither: the CPU
	Index      int  // of the CUDA device, as the driver counts
}

var cudaChoice = regexp.MustCompile(`^cuda(?::([0-9]{1,3}))?$`)

// ParseChoice reads auto, cpu, cuda or cuda:N. Anything else is an *input.Error.
func ParseChoice(text string) (Choice, error) {
	switch text {
	case "auto":
		return Choice{Auto: true}, nil
	case "cpu":
		return Choice{}, nil
	}
	m := cudaChoice.FindStringSubmatch(text)
	if m == nil {
		return Choice{}, &input.Error{File: "--device", Found: strconv.Quote(text), Expected: "auto, cpu or cuda[:N]"}
	}
	n, _ := strconv.Atoi("0" + m[1])
	return Choice{CUDA: true, Index: n}, nil
}

// String is the choice as --device names it.
func (c Choice) String() string {
	switch {
	case c.Auto:
		return "auto"
	case c.CUDA:
		return "cuda:" + strconv.Itoa(c.Index)
	}
	return "cpu"
}

// The precisions of the products inside a GPU's quantile branch, as --precision names them. All else is float32 in all of
// them, and so is all of a branch whose widths the fused kernels do not take.
const (
	AutoPrecision = "auto" // by device
	FP32          = "fp32"
	TF32          = "tf32" // products of numbers rounded to 11 bits of significand; compute capability 8.0 and later
	FP16          = "fp16" // products and activations in half precision, gradients scaled; 7.5 and later
)

// CheckPrecision refuses what is no precision, or none that the CPU has where it was asked for by name.
func CheckPrecision(c Choice, precision string) error {
	bad := input.Error{File: "--precision", Found: strconv.Quote(precision), Expected: "auto, fp32, tf32 or fp16"}
	switch precision {
	case AutoPrecision, FP32:
		return nil
	case TF32, FP16:
		if c.Auto || c.CUDA {
			return nil
		}
		bad.Expected = "auto or fp32 with --device cpu"
	}
	return &bad
}
