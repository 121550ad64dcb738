// Package table fits the linear mixed model of a formula by REML, for the table of an analyst: coefficients with their
// standard errors, and the deviation of each level. Nothing is predicted with it but the codes of crossed names, see Crossed.
package table

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/points"
)

// A Table is what was estimated, in the units of the outcome.
type Table struct {
	About        string        `json:"about"`          // one line: of which formula it is, and what it is not for
	Formula      string        `json:"formula"`        // as lme4 writes it
	Method       string        `json:"method"`         // REML or LeastSquares
	None         string        `json:"none,omitempty"` // why nothing is estimated
	Coefficients []Coefficient `json:"coefficients,omitempty"`
	Levels       []Level       `json:"levels,omitempty"`   // of the random intercepts, the inner groups first
	Residual     *Spread       `json:"residual,omitempty"` // of rows within groups
	Rows         int           `json:"rows"`               // that were used
	LeftOut      []string      `json:"left_out,omitempty"` // columns that follow from those before them
	Notes        []string      `json:"notes,omitempty"`    // what a reader must know of it, a line each
}

// A Coefficient is an effect that all groups share.
type Coefficient struct {
	Name     string  `json:"name"`
	Estimate float64 `json:"estimate"`
	Error    float64 `json:"standard_error"`
}

// A Level is a random intercept of groups, or their slope along a column.
type Level struct {
	Name   string `json:"name"`   // of their column; class:school for the classes in schools, Days of Subject for a slope
	Groups int    `json:"groups"` // with a row that was used
	Spread
	Correlation *float64 `json:"correlation,omitempty"` // of a slope with the intercept
}

// A Spread is a variance, and its root.
type Spread struct {
	Variance  float64 `json:"variance"`
	Deviation float64 `json:"standard_deviation"`
}

// The methods.
const (
	REML         = "REML"
	LeastSquares = "least squares"
)

// A Question says of what a table is asked.
type Question struct {
	Fixed        string   // the formula without groups
	Names        []string // of the columns of x, without the intercept
	Slopes       []int    // the columns of x along which groups may have slopes
	Group, Outer string   // columns of the groups and of those that they are in; "" for none
	Crossed      string   // a column of names that groups share, whose numbers are the last column of x; "" for none
}

// Intercept is the name of the constant, as R has it.
const Intercept = "(Intercept)"

// exact is the share of the variance of y below which the residual is rounding.
const exact = 1e-11

// Of returns the table of groups of points, whose x [n, Names] and y [n, 1] are the numbers that the formula means. Rows
// with a missing x are left out. A row of weight 2 counts as two rows.
func Of(groups []points.Group, q Question) Table {
	r := rowsOf(groups, q.Crossed != "", false)
	t := Table{Rows: len(r.y)}
	if dropped := r.dropped; dropped > 0 {
		t.Notes = append(t.Notes, invalid.Plural(dropped, "row", "rows")+" with a missing cell of x left out")
	}
	none := func(format string, args ...any) Table {
		t.None, t.Coefficients, t.Levels = fmt.Sprintf(format, args...), nil, nil
		return t
	}
	levels := t.levels(&r, q)
	t.about()
	if width := 1 + r.dx; width >= len(r.y) {
		return none("%s with the intercept for %s", invalid.Plural(width, "column", "columns"), invalid.Plural(len(r.y), "row", "rows"))
	}
	kept, left := r.independent()
	for _, c := range left {
		t.LeftOut = append(t.LeftOut, q.Names[c])
	}
	if left != nil {
		t.Notes = append(t.Notes, "left out, since the columns before them determine them: "+strings.Join(t.LeftOut, ", "))
	}
	s, closely := r.sums(kept), true
	at := s.at
	if q.Crossed != "" {
		c := r.crossing(kept)
		at, closely = c.at, len(c.n) < quick
	}
	theta, ok := minimise(at, levels, closely)
	var along *slopes
	if ok && len(levels) == 1 && levels[0] == inner && q.Outer == "" && q.Crossed == "" {
		if r.tooManySlopes(kept, q.Slopes) {
			t.Notes = append(t.Notes, fmt.Sprintf("whether groups differ in their slopes was not tried: %d groups and %s are too many", r.groups, invalid.Plural(len(q.Slopes), "column", "columns")))
		} else if along = r.bestSlope(at, theta, kept, q.Slopes); along != nil {
			at, levels = along.at, []int{inner, slope, together}
			theta, _ = minimise(at, levels, true)
			t.addSlope(q, along.column)
		}
	}
	if !ok {
		return none("the columns and the groups leave no residual of y")
	}
	e, ok := at(theta)
	if !ok || e.r2 < exact*r.squares() {
		return none("the columns and the groups leave no residual of y")
	}
	t.coefficients(e, r.units(kept), r.meanY, q.Names, kept)
	sigma := e.sigma() * r.scaleY
	if !t.finite(sigma) {
		return none("coefficients or variances beyond the range of numbers: other units of the columns")
	}
	t.Residual = &Spread{sigma * sigma, sigma}
	deviations := along.deviations(theta)
	for i := range t.Levels {
		deviation := deviations[levels[i]] * sigma
		if t.Levels[i].Spread = (Spread{deviation * deviation, deviation}); along != nil && levels[i] == slope {
			t.Levels[i].Correlation = &deviations[together]
		}
		if deviation == 0 {
			t.Notes = append(t.Notes, "the rows show no deviation of "+t.Levels[i].Name+" beyond that of their residuals (a singular fit)")
		}
	}
	return t
}

