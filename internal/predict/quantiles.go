package predict

import (
	"encoding/csv"
	"io"
	"iter"
	"math"
	"strconv"

	"github.com/acqnp/acqnp/internal/atomicfile"
	"github.com/acqnp/acqnp/internal/random"
)

// Quantiles says what quantiles.csv holds besides the components and the mean of every prediction.
type Quantiles struct {
	XNames    []string   // column names of x
	YNames    []string   // names of the channels of y
	Functions []Function // that were predicted
	Levels    []float64  // quantiles asked for, in (0, 1)
	Draws     int        // draws per target and channel
	Seed      uint64     // of the draws
}

// The kinds of rows.
const (
	kindComponent = "component" // one quantile level; of Gaussian models, mean and standard deviation, with bootstraps of each
	kindMean      = "mean"
	kindQuantile  = "quantile"
	kindDraw      = "draw"
)

// Write makes the file of the predictions, whole or not at all, in long format: function, target (counted from 0
// within the function), x…, channel, kind, u, tau, mu, sigma, weight, level, value. What does not apply is empty.
// It stops at the predictions' first error and returns it.
func (q Quantiles) Write(path string, predictions iter.Seq2[Target, error]) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		out := quantileRows{Quantiles: q, csv: csv.NewWriter(w), draws: random.New(q.Seed, random.Draws|random.Evaluation)}
		out.header()
		for t, err := range predictions {
			if err != nil {
				return err
			}
			out.target(t)
			if err := out.csv.Error(); err != nil {
				return err
			}
		}
		out.csv.Flush()
		return out.csv.Error()
	})
}

// quantileRows writes row after row; errors stay with the csv.Writer.
type quantileRows struct {
	Quantiles
	csv   *csv.Writer
	draws random.Generator
	row   []string
}

func (o *quantileRows) header() {
	o.row = append(o.row[:0], "function", "target")
	o.row = append(o.row, o.XNames...)
	o.row = append(o.row, "channel", "kind", "u", "tau", "mu", "sigma", "weight", "level", "value")
	o.write()
}

func (o *quantileRows) write() { _ = o.csv.Write(o.row) } // csv.Writer keeps its first error

func (o *quantileRows) target(t Target) {
	f, dx := o.Functions[t.Function], len(o.XNames)
	for channel, d := range t.Channels {
		o.row = append(o.row[:0], f.Name, strconv.Itoa(t.Target))
		for _, v := range f.TargetX[t.Target*dx:][:dx] {
			o.row = append(o.row, number(v))
		}
		o.row = append(o.row, o.YNames[channel])
		o.channel(t, channel, d)
	}
}

// channel writes the rows of one channel behind the columns that o.row already has.
func (o *quantileRows) channel(t Target, channel int, d Distribution) {
	start := len(o.row)
	add := func(kind string, u, tau, mu, sigma, weight, level, value float64) {
		o.row = append(o.row[:start], kind, level32(u))
		for _, v := range [...]float64{tau, mu, sigma, weight, level, value} {
			o.row = append(o.row, number(v))
		}
		o.write()
	}
	none := math.NaN()
	for _, c := range d.Components() {
		add(kindComponent, c.U, c.Tau, c.Mu, c.Sigma, c.Weight, none, none)
	}
	add(kindMean, none, none, none, none, none, none, d.Mean())
	for _, p := range o.Levels {
		add(kindQuantile, none, none, none, none, none, p, d.Quantile(p))
	}
	step := uint64(t.Function)<<32 | uint64(t.Target)
	for i := range o.Draws {
		add(kindDraw, none, none, none, none, none, none, d.Draw(o.draws, step, uint64(i*len(t.Channels)+channel)))
	}
}

// number is the shortest text that reads back as v; empty for NaN, which stands for what does not apply.
func number(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// level32 is number for u, which is a float32 at heart.
func level32(u float64) string {
	if math.IsNaN(u) {
		return ""
	}
	return strconv.FormatFloat(u, 'g', -1, 32)
}
