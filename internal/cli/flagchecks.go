package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/acqnp/acqnp/internal/invalid"
)

// checkNotEmpty returns an *invalid.Input for a flag with an empty value, which would silently mean the
// default. In a script, --run-dir "$DIR" has one if DIR is not set.
func checkNotEmpty(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		if slices.Contains(values, "") {
			err = &invalid.Input{File: "--" + f.Name, Found: "an empty value", Expected: "a value, or to leave the flag out"}
		}
	})
	return err
}

// checkRange returns an *invalid.Input for a number outside lo..hi. math.MaxInt as hi is no bound.
func checkRange(flag string, v, lo, hi int) error {
	if v < lo || v > hi {
		expected := fmt.Sprintf("%d to %d", lo, hi)
		if hi == math.MaxInt {
			expected = fmt.Sprintf("%d or more", lo)
		}
		return &invalid.Input{File: flag, Found: strconv.Itoa(v), Expected: expected}
	}
	return nil
}

// checkProbabilities returns an *invalid.Input for a number that is not between 0 and 1, or that is given twice.
func checkProbabilities(flag string, numbers []float64) error {
	for i, p := range numbers {
		if !(p > 0 && p < 1) || slices.Contains(numbers[:i], p) {
			return &invalid.Input{File: flag, Found: strconv.FormatFloat(p, 'g', -1, 64), Expected: "different numbers between 0 and 1"}
		}
	}
	return nil
}