// about says of which formula the table is.
func (t *Table) about() {
	t.About = "of " + t.Formula + " by " + t.Method + ", unshrunk; predictions come from the mixture of models, not from this table"
}

// The levels of groups, as places of θ.
const (
	inner = iota
	outer
	together     // the correlation of slopes with intercepts
	slope    = 1 // which groups have that are in no others
)

// levels returns the places of θ that the rows can tell, sets the levels and the formula, and notes what they cannot tell.
func (t *Table) levels(r *rows, q Question) (told []int) {
	t.Formula, t.Method = q.Fixed, LeastSquares
	add := func(place int, name, grouping string, groups int) {
		told, t.Method = append(told, place), REML
		t.Levels = append(t.Levels, Level{Name: name, Groups: groups})
		if q.Crossed == "" {
			t.Formula = q.Fixed // the outer groups name the inner ones
		}
		t.Formula += " + (1 | " + grouping + ")"
	}
	groups, outers := r.groups, len(r.outers)
	name, cannot := q.Group, func(name string, groups int, each string) {
		why := "all rows are one " + name
		if groups > 1 {
			why = "each " + name + " has one " + each
		}
		t.Notes = append(t.Notes, why+", so that its deviation cannot be told")
	}
	if q.Outer != "" {
		name = q.Group + ":" + q.Outer
	}
	switch {
	case q.Group == "":
		t.Notes = append(t.Notes, "no groups: plain least squares")
	case r.tell(groups):
		add(inner, name, name, groups)
	default:
		cannot(name, groups, "row")
	}
	if q.Outer != "" {
		if outers > 1 && outers < groups {
			grouping := q.Outer
			if told != nil {
				grouping += "/" + q.Group
			}
			add(outer, q.Outer, grouping, outers)
		} else {
			cannot(q.Outer, outers, q.Group)
		}
	}
	if q.Crossed != "" {
		if r.tell(r.names) {
			add(outer, q.Crossed, q.Crossed, r.names)
		} else {
			cannot(q.Crossed, r.names, "row")
		}
	}
	if told == nil && q.Group != "" {
		t.Notes = append(t.Notes, "no level of groups is left: plain least squares")
	}
	return told
}

// coefficients sets the coefficients, T·β̃ of the scaled ones and the mean of y, and their errors: with the covariance
// σ²·(Rᵀ·R)⁻¹ of β̃, an error is σ·|row of T·R⁻¹|.
func (t *Table) coefficients(e estimate, units *mat.Dense, meanY float64, names []string, kept []int) {
	p, _ := units.Dims()
	var beta mat.VecDense
	var root mat.Dense
	beta.MulVec(units, e.beta())
	beta.SetVec(0, meanY+beta.AtVec(0))
	root.Mul(units, e.inverse())
	for i := range p {
		name := Intercept
		if i > 0 {
			name = names[kept[i-1]]
		}
		t.Coefficients = append(t.Coefficients, Coefficient{name, beta.AtVec(i), e.sigma() * mat.Norm(root.RowView(i), 2)})
	}
}

// finite reports whether the coefficients, their errors and the residual variance are finite.
func (t *Table) finite(sigma float64) bool {
	sum := sigma * sigma
	for _, c := range t.Coefficients {
		sum += math.Abs(c.Estimate) + c.Error
	}
	return !math.IsInf(sum, 0) && !math.IsNaN(sum)
}

// rows are the rows that are used, with x and y shifted and scaled to mean 0 and deviation 1.
type rows struct {
	x, y, weights []float64 // [n, dx], [n], [n]
	group         []int     // [n]: of each row
	name          []int     // [n]: the crossed name of each row; nil without
	outers        [][]int   // the groups in each outer group; all in one where there are none
	groups, names int
	dx            int
	dropped       int
	meanX, scaleX []float64 // [dx]
	meanY, scaleY float64
}

