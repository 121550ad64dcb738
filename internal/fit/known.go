package fit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// column returns the raw points whose column c of y is known, as models see them.
func (f Fitted) column(c int, raw points.Points) points.Points {
	seen, exposures := raw, f.exposures(c, raw.X)
	seen.X, seen.Y, seen.DX, seen.DY = f.ModelX(raw.X), nil, f.width(), 1
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

// exposures returns the units of column c of y at raw x [n, columns of x], by the offsets of the formula: y of these
// units is what models see. It is nil without offsets. offset(log(days)) is a factor, as in models of log y, and
// offset(z) is added to y or, where the formula says log(y), to its logarithm.
func (f Fitted) exposures(c int, x []float64) (all []likelihood.Units) {
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

// addsTo reports whether an offset is added to column c of y, so that what models see has no logarithm.
func (f Fitted) addsTo(c int) bool {
	return !f.LogY[c] && slices.ContainsFunc(f.XForms, func(form rows.Form) bool { return form.Offset && !form.Log })
}

// known returns the known points of column c of y, of raw ones. A y beyond a bound counts as the bound. One of 0 or
// less counts as the least of the data where models take logarithms of y, see Warn.
func (f Fitted) known(c int, raw points.Points) points.Points {
	s, low := f.Stacks[c], f.YRanges[c].Low
	raw = points.New(raw.DX, raw.DY, raw.X, slices.Clone(raw.Y))
	for i := range raw.Len() {
		y := &raw.RowY(i)[c]
		if *y = s.Outcome.Nearest(*y); *y <= 0 && s.SeesLog() && low > 0 {
			*y = low
		}
	}
	return f.column(c, raw)
}

// mostExposure bounds the factors of y by the offsets of a formula, and one over them: y, of at most 3.4e38, times such a
// factor has a square.
const mostExposure = 1e100

// checkOffsets returns an *invalid.Input, without a file, if the offsets at raw x [n, columns of x] are too large.
func (f Fitted) checkOffsets(x []float64) *invalid.Input {
	for c := range f.Y {
		for i, u := range f.exposures(c, x) {
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
func (f Fitted) CheckPoints(context, targets string, questions []points.Question) error {
	for _, q := range questions {
		if bad := f.checkOffsets(q.Known.X); bad != nil {
			bad.File = context
			return bad
		}
		if bad := f.checkOffsets(q.Targets.X); bad != nil {
			bad.File = targets
			return bad
		}
	}
	return nil
}
