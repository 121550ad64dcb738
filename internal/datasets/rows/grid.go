package rows

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/invalid"
)

// maxGridPoints bounds a grid, so that a typing error cannot fill the memory.
const maxGridPoints = 1_000_000

// logPrefix begins a range whose values have equal ratios.
const logPrefix = "log:"

// LogRanges reports which of a grid's ranges have values of equal ratios.
func LogRanges(grid string) (is []bool) {
	for _, r := range strings.Split(grid, ",") {
		is = append(is, strings.HasPrefix(r, logPrefix))
	}
	return is
}

// ParseGrid returns the targets [N, dx] that the field grid asks for. "A:B:N" means N values from A to B,
// both included, written as in files of the columns' forms, or as raw numbers; "log:A:B:N" values with equal
// ratios. With dx = 2 a second range follows after a comma. The last dimension varies fastest. An error is an
// *invalid.Input.
func ParseGrid(text string, dx int, forms []Form) ([]float64, error) {
	bad := func(found, expected string) error {
		return &invalid.Input{Key: "grid", Found: found, Expected: expected}
	}
	ranges := strings.Split(text, ",")
	if len(ranges) != dx {
		return nil, bad(invalid.Plural(len(ranges), "range", "ranges"), fmt.Sprintf("%d, one for each dimension of x", dx))
	}
	points, n := []float64{}, 1
	for width, r := range ranges {
		linear, isLog := strings.CutPrefix(r, logPrefix)
		form := FormAt(forms, width)
		axis, err := ParseRange("grid", linear, form, maxGridPoints)
		if err != nil {
			return nil, err
		}
		if isLog {
			if form.Origin != "" || form.Format == Clock || axis[0] <= 0 {
				return nil, bad(strconv.Quote(r), "log:A:B:N with numbers 0 < A ≤ B")
			}
			if lo, hi := axis[0], axis[len(axis)-1]; lo < hi {
				for i, v := range floats.LogSpan(axis, lo, hi) { // in digits that a table shows: 0.1, not 0.09999999999999998
					axis[i], _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
				}
				axis[0], axis[len(axis)-1] = lo, hi
			}
		}
		if n *= len(axis); n > maxGridPoints {
			return nil, bad(fmt.Sprintf("%d points", n), fmt.Sprintf("at most %d", maxGridPoints))
		}
		points = product(points, width, axis)
	}
	return points, nil
}

// ParseRange returns the N values from A to B that "A:B:N", the value of a field, asks for. A and B are
// written as in a column of the form, or are raw numbers. N is at most most. An error is an *invalid.Input.
func ParseRange(field, text string, form Form, most int) ([]float64, error) {
	bad := func(expected string) error {
		return &invalid.Input{Key: field, Found: strconv.Quote(text), Expected: expected}
	}
	part := strings.Split(text, ":")
	if len(part) < 3 {
		return nil, bad("A:B:N, as in -2:2:200")
	}
	a, b, ways := form.between(part[:len(part)-1])
	switch {
	case ways > 1:
		return nil, bad("A:B:N in which it is clear where B begins: write times with seconds, such as 09:00:00:17:30:00:18")
	case ways == 0:
		return nil, bad("A:B:N with " + form.ends())
	}
	n, err := strconv.Atoi(part[len(part)-1])
	if err != nil || n < 1 || n > most {
		return nil, bad(fmt.Sprintf("A:B:N with N from 1 to %d", most))
	}
	if n == 1 {
		return []float64{a}, nil
	}
	return floats.Span(make([]float64, n), a, b), nil
}

// between reads the parts of "A:B", which a time of day makes more than two. ways counts the places where B can
// begin.
func (f Form) between(parts []string) (a, b float64, ways int) {
	f.Log = false // whoever asks checks it
	read := func(text string) (float64, bool) {
		v, is := tabular.ParseNumber(text)
		ok := is && (len(parts) == 2 || f.Format != Clock) // 9:30 is a time, and not 9 to 30
		if !is {
			v, ok = f.Number(text)
		}
		return v, ok && math.Abs(v) <= math.MaxFloat32
	}
	for i := 1; i < len(parts); i++ {
		low, ok := read(strings.Join(parts[:i], ":"))
		high, ok2 := read(strings.Join(parts[i:], ":"))
		if ok && ok2 && low <= high {
			a, b = low, high
			ways++
		}
	}
	return a, b, ways
}

// ends says what A and B of a range are.
func (f Form) ends() string {
	switch {
	case f.Origin != "":
		return "dates A ≤ B such as 2024-03-01, or days since " + f.Origin
	case f.Format == Clock:
		return "times of day A ≤ B such as 13:00, or hours since midnight"
	}
	return "finite numbers A ≤ B that fit float32"
}

// product combines every point [·, width] with every value of the axis: [·, width+1]. At width 0
// there is one point.
func product(points []float64, width int, axis []float64) []float64 {
	n := 1
	if width > 0 {
		n = len(points) / width
	}
	out := make([]float64, 0, n*len(axis)*(width+1))
	for i := range n {
		for _, v := range axis {
			out = append(append(out, points[i*width:][:width]...), v)
		}
	}
	return out
}
