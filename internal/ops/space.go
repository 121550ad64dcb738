// Package ops holds acqnp's own Gorgonia operations. Every tensor of a graph is a matrix whose rows count the points
// of an index space; every operation declares the spaces it reads, writes and sums over, so that an engine can plan
// and tile a graph without guessing.
package ops

import "fmt"

// Space is an index space: what the rows of a tensor count.
//
//	Function ─┬─ Context ── Resample
//	          ├─ Point ──── Row
//	          └─ Ensemble
//
// A level is a quantile level or, in a bootstrapping model, a bootstrap.
type Space uint8

const (
	Parameter Space = iota // weights and biases: the same for all
	Scalar                 // one number
	Function               // B rows
	Ensemble               // B·N_τ rows, the levels of a function side by side
	Context                // B·N_c rows, the context points of a function side by side
	Resample               // B·N_c·N_τ rows, the levels of a context point side by side
	Point                  // B·N rows, the points of a function side by side
	Row                    // B·N·N_τ rows, the levels of a point side by side
)

func (s Space) String() string {
	return [...]string{"parameter", "scalar", "function", "ensemble", "context", "resample", "point", "row"}[s]
}

// parent is the space next above, one of whose rows belongs to a run of rows of s.
func (s Space) parent() Space {
	switch s {
	case Row:
		return Point
	case Resample:
		return Context
	case Point, Context, Ensemble:
		return Function
	}
	return Parameter
}

// Extents are the sizes of one run. Zero levels mean a model without a quantile branch or bootstraps.
type Extents struct{ Functions, Context, Points, Levels int }

// Rows is how many rows a tensor of the space has.
func (e Extents) Rows(s Space) int {
	if s <= Scalar {
		return 1
	}
	if s == Function {
		return e.Functions
	}
	return e.Functions * e.Ratio(s, Function)
}

// Fits reports whether a run of these extents fits a program compiled at capacity c.
func (e Extents) Fits(c Extents) bool {
	return e.Functions <= c.Functions && e.Context <= c.Context && e.Points <= c.Points && e.Levels <= c.Levels
}

func (e Extents) String() string {
	return fmt.Sprintf("%d functions, %d context points, %d points, %d levels", e.Functions, e.Context, e.Points, e.Levels)
}

// Ratio is how many rows of the space child belong to one row of its ancestor.
func (e Extents) Ratio(child, ancestor Space) int {
	if ancestor <= Scalar {
		return e.Rows(child)
	}
	r := 1
	for s := child; s != ancestor; s = s.parent() {
		switch s {
		case Row, Resample, Ensemble:
			r *= e.Levels
		case Point:
			r *= e.Points
		case Context:
			r *= e.Context
		default:
			panic(fmt.Sprintf("ops: %v is no ancestor of %v", ancestor, child))
		}
	}
	return r
}

// Contains reports whether s is above child: one row of s belongs to a run of rows of child.
func (s Space) Contains(child Space) bool {
	if s <= Scalar {
		return child > Scalar
	}
	for child > Function {
		if child = child.parent(); child == s {
			return true
		}
	}
	return false
}
