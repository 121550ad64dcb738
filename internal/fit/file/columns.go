package file

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// Columns are the columns of the data, and what the rows that were used say of them.
type Columns struct {
	Group     string           `json:"group"`             // the column that names groups; "" if all rows are one
	Outer     string           `json:"outer,omitempty"`   // the column of the groups that these are in; "" for one level
	Crossed   string           `json:"crossed,omitempty"` // the column of x with names that groups share; "" for none
	X         []string         `json:"x"`
	Y         []string         `json:"y"`
	XForms    []rows.Form      `json:"x_forms"`
	Order     []int            `json:"order"`              // the columns of x as models see them, whatever their order in the formula
	Ranges    []datasets.Range `json:"x_ranges"`           // of the data, of each column of x
	Censored  string           `json:"censored,omitempty"` // the column that says which y are limits; "" for none
	LogY      []bool           `json:"log_y"`              // whether the formula says log(y), of each column of y
	YForms    []rows.Form      `json:"y_forms"`            // how numbers of each column of y are written
	YRanges   []datasets.Range `json:"y_ranges"`
	Rows      int              `json:"rows"`                 // that were used
	EqualRows int              `json:"equal_rows,omitempty"` // of these: equal to another of their group
	Missing   []int            `json:"x_missing"`            // how many of them lack a cell, of each column of x
}

// Layout returns how files of points are read.
func (f *Columns) Layout() rows.Layout {
	l := rows.Layout{X: f.X, Y: f.Y, XForms: f.XForms, YForms: f.YForms, DropMissing: true, PartialY: true, LimitsOfY: true, Censored: f.Censored}
	if f.Group != "" {
		l.Groups, l.Outer = []string{f.Group}, f.Outer
	}
	return l
}

// OuterOf returns the outer group of a group, "" for one level.
func (f *Columns) OuterOf(group string) string {
	if f.Outer == "" {
		return ""
	}
	return rows.OuterOf(group)
}

// Width returns the number of columns of x that models see: one for each name of a column of names.
func (f *Columns) Width() int { return len(f.ModelX(make([]float64, len(f.X)))) }

// ordered reports whether Order has each column of x once.
func (f *Columns) ordered() bool {
	return slices.Equal(slices.Sorted(slices.Values(f.Order)), points.Spread(len(f.X), len(f.X)))
}

// ModelX returns what the models see of raw x [n, columns of x]: logarithms and one-hot names, of the columns in Order.
func (f *Columns) ModelX(raw []float64) []float64 {
	var x []float64
	for row := range slices.Chunk(raw, len(f.X)) {
		for _, c := range f.Order {
			x = f.XForms[c].AppendNumbers(x, row[c])
		}
	}
	return x
}

// MissingIn counts the points that lack a cell, of each column of x.
func MissingIn(p points.Points) []int {
	count := make([]int, p.DX)
	for i, v := range p.X {
		if math.IsNaN(v) {
			count[i%p.DX]++
		}
	}
	return count
}

// Seen returns the raw points whose column c of y is known, as models see them.
func (f *Columns) Seen(c int, raw points.Points) points.Points {
	seen, exposures := raw, f.Exposures(c, raw.X)
	seen.X, seen.Y, seen.DX, seen.DY, seen.Censored = f.ModelX(raw.X), nil, f.Width(), 1, raw.CensoredY(c)
	var known []int
	for i := range raw.Len() {
		v := raw.RowY(i)[c]
		if !math.IsNaN(v) {
			known = append(known, i)
		}
		if exposures != nil {
			v = (v - exposures[i].Offset) / exposures[i].Factor
			seen.Factor = append(seen.Factor, exposures[i].Factor)
		}
		seen.Y = append(seen.Y, v)
	}
	return seen.Take(known)
}

// Exposures returns the units of column c of y at raw x [n, columns of x], by the offsets of the formula: y of these
// units is what models see. It is nil without offsets. offset(log(days)) is a factor, as in models of log y, and
// offset(z) is added to y or, where the formula says log(y), to its logarithm.
func (f *Columns) Exposures(c int, x []float64) (all []likelihood.Units) {
	for k, form := range f.XForms {
		if !form.Offset {
			continue
		}
		if all == nil {
			all = slices.Repeat([]likelihood.Units{{Factor: 1}}, len(x)/len(f.X))
		}
		for i := range all {
			switch v := x[i*len(f.X)+k]; {
			case form.Log:
				all[i].Factor *= v
			case f.LogY[c]:
				all[i].Factor *= math.Exp(v)
			default:
				all[i].Offset += v
			}
		}
	}
	return all
}

// AddsTo reports whether an offset is added to column c of y, so that what models see has no logarithm.
func (f *Columns) AddsTo(c int) bool {
	return !f.LogY[c] && slices.ContainsFunc(f.XForms, func(form rows.Form) bool { return form.Offset && !form.Log })
}

// Known returns the known points of column c of y, of raw ones, as models see them.
func (f *Fit) Known(c int, raw points.Points) points.Points { return f.Seen(c, f.Clamped(c, raw)) }

// Clamped returns raw points whose column c of y has values that the data can have. A y beyond a bound counts as the bound.
// One of 0 or less counts as the least of the data where logarithms of y are taken, of which answers warn.
func (f *Fit) Clamped(c int, raw points.Points) points.Points {
	s, low := f.Stacks[c], f.YRanges[c].Low
	raw = points.Points{X: raw.X, Y: slices.Clone(raw.Y), Censored: raw.Censored, DX: raw.DX, DY: raw.DY}
	for i := range raw.Len() {
		y := &raw.RowY(i)[c]
		if *y = s.Outcome.Nearest(*y); *y <= 0 && low > 0 && f.TakesLogs(c) {
			*y = low
		}
	}
	return raw
}

// TakesLogs reports whether logarithms of column c of y are taken: by models, or by the one that codes crossed names.
func (f *Fit) TakesLogs(c int) bool {
	return f.Stacks[c].SeesLog() || f.CrossedModels != nil && f.CrossedModels[c].Log
}

// mostExposure bounds the factors of y by the offsets of a formula, and one over them: y, of at most 3.4e38, times such a
// factor has a square.
const mostExposure = 1e100

// CheckOffsets returns an *invalid.Input, without a file, if the offsets at raw x [n, columns of x] are too large.
func (f *Columns) CheckOffsets(x []float64) *invalid.Input {
	for c := range f.Y {
		for i, u := range f.Exposures(c, x) {
			if u.Factor >= 1/mostExposure && u.Factor <= mostExposure {
				continue
			}
			var keys, found []string
			for k, form := range f.XForms {
				if v := x[i*len(f.X)+k]; form.Offset {
					keys, found = append(keys, f.X[k]), append(found, form.Text(v))
				}
			}
			most := fmt.Sprintf("%.0f", math.Log(mostExposure))
			return &invalid.Input{Key: strings.Join(keys, ", "), Found: strings.Join(found, ", ") + " as an offset",
				Expected: fmt.Sprintf("offsets of the logarithm of %s between -%s and %s: it is multiplied by their exponential", f.Y[c], most, most)}
		}
	}
	return nil
}

// CheckPoints returns an *invalid.Input for points of these files whose offsets are too large.
func (f *Columns) CheckPoints(context, targets string, questions []points.Question) error {
	for _, q := range questions {
		if bad := f.CheckOffsets(q.Known.X); bad != nil {
			bad.File = context
			return bad
		}
		if bad := f.CheckOffsets(q.Targets.X); bad != nil {
			bad.File = targets
			return bad
		}
	}
	return nil
}
