package datasets

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/acqnp/acqnp/internal/invalid"
)

// maxGridPoints bounds a grid, so that a typing error cannot fill the memory.
const maxGridPoints = 1_000_000

// ParseGrid returns the targets [N, dx] that --grid asks for. "A:B:N" means N values from A to B,
// both included. With dx = 2 a second range follows after a comma. The last dimension varies
// fastest. An error is an *invalid.Input.
func ParseGrid(text string, dx int) ([]float64, error) {
	bad := func(found, expected string) error {
		return &invalid.Input{File: "--grid", Found: found, Expected: expected}
	}
	ranges := strings.Split(text, ",")
	if len(ranges) != dx {
		return nil, bad(invalid.Plural(len(ranges), "range", "ranges"), fmt.Sprintf("%d, one for each dimension of x", dx))
	}
	points, n := []float64{}, 1
	for width, r := range ranges {
		axis, err := ParseRange("--grid", r, maxGridPoints)
		if err != nil {
			return nil, err
		}
		if n *= len(axis); n > maxGridPoints {
			return nil, bad(fmt.Sprintf("%d points", n), fmt.Sprintf("at most %d", maxGridPoints))
		}
		points = product(points, width, axis)
	}
	return points, nil
}

// ParseRange returns the N values from A to B that "A:B:N", the value of a flag, asks for. N is at
// most most. An error is an *invalid.Input.
func ParseRange(flag, text string, most int) ([]float64, error) {
	bad := func(expected string) error {
		return &invalid.Input{File: flag, Found: strconv.Quote(text), Expected: expected}
	}
	part := strings.Split(text, ":")
	if len(part) != 3 {
		return nil, bad("A:B:N, as in " + flag + "=-2:2:200")
	}
	a, errA := strconv.ParseFloat(part[0], 64)
	b, errB := strconv.ParseFloat(part[1], 64)
	if errA != nil && strings.Count(strings.TrimLeft(part[0], "-"), "-") == 2 {
		return nil, bad("A:B:N with numbers; a date is its days since the first one of the file, and --targets takes dates")
	}
	if errA != nil || errB != nil || !(-math.MaxFloat32 <= a && a <= b && b <= math.MaxFloat32) {
		return nil, bad("A:B:N with finite numbers A ≤ B that fit float32")
	}
	n, err := strconv.Atoi(part[2])
	if err != nil || n < 1 || n > most {
		return nil, bad(fmt.Sprintf("A:B:N with N from 1 to %d", most))
	}
	if n == 1 {
		return []float64{a}, nil
	}
	return floats.Span(make([]float64, n), a, b), nil
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
