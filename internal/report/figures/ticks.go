package figures

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// roundTicks puts at most maxTicks ticks at multiples of 1, 2 or 5 times a power of ten.
type roundTicks struct{}

// fewTicks is roundTicks for a small panel.
type fewTicks struct{}

// unlabelled removes the labels of ticks.
type unlabelled struct{ plot.Ticker }

const maxTicks, maxFewTicks = 8, 6

// Ticks implements plot.Ticker.
func (roundTicks) Ticks(lo, hi float64) []plot.Tick { return ticks(lo, hi, maxTicks) }

// Ticks implements plot.Ticker.
func (fewTicks) Ticks(lo, hi float64) []plot.Tick { return ticks(lo, hi, maxFewTicks) }

// Ticks implements plot.Ticker.
func (u unlabelled) Ticks(lo, hi float64) []plot.Tick {
	all := u.Ticker.Ticks(lo, hi)
	for i := range all {
		all[i].Label = " " // an empty label would make the tick a minor one
	}
	return all
}

// ticks returns the ticks of a range. most bounds their number.
func ticks(lo, hi float64, most int) []plot.Tick {
	if !finite(hi-lo) || !(lo < hi) {
		return nil
	}
	exponent, step := tickStep(hi-lo, most)
	var ticks []plot.Tick
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
		ticks = append(ticks, plot.Tick{Value: v, Label: label})
	}
	return ticks
}

// tickStep returns the smallest round step with which the ticks are not more than most, and the power
// of ten of its digit.
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
