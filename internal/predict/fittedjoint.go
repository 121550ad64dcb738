package predict

import (
	"context"
	"slices"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// A fittedJoint is the revealer of what acqnp fit wrote. Where models see log y, a y that joins a context
// is at least a thousandth of the 0.99 quantile.
type fittedJoint struct {
	Fitted
	function Function
	known    []Function // of each draw: its context is the function's own and the revealed targets
}

func (f Fitted) revealer(functions []Function, draws int) (revealer, error) {
	for _, one := range functions {
		context, targets := len(one.ContextX)/len(f.X), len(one.TargetX)/len(f.X)
		if err := checkJoint(draws, targets, draws*(context+targets)*(f.width()+len(f.Y))); err != nil {
			return nil, err
		}
	}
	return &fittedJoint{Fitted: f, known: make([]Function, draws)}, nil
}

func (j *fittedJoint) begin(_ int, f Function) {
	j.function = f
	for n := range j.known {
		j.known[n] = Function{ContextX: slices.Clone(f.ContextX), ContextY: slices.Clone(f.ContextY)}
	}
}

func (j *fittedJoint) reveal(ctx context.Context, i int, choose func(draw int, channels []Distribution) []float64) error {
	x := j.function.TargetX[i*len(j.X):][:len(j.X)]
	for n := range j.known {
		if err := ctx.Err(); err != nil {
			return err
		}
		known := &j.known[n]
		channels := j.piece(*known, x)[0]
		y := choose(n, channels)
		for c, s := range j.Stacks {
			if s.SeesLog() {
				y[c] = max(y[c], channels[c].Quantile(0.99)/1000)
			}
		}
		known.ContextX, known.ContextY = append(known.ContextX, x...), append(known.ContextY, y...)
	}
	return nil
}

func (j *fittedJoint) sizes() (x, y int) { return len(j.X), len(j.Y) }

func (*fittedJoint) close() {}

// plausibleOfFit returns the range of plausible for a distribution of y.
func plausibleOfFit(d Distribution) likelihood.Interval {
	set := likelihood.HighestDensity(d.Distribution, 0.95)
	low, high := set[0].Low, set[len(set)-1].High
	return likelihood.Interval{Low: 2*low - high, High: 2*high - low}
}
