package predict

import (
	"iter"
	"math"
	"strconv"

	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/random"
)

// Quantiles describes a quantiles.csv. The file always holds the components and the mean of each
// prediction; Levels and Draws add quantiles and draws.
type Quantiles struct {
	Names
	Levels []float64 // of the quantiles, in (0, 1)
	Draws  int       // draws per target and channel
	Seed   uint64    // of the draws
}

// The kinds of rows.
const (
	kindComponent = "component" // of the mixture; see Distribution
	kindMean      = "mean"
	kindQuantile  = "quantile"
	kindDraw      = "draw"
)

// kindColumns are the columns after channel.
var kindColumns = append([]tabular.Column{{Name: "kind", Kind: tabular.Text}}, numbers("u", "tau", "mu", "sigma", "weight", "level", "value")...)

// Write writes the predictions to a file, whole or not at all. The file is in long format, with the
// columns of Names, kind, u, tau, mu, sigma, weight, level, value. Columns
// that do not apply to a kind are empty. If data.log names the channel, mu and sigma are those of
// log y. Write returns the first error of the predictions.
func (q Quantiles) Write(path string, predictions iter.Seq2[Target, error]) error {
	return tabular.Write(path, tabular.FormatOf(path), q.typed(kindColumns), func(w tabular.Writer) error {
		ordered := inOrder{Names: q.Names, to: w}
		out := quantileRows{Quantiles: q, draws: random.New(q.Seed, random.Draws|random.Evaluation)}
		for t, err := range predictions {
			if err != nil {
				return err
			}
			err := ordered.target(t, func(put func([]string) error) error {
				out.put = put
				out.target(t)
				return out.err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// quantileRows writes the rows. It keeps the first error.
type quantileRows struct {
	Quantiles
	put   func(row []string) error
	err   error
	draws random.Generator
	row   []string
}

func (o *quantileRows) write() {
	if o.err == nil {
		o.err = o.put(o.row)
	}
}

func (o *quantileRows) target(t Target) {
	for channel, d := range t.Channels {
		o.row = o.Names.row(o.row[:0], t, channel)
		o.channel(t, channel, d)
	}
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
	for i := range o.Draws {
		add(kindDraw, noComponent, none, t.draw(o.draws, i, channel))
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
