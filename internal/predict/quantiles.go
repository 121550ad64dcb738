package predict

import (
	"cmp"
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
	Format string    // one of tabular.Formats, "" for what the file's name asks for
}

// The kinds of rows.
const (
	kindComponent = "component" // of the mixture; see Distribution
	kindMean      = "mean"
	kindQuantile  = "quantile"
	kindDraw      = "draw"
)

// kindColumns are the columns after channel.
var kindColumns = []tabular.Column{{Name: "kind", Kind: tabular.Text}, {Name: "u", Kind: tabular.Number}, {Name: "tau", Kind: tabular.Number}, {Name: "mu", Kind: tabular.Number},
	{Name: "sigma", Kind: tabular.Number}, {Name: "weight", Kind: tabular.Number}, {Name: "level", Kind: tabular.Number}, {Name: "value", Kind: tabular.Number}}

// Write writes the predictions to a file, whole or not at all. The file is in long format, with the
// columns of Names, kind, u, tau, mu, sigma, weight, level, value. Columns
// that do not apply to a kind are empty. If data.log names the channel, mu and sigma are those of
// log y. Write returns the first error of the predictions.
func (q Quantiles) Write(path string, predictions iter.Seq2[Target, error]) error {
	return tabular.Write(path, cmp.Or(q.Format, tabular.FormatOf(path)), q.typed(kindColumns), func(w tabular.Writer) error {
		ordered := inOrder{Names: q.Names, to: w}
		draws := random.New(q.Seed, random.Draws|random.Evaluation)
		for t, err := range predictions {
			if err != nil {
				return err
			}
			if err := ordered.target(t, func(yield func([]string) bool) { q.rows(t, draws, yield) }); err != nil {
				return err
			}
		}
		return nil
	})
}

// rows yields the rows of a target. The next row overwrites the last.
func (q Quantiles) rows(t Target, draws random.Generator, yield func([]string) bool) {
	var row []string
	none := math.NaN()
	noComponent := Component{none, likelihood.Component{Tau: none, Mu: none, Sigma: none, Weight: none}}
	drawn := t.draws(draws, 0, q.Draws)
	for channel, d := range t.Channels {
		row = q.row(row[:0], t, channel)
		start, more := len(row), true
		add := func(kind string, c Component, level, value float64) {
			row = append(row[:start], kind, level32(c.U))
			for _, v := range [...]float64{c.Tau, c.Mu, c.Sigma, c.Weight, level, value} {
				row = append(row, number(v))
			}
			more = more && yield(row)
		}
		for _, c := range d.Components() {
			add(kindComponent, c, none, none)
		}
		add(kindMean, noComponent, none, d.Mean())
		for _, p := range q.Levels {
			add(kindQuantile, noComponent, p, d.Quantile(p))
		}
		for i := 0; i < q.Draws && more; i++ {
			add(kindDraw, noComponent, none, drawn[i*len(t.Channels)+channel])
		}
		if !more {
			return
		}
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
