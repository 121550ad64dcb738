package predict

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/predict/conformal"
	"github.com/acqnp/acqnp/internal/random"
)

// Table describes a predictions.csv: a row for each target and channel, in the order of the file of targets,
// with the columns of Names, mean, sd, and those that its fields add. As JSON, a row is an object with
// the same names; regions are [[a,b],[c,d]] and modes [a,b], as they are lists in Parquet.
type Table struct {
	Names
	Levels  []float64 // column q0.05, …: quantiles at these levels, in (0, 1), approximate to 1e-9 of a σ
	Masses  []float64 // column hdr0.9, …: highest-density regions "a:b;c:d" of these masses, in (0, 1)
	Density []float64 // column density1.5, …: the density at these y
	CDF     []float64 // column cdf1.5, …: the probability of a y up to these
	Exceed  []float64 // column exceed1.5, …: the probability of more than these y
	Origins bool      // columns known_fit, known_context: the known points of the group, see Question.Recalled
	Nested  bool      // column known_beside: those of the other groups in its outer group
	Modes   bool      // column modes, "a;b": the peaks of the density
	Draws   int       // columns draw1, …: the target's joint draws, or independent ones
	Seed    uint64    // of the draws
	Threads int       // that compute rows; at least 1
	Format  string    // one of tabular.Formats, "" for CSV
	Parts   bool      // with tabular.JSON, the key components: see Distribution.AppendComponents

	Calibrated *conformal.Calibration // corrects the levels of quantiles, the masses of regions and probabilities; may be nil
}

// columns returns the columns after channel.
func (t Table) columns() []tabular.Column {
	var columns []tabular.Column
	if t.Origins {
		columns = []tabular.Column{{Name: "known_fit", Kind: tabular.Integer}, {Name: "known_context", Kind: tabular.Integer}}
	}
	if t.Nested {
		columns = append(columns, tabular.Column{Name: "known_beside", Kind: tabular.Integer})
	}
	columns = append(columns, numbers("mean", "sd")...)
	for _, list := range []struct {
		prefix string
		kind   tabular.Kind
		values []float64
	}{{"q", tabular.Number, t.Levels}, {"hdr", tabular.Pairs, t.Masses}, {"density", tabular.Number, t.Density}, {"cdf", tabular.Number, t.CDF}, {"exceed", tabular.Number, t.Exceed}} {
		for _, v := range list.values {
			columns = append(columns, tabular.Column{Name: list.prefix + number(v), Kind: list.kind})
		}
	}
	if t.Modes {
		columns = append(columns, tabular.Column{Name: "modes", Kind: tabular.Numbers})
	}
	for i := range t.Draws {
		columns = append(columns, tabular.Column{Name: "draw" + strconv.Itoa(i+1), Kind: tabular.Number})
	}
	if t.Parts {
		columns = append(columns, tabular.Column{Name: "components", Kind: tabular.Object})
	}
	return columns
}

// cellsAtOnce bounds the memory for the rows of a block of targets.
const cellsAtOnce = 1 << 16

// Write writes the predictions to a file, whole or not at all, in memory that does not depend on
// their number. It returns the first error of the predictions.
func (t Table) Write(path string, predictions iter.Seq2[Target, error]) error {
	columns := t.columns()
	return tabular.Write(path, t.Format, t.typed(columns), func(out tabular.Writer) error {
		ordered := inOrder{Names: t.Names, to: out}
		size := max(1, cellsAtOnce/(len(columns)*max(1, len(t.YNames))))
		draws := random.New(t.Seed, random.Draws|random.Evaluation)
		rows := func(target Target) ([][]string, error) { return t.target(target, draws), nil }
		return compute(predictions, size, t.Threads, rows, func(target Target, rows [][]string) error {
			return ordered.target(target, slices.Values(rows))
		})
	})
}

// target returns the rows of one target, one for each channel.
func (t Table) target(target Target, draws random.Generator) [][]string {
	rows := make([][]string, len(target.Channels))
	drawn := target.draws(draws, 0, t.Draws)
	for c, d := range target.Channels {
		row := t.row(nil, target, c)
		if t.Origins {
			recalled := t.Questions[target.Function].Recalled
			row = append(row, strconv.Itoa(recalled), strconv.Itoa(target.Known-recalled))
		}
		if t.Nested {
			row = append(row, strconv.Itoa(t.Questions[target.Function].KnownOfSiblings()))
		}
		row = append(row, number(d.Mean()), number(math.Sqrt(d.Variance())))
		known := target.KnownOf(c)
		levels, masses := t.Calibrated.Corrected(c, known, t.Levels, t.Masses)
		for _, q := range likelihood.ApproximateQuantiles(d.Distribution, levels...) {
			row = append(row, number(q))
		}
		for _, set := range likelihood.HighestDensities(d.Distribution, masses...) {
			row = append(row, regionText(set))
		}
		for _, p := range likelihood.Densities(d.Distribution, t.Density) {
			row = append(row, number(p))
		}
		for _, y := range t.CDF {
			row = append(row, number(t.Calibrated.CDF(c, known, d.CDF(y))))
		}
		for _, y := range t.Exceed {
			row = append(row, number(t.Calibrated.Survival(c, known, d.Survival(y))))
		}
		if t.Modes {
			var modes []string
			for _, y := range likelihood.Modes(d.Distribution) {
				modes = append(modes, number(y))
			}
			row = append(row, strings.Join(modes, ";"))
		}
		for i := range t.Draws {
			row = append(row, number(drawn[i*len(rows)+c]))
		}
		if t.Parts {
			row = append(row, string(d.AppendComponents(nil)))
		}
		rows[c] = row
	}
	return rows
}

// regionText returns "a:b;c:d" for the intervals from a to b and from c to d.
func regionText(set []likelihood.Interval) string {
	intervals := make([]string, len(set))
	for i, s := range set {
		intervals[i] = number(s.Low) + ":" + number(s.High)
	}
	return strings.Join(intervals, ";")
}

// The largest number of values of a density, of draws, and of numbers in a file.
const (
	MaxDensity = 100_000
	MaxDraws   = 100_000
	maxCells   = 1_000_000_000
)

// ParseDensity returns the y that the value of a field, "A:B:N", asks for. They are
// rounded to the 12 digits that names of columns show. An error is an *invalid.Input.
func ParseDensity(field, text string) ([]float64, error) {
	y, err := rows.ParseRange(field, text, rows.Form{}, MaxDensity)
	for i, v := range y {
		rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64) // text of a float64 parses
		if i > 0 && rounded == y[i-1] {
			return nil, &invalid.Input{Key: field, Found: strconv.Quote(text), Expected: "A:B:N with N values that differ in 12 digits"}
		}
		y[i] = rounded
	}
	return y, err
}

// CheckSize returns an *invalid.Input if the predictions of a number of targets make too large a file.
func (t Table) CheckSize(targets int) error {
	cells := float64(targets) * float64(len(t.YNames)) * float64(len(t.columns()))
	if cells > maxCells {
		return &invalid.Input{File: "--out", Found: fmt.Sprintf("%.3g numbers for %d targets", cells, targets),
			Expected: fmt.Sprintf("at most %d; ask for fewer targets, draws or values of the density", maxCells)}
	}
	return nil
}
