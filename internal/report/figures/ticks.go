package figures

import (
	"gonum.org/v1/plot"

	"github.com/acqnp/acqnp/internal/report/tables"
)

// roundTicks puts at most maxTicks ticks at multiples of 1, 2 or 5 times a power of ten.
type roundTicks struct{}

// fewTicks is roundTicks for a small panel.
type fewTicks struct{}

const maxTicks, maxFewTicks = 8, 6

// Ticks implements plot.Ticker.
func (roundTicks) Ticks(lo, hi float64) []plot.Tick { return ticks(lo, hi, maxTicks) }

// Ticks implements plot.Ticker.
func (fewTicks) Ticks(lo, hi float64) []plot.Tick { return ticks(lo, hi, maxFewTicks) }

// ticks returns the ticks of a range. most bounds their number.
func ticks(lo, hi float64, most int) []plot.Tick {
	var all []plot.Tick
	for _, t := range tables.Ticks(lo, hi, most) {
		all = append(all, plot.Tick{Value: t.Value, Label: t.Label})
	}
	return all
}
