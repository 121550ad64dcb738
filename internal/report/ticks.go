package report

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// roundTicks labels an axis at multiples of 1, 2 or 5 times a power of ten, at most maxTicks of them.
type roundTicks struct{}

const maxTicks = 8

// Ticks implements plot.Ticker.
func (roundTicks) Ticks(lo, hi float64) []plot.Tick {
	if !finite(hi-lo) || !(lo < hi) {
		return nil
	}
	exponent, step := tickStep(hi - lo)
	var ticks []plot.Tick
	first := math.Ceil(lo / step)
	for i := range maxTicks { // far from 0, neighbouring multiples can be the same float64: never count up to hi
		v := (first + float64(i)) * step
		if v > hi {
			break
		}
		label := strconv.FormatFloat(v, 'f', max(0, -exponent), 64)
		if math.Abs(v) >= 1e6 || exponent < -5 {
			label = strconv.FormatFloat(v, 'g', 6, 64)
		}
		ticks = append(ticks, plot.Tick{Value: v, Label: label})
	}
	return ticks
}

// tickStep is the smallest round step that gives at most maxTicks ticks, and the power of ten of its digit.
func tickStep(width float64) (exponent int, step float64) {
	exponent = int(math.Floor(math.Log10(width / maxTicks)))
	for {
		for _, digit := range []float64{1, 2, 5} {
			if step := digit * math.Pow(10, float64(exponent)); width/step < maxTicks-1 {
				return exponent, step
			}
		}
		exponent++
	}
}
