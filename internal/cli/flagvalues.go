package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/sweep/plan"
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

// firstError calls functions until one fails.
func firstError(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
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

// checkDistinct returns an *invalid.Input for a number that a flag does not take, or that is given twice.
func checkDistinct(flag, expected string, numbers []float64, takes func(v float64) bool) error {
	for i, v := range numbers {
		if !takes(v) || slices.Contains(numbers[:i], v) {
			return &invalid.Input{File: flag, Found: strconv.FormatFloat(v, 'g', -1, 64), Expected: expected}
		}
	}
	return nil
}

// checkProbabilities returns an *invalid.Input for a number that is not between 0 and 1, or that is given twice.
func checkProbabilities(flag string, numbers []float64) error {
	return checkDistinct(flag, "different numbers between 0 and 1", numbers, func(p float64) bool { return p > 0 && p < 1 })
}

// checkFinite returns an *invalid.Input for a number that is not finite, or that is given twice.
func checkFinite(flag string, numbers []float64) error {
	return checkDistinct(flag, "different finite numbers", numbers, func(v float64) bool { return v-v == 0 })
}

// A numberList is the value of a flag that takes a list of whole numbers and ranges, such as
// 0..5 or 0,3,10..12. Both ends of a range count. A flag that is given again adds to the list.
type numberList struct {
	numbers []int
	given   bool // the numbers are no default
}

// mostNumbers bounds the length of a list, against typing errors.
const mostNumbers = 1 << 20

// Set reads a list. It implements pflag.Value, as String and Type do.
func (l *numberList) Set(text string) error {
	if !l.given {
		l.numbers, l.given = nil, true
	}
	wrong := errors.New("expected different whole numbers or ranges with commas between them, such as 0..5 or 0,3,7")
	for part := range strings.SplitSeq(text, ",") {
		first, last, ok := plan.ParseRange(part)
		if !ok || last-first >= uint64(mostNumbers-len(l.numbers)) {
			return wrong
		}
		for i := range last - first + 1 {
			l.numbers = append(l.numbers, int(first+i))
		}
	}
	if all := slices.Sorted(slices.Values(l.numbers)); len(slices.Compact(all)) < len(l.numbers) {
		return wrong
	}
	return nil
}

func (l *numberList) String() string {
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(l.numbers), "[]")), ",")
}

func (l *numberList) Type() string { return "numberList" }

// An emptiable is a list of numbers of a flag that "" empties.
type emptiable struct{ pflag.Value }

func (l emptiable) Set(text string) error {
	if text == "" {
		return l.Value.(pflag.SliceValue).Replace(nil)
	}
	return l.Value.Set(text)
}
