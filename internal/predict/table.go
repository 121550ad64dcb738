package predict

import (
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict/conformal"
	"github.com/acqnp/acqnp/internal/random"
)

// Table describes a predictions.csv: a row for each target and channel, in the order of the file of targets,
// with the columns of Names and of the values that are wanted. As JSON, a row is an object with
// the same names; regions are [[a,b],[c,d]] and modes [a,b], as they are lists in Parquet.
type Table struct {
	Names
	Wanted  []Value
	Seed    uint64 // of the draws
	Threads int    // that compute rows; at least 1
	Format  string // one of tabular.Formats, "" for CSV

	Calibrated *conformal.Calibration // corrects the levels of quantiles, the masses of regions and probabilities; may be nil
	Tails      *Tails                 // notes probabilities beyond the calibration
}

// draws returns how many draws are wanted.
func (t Table) draws() (n int) {
	for _, w := range t.Wanted {
		if w.Takes == Count {
			n = len(w.At)
		}
	}
	return n
}

// cellsAtOnce bounds the memory for the rows of a block of targets.
const cellsAtOnce = 1 << 16

// Write writes the predictions to a file, whole or not at all, in memory that does not depend on
// their number. It returns the first error of the predictions.
func (t Table) Write(path string, predictions iter.Seq2[Target, error]) error {
	columns := columnsOf(t.Wanted)
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
	target.Draws = target.draws(draws, 0, t.draws())
	for c, d := range target.Channels {
		a := Answer{Distribution: d, Channel: c, Question: t.Questions[target.Group], Target: target, Calibrated: t.Calibrated, Tails: t.Tails}
		rows[c] = a.appendCells(t.row(nil, target, c), t.Wanted)
	}
	return rows
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
	cells := float64(targets) * float64(len(t.YNames)) * float64(len(columnsOf(t.Wanted)))
	if cells > maxCells {
		return &invalid.Input{File: "--out", Found: fmt.Sprintf("%.3g numbers for %d targets", cells, targets),
			Expected: fmt.Sprintf("at most %d; ask for fewer targets, draws or values of the density", maxCells)}
	}
	return nil
}
