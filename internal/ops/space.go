// Package ops holds acqnp's own Gorgonia operations. Every tensor of a graph is a matrix whose rows count the points
// of an index space; every operation declares the spaces it reads, writes and sums over, so that an engine can plan
// and tile a graph without guessing.
package ops

import "fmt"

// Space is an index space: what the rows of a tensor count.
// Function is the parent of Context and of Point, Point is the parent of Row.
type Space uint8

const (
	Parameter Space = iota // weights and biases: the same for all
	Scalar                 // one number
	Function               // B rows
	Context                // B·N_c rows, the context points of a function side by side
	Point                  // B·N rows, the points of a function side by side
	Row                    // B·N·N_τ rows, the levels of a point side by side
)

func (s Space) String() string {
	return [...]string{"parameter", "scalar", "function", "context", "point", "row"}[s]
}

// Extents are the sizes of one run. Zero levels mean a model without a quantile branch.
type Extents struct{ Functions, Context, Points, Levels int }

// Rows is how many rows a tensor of the space has.
func (e Extents) Rows(s Space) int {
	switch s {
	case Function:
		return e.Functions
	case Context:
		return e.Functions * e.Context
	case Point:
		return e.Functions * e.Points
	case Row:
		return e.Functions * e.Points * e.Levels
	}
	return 1
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
	if ancestor == Parameter || ancestor == Scalar {
		return e.Rows(child)
	}
	if ancestor == child {
		return 1
	}
	switch {
	case ancestor == Function && child == Context:
		return e.Context
	case ancestor == Function && child == Point:
		return e.Points
	case ancestor == Function && child == Row:
		return e.Points * e.Levels
	case ancestor == Point && child == Row:
		return e.Levels
	}
	panic(fmt.Sprintf("ops: %v is no ancestor of %v", ancestor, child))
}

// Contains reports whether s is above child: one row of s belongs to many rows of child.
func (s Space) Contains(child Space) bool {
	switch s {
	case Parameter, Scalar:
		return child > Scalar
	case Function:
		return child > Function
	case Point:
		return child == Row
	}
	return false
}