// rowsOf returns the rows whose x are all known or, with fill, all rows. Crossed says that the last column of x is the number
// of a name, which is counted by those that are used.
func rowsOf(groups []points.Group, crossed, fill bool) (r rows) {
	outers, names := map[string]int{}, map[float64]int{}
	for _, g := range groups {
		if r.dx = g.DX; crossed {
			r.dx--
		}
		used := false
		for i := range g.Y { // without x, Len says 0
			if !fill && slices.ContainsFunc(g.Row(i), math.IsNaN) {
				r.dropped++
				continue
			}
			used = true
			if crossed {
				name := g.Row(i)[r.dx]
				if _, seen := names[name]; !seen {
					names[name] = len(names)
				}
				r.name = append(r.name, names[name])
			}
			r.x, r.y = append(r.x, g.Row(i)[:r.dx]...), append(r.y, g.Y[i])
			r.weights, r.group = append(r.weights, g.Weight(i)), append(r.group, r.groups)
		}
		if !used {
			continue
		}
		at, seen := outers[g.Outer]
		if !seen {
			at = len(r.outers)
			outers[g.Outer] = at
			r.outers = append(r.outers, nil)
		}
		r.outers[at] = append(r.outers[at], r.groups)
		r.groups++
	}
	r.names = len(names)
	r.meanX, r.scaleX = make([]float64, r.dx), make([]float64, r.dx)
	for c := range r.dx {
		r.meanX[c], r.scaleX[c] = r.standardise(r.x, c, r.dx)
	}
	r.meanY, r.scaleY = r.standardise(r.y, 0, 1)
	return r
}

// takeLogs replaces y by its logarithm. It returns twice the sum of the logarithms, by weight.
func (r *rows) takeLogs() (sum float64) {
	for i, w := range r.weights {
		r.y[i] = math.Log(r.meanY + r.scaleY*r.y[i])
		sum += 2 * w * r.y[i]
	}
	r.meanY, r.scaleY = r.standardise(r.y, 0, 1)
	return sum
}

// tell reports whether rows tell the deviation of so many names from that of the residuals.
func (r *rows) tell(names int) bool { return names > 1 && names < len(r.y) }

// standardise shifts and scales a column of [n, width] and returns its mean and its deviation, which is 1 for a constant. A
// missing cell becomes the mean.
func (r *rows) standardise(all []float64, c, width int) (mean, deviation float64) {
	var n, known, squares, largest float64
	for i, w := range r.weights {
		n += w
		if v := all[i*width+c]; v == v {
			known += w
			mean += w / known * (v - mean)
			largest = max(largest, math.Abs(v))
		}
	}
	for i, w := range r.weights {
		if v := all[i*width+c]; v != v {
			all[i*width+c] = mean
		}
		all[i*width+c] -= mean
		share := all[i*width+c] / largest // whose square neither overflows nor vanishes
		squares += w * share * share
	}
	const rounding = 1e-14
	if deviation = math.Sqrt(squares/n) * largest; !(deviation > rounding*largest) {
		deviation = 1
	}
	for i := range r.weights {
		all[i*width+c] /= deviation
	}
	return mean, deviation
}

// units returns T [1+kept, 1+kept], which takes coefficients of the scaled columns to those of the columns.
func (r *rows) units(kept []int) *mat.Dense {
	t := mat.NewDense(1+len(kept), 1+len(kept), nil)
	t.Set(0, 0, r.scaleY)
	for k, c := range kept {
		t.Set(1+k, 1+k, r.scaleY/r.scaleX[c])
		t.Set(0, 1+k, -r.scaleY*r.meanX[c]/r.scaleX[c])
	}
	return t
}

// independent returns the columns of x that those before them do not determine, and the others, as the pivots of a
// Cholesky factor tell.
func (r *rows) independent() (kept, left []int) {
	const least = 1e-10 // of a column of deviation 1: the part that the others leave, squared
	n, gram := 0.0, make([]float64, r.dx*r.dx)
	for i, w := range r.weights {
		n += w
		row := r.x[i*r.dx:][:r.dx]
		for a, v := range row {
			for b := range a + 1 {
				gram[a*r.dx+b] += w * v * row[b]
			}
		}
	}
	var factor [][]float64 // [kept, up to the pivot]
	for c := range r.dx {
		row, pivot := make([]float64, 0, len(kept)+1), gram[c*r.dx+c]/n
		for k, of := range kept {
			v := gram[c*r.dx+of] / n
			for j, l := range row {
				v -= l * factor[k][j]
			}
			row = append(row, v/factor[k][k])
			pivot -= row[k] * row[k]
		}
		if !(pivot > least) {
			left = append(left, c)
			continue
		}
		kept, factor = append(kept, c), append(factor, append(row, math.Sqrt(pivot)))
	}
	return kept, left
}
