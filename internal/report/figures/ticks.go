package figures

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// roundTicks puts at most that many ticks at multiples of 1, 2 or 5 times a power of ten.
type roundTicks int

// The numbers of ticks of a large and of a small panel.
const manyTicks, fewTicks = roundTicks(8), roundTicks(6)

// Ticks implements plot.Ticker.
func (most roundTicks) Ticks(lo, hi float64) (ticks []plot.Tick) {
	if !(lo < hi) || math.IsInf(hi-lo, 0) {
		return nil
	}
	exponent, step := most.step(hi - lo)
	first := math.Ceil(lo / step)
	for i := range int(most) { // not while v ≤ hi: far from 0, neighbouring multiples can be the same float64
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

// step returns the smallest round step with few enough ticks, and the power of ten of its digit.
func (most roundTicks) step(width float64) (exponent int, step float64) {
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
