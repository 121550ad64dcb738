// Package ops holds acqnp's own Gorgonia operations and the builder of graphs made of them.
//
// Every tensor of a graph is a matrix. Its rows count the members of an index space (Space), such
// as the points of all groups of a batch. The number of members follows from the sizes of a
// batch (Extents), which may differ from run to run. An operation (Op) declares the spaces that it
// reads and writes, so an engine can plan and tile a graph without guessing.
//
// All code of an operation is in one file: the Builder's method that checks shapes and adds the
// operation to a graph, the nodes of its gradient, and a plain kernel that is easy to read (see
// Evaluate). The packages engine/cpu and engine/cuda run the operations of linear.go in their own
// linear.go, and so on.
//
// Symbols in shapes: B groups in a batch, N_c context points and N points per group, N_τ
// levels per point (k bootstraps in a bootstrapping model), dx and dy columns of x and y.
package ops

import "fmt"

// Space is an index space: what the rows of a tensor count.
//
//	Group ─┬─ Context ── Resample
//	          ├─ Point ──── Row
//	          └─ Ensemble
//
// A space is an ancestor of the spaces to its right. To each of its rows belongs a run of
// consecutive rows of each of them, such as the points of a group and the levels of a point. A
// level is a quantile level or, in a bootstrapping model, a bootstrap.
type Space uint8

// The spaces and their numbers of rows. kernels/extents.h has the same numbers.
const (
	Parameter Space = iota // weights and biases, the same for the whole batch
	Scalar                 // 1: one number
	Group                  // B
	Ensemble               // B·N_τ: every level of a group
	Context                // B·N_c
	Resample               // B·N_c·N_τ: every level of a context point
	Point                  // B·N
	Row                    // B·N·N_τ: every level of a point
)

// spaces holds the name and the parent of every space.
var spaces = [...]struct {
	name   string
	parent Space
}{
	Parameter: {"parameter", Parameter},
	Scalar:    {"scalar", Parameter},
	Group:     {"group", Parameter},
	Ensemble:  {"ensemble", Group},
	Context:   {"context", Group},
	Resample:  {"resample", Context},
	Point:     {"point", Group},
	Row:       {"row", Point},
}

func (s Space) String() string { return spaces[s].name }

func (s Space) parent() Space { return spaces[s].parent }

// Extents are the sizes of one run: B, N_c, N and N_τ. Context may be 0, but not in a bootstrapping
// model. Levels is 0 in models without a quantile branch and without bootstraps.
type Extents struct{ Groups, Context, Points, Levels int }

// Rows returns how many rows a tensor of the space has.
func (e Extents) Rows(s Space) int {
	if s <= Scalar {
		return 1
	}
	if s == Group {
		return e.Groups
	}
	return e.Groups * e.Ratio(s, Group)
}

// memory returns the rows of a tensor of the space in memory. Gorgonia has no tensors without rows,
// so it is 1 for the space of context points if there are none.
func (e Extents) memory(s Space) int { return max(1, e.Rows(s)) }

// Fits reports whether a run of these extents fits a program compiled at capacity c.
func (e Extents) Fits(c Extents) bool {
	return e.Groups <= c.Groups && e.Context <= c.Context && e.Points <= c.Points && e.Levels <= c.Levels
}

func (e Extents) String() string {
	return fmt.Sprintf("%d groups, %d context points, %d points, %d levels", e.Groups, e.Context, e.Points, e.Levels)
}

// Ratio returns how many rows of the space child belong to one row of its ancestor.
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
			panic(fmt.Sprintf("ops: %v is not an ancestor of %v", ancestor, child))
		}
	}
	return r
}

// Contains reports whether s is an ancestor of child.
func (s Space) Contains(child Space) bool {
	if s <= Scalar {
		return child > Scalar
	}
	for child > Group {
		if child = child.parent(); child == s {
			return true
		}
	}
	return false
}
