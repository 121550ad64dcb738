package datasets

import (
	"fmt"
	"math"

	"github.com/acqnp/acqnp/internal/models/mixed"
)

// A Baseline standardises y by what a linear mixed model predicts from the context: with the mean m
// and the deviation s of y at a point given the context, the model's y is (y − m)/s. So a network
// starts from the mixed model and learns what it misses. A density of y is that of the network over
// s.
//
// The model's x has two further columns for each channel of y: m of every channel, then log s of
// every channel. A Baseline has a mixed model for each channel.
type Baseline []mixed.Model

// columns returns the number of columns of x that the baseline adds.
func (b Baseline) columns() int { return 2 * len(b) }

// at returns m and log s of channel c at a point x [dx] in the model's units.
func (b Baseline) at(x []float32, c int) (mean, log float64) {
	first := len(x) - b.columns()
	return float64(x[first+c]), float64(x[first+len(b)+c])
}

// standardise sets the baseline's columns of x [n, dx] and standardises y [n, dy]. The first points
// of the function are its context; the other y may be unknown.
func (b Baseline) standardise(x, y []float32, context int) {
	dy := len(b)
	n := len(y) / dy
	dx := len(x) / n
	width := dx - b.columns()
	wide, known := make([]float64, n*width), make([]float64, context)
	for i := range n {
		copy(wide[i*width:], widened(x[i*dx:][:width]))
	}
	for c, m := range b {
		for i := range known {
			known[i] = float64(y[i*dy+c])
		}
		given := m.Given(wide[:context*width], known)
		for i := range n {
			mean, sd := given.Predict(wide[i*width:][:width])
			row := x[i*dx+width:][:2*dy]
			row[c], row[dy+c] = float32(mean), float32(math.Log(sd))
		}
	}
	for i := range y {
		mean, log := b.at(x[i/dy*dx:][:dx], i%dy)
		y[i] = float32((float64(y[i]) - mean) * math.Exp(-log))
	}
}

// CheckBaseline returns an error for a baseline that does not fit the columns.
func (s Scaling) CheckBaseline() error {
	if s.Baseline == nil {
		return nil
	}
	if len(s.Baseline) != len(s.YScale) {
		return fmt.Errorf("%d models for %d columns of y", len(s.Baseline), len(s.YScale))
	}
	for _, m := range s.Baseline {
		if err := m.Check(s.ScaledX()); err != nil {
			return err
		}
	}
	return nil
}
