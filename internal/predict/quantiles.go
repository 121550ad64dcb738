package predict

import (
	"encoding/csv"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/acqnp/acqnp/internal/atomicfile"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/random"
)

// Quantiles describes a quantiles.csv. The file always holds the components and the mean of each
// prediction; Levels and Draws add quantiles and draws.
type Quantiles struct {
	XNames    []string                      // column names of x
	XText     func(c int, v float64) string // the text of a raw number of column c of x; nil for numbers
	YNames    []string                      // names of the channels of y
	Functions []Function                    // that were predicted
	Levels    []float64                     // of the quantiles, in (0, 1)
	Draws     int                           // draws per target and channel
	Seed      uint64                        // of the draws
}

// The kinds of rows.
const (
	kindComponent = "component" // of the mixture; see Distribution
	kindMean      = "mean"
	kindQuantile  = "quantile"
	kindDraw      = "draw"
)

// The columns around those of x.
var (
	before = []string{"function", "target"}
	after  = []string{"channel", "kind", "u", "tau", "mu", "sigma", "weight", "level", "value"}
)

// Write writes the predictions to a file, whole or not at all. The file is in long format, with the
// columns function, target (counted from 0 within the function), x…, channel, kind, u, tau, mu,
// sigma, weight, level, value. An x with the name of another column gets the prefix x_. Columns
// that do not apply to a kind are empty. If data.log names the channel, mu and sigma are those of
// log y. Write returns the first error of the predictions.
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

// quantileRows writes the rows. Errors stay in csv.
type quantileRows struct {
	Quantiles
	csv   *csv.Writer
	draws random.Generator
	row   []string
}

func (o *quantileRows) header() {
	o.row = append(o.row[:0], before...)
	o.row = append(o.row, columnNames(o.XNames)...)
	o.row = append(o.row, after...)
	o.write()
}

// columnNames returns the names that the columns of x have in quantiles.csv: their own, with the
// prefix x_ as often as it takes to make them different from all others.
func columnNames(x []string) []string {
	names := slices.Clone(x)
	for i, name := range names {
		for slices.Contains(before, name) || slices.Contains(after, name) || name != x[i] && slices.Contains(names, name) {
			name = "x_" + name
		}
		names[i] = name
	}
	return names
}

func (o *quantileRows) write() { _ = o.csv.Write(o.row) } // csv.Writer keeps its first error

func (o *quantileRows) target(t Target) {
	f, dx := o.Functions[t.Function], len(o.XNames)
	for channel, d := range t.Channels {
		o.row = append(o.row[:0], f.Name, strconv.Itoa(t.Target))
		for c, v := range f.TargetX[t.Target*dx:][:dx] {
			o.row = append(o.row, o.xText(c, v))
		}
		o.row = append(o.row, o.YNames[channel])
		o.channel(t, channel, d)
	}
}

func (o *quantileRows) xText(c int, v float64) string {
	if o.XText != nil {
		return o.XText(c, v)
	}
	return number(v)
}

// channel writes the rows of one channel. o.row already holds the columns before kind.
func (o *quantileRows) channel(t Target, channel int, d Distribution) {
	start := len(o.row)
	add := func(kind string, c Component, level, value float64) {
		o.row = append(o.row[:start], kind, level32(c.U))
		for _, v := range [...]float64{c.Tau, c.Mu, c.Sigma, c.Weight, level, value} {
			o.row = append(o.row, number(v))
		}
		o.write()
	}
	none := math.NaN()
	noComponent := Component{none, likelihood.Component{Tau: none, Mu: none, Sigma: none, Weight: none}}
	for _, c := range d.Components() {
		add(kindComponent, c, none, none)
	}
	add(kindMean, noComponent, none, d.Mean())
	for _, p := range o.Levels {
		add(kindQuantile, noComponent, p, d.Quantile(p))
	}
	step := uint64(t.Function)<<32 | uint64(t.Target)
	for i := range o.Draws {
		add(kindDraw, noComponent, none, d.Draw(o.draws, step, uint64(i*len(t.Channels)+channel)))
	}
}

// number returns the shortest text that reads back as v. It returns "" for NaN, which marks a
// column that does not apply.
func number(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// level32 returns the shortest text that reads back as the float32 u, and "" for NaN.
func level32(u float64) string {
	if math.IsNaN(u) {
		return ""
	}
	return strconv.FormatFloat(u, 'g', -1, 32)
}
