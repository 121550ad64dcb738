package tables

import (
	"math"
	"strconv"
)

// A Tick is a number on an axis, and its label.
type Tick struct {
	Value float64
	Label string
}

// Ticks returns the ticks of a range, at multiples of 1, 2 or 5 times a power of ten. most bounds
// their number.
func Ticks(lo, hi float64, most int) []Tick {
	if !(lo < hi) || math.IsInf(hi-lo, 0) {
		return nil
	}
	exponent, step := tickStep(hi-lo, most)
	var ticks []Tick
	first := math.Ceil(lo / step)
	for i := range most { // not while v ≤ hi: far from 0, neighbouring multiples can be the same float64
		v := (first + float64(i)) * step
		if v > hi {
			break
		}
		label := strconv.FormatFloat(v, 'f', max(0, -exponent), 64)
		if math.Abs(v) >= 1e6 || exponent < -5 {
			label = strconv.FormatFloat(v, 'g', 6, 64)
		}
		ticks = append(ticks, Tick{v, label})
	}
	return ticks
}

// tickStep returns the smallest round step that gives at most most ticks, and the power of ten of its
// digit.
func tickStep(width float64, most int) (exponent int, step float64) {
	exponent = int(math.Floor(math.Log10(width / float64(most))))
	for {
		for _, digit := range []float64{1, 2, 5} {
			if step := digit * math.Pow(10, float64(exponent)); width/step < float64(most-1) {
				return exponent, step
			}
		}
		exponent++
	}
}
