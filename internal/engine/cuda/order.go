package cuda

import (
	"slices"

	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// item is a unit, two units that one kernel computes, or the units of one half of a branch, forward
// or backward.
type item struct {
	units []*analysis.Unit
	in    []*analysis.Value // made by other items
	out   []*analysis.Value // read by other items, or results

	forward, backward *branch // the branch of which the item is half; both nil for a unit
}

// itemOf returns the item of a single unit.
func itemOf(u *analysis.Unit) *item {
	return &item{units: []*analysis.Unit{u}, in: made(u.In), out: u.Outs()}
}

// partner returns the unit that is computed together with u by one kernel; nil if there is none. The
// gradient of a mixture goes with its likelihood, and the gradient of a mean with the sum that it
// reads.
func partner(u *analysis.Unit) *analysis.Unit {
	if u.Op == nil {
		users := u.Out[0].Users
		if len(users) == 1 && !u.Out[0].Result && users[0].Op != nil && users[0].Op.Kind == ops.SetMeanGrad {
			return users[0]
		}
		return nil
	}
	if u.Op.Kind != ops.MixtureLik {
		return nil
	}
	for _, g := range u.In[0].Users {
		if g.Op != nil && g.Op.Kind == ops.MixtureLikGrad && slices.Equal(g.In[1:], u.In) && !dependsOn(g.In[0], u) {
			return g
		}
	}
	return nil
}

// dependsOn reports whether a value is computed from a result of u.
func dependsOn(v *analysis.Value, u *analysis.Unit) bool {
	return v.Made != nil && (v.Made == u || slices.ContainsFunc(v.Made.In, func(in *analysis.Value) bool { return dependsOn(in, u) }))
}

// pairOf returns the item of two units. The second may read a result of the first.
func pairOf(u, next *analysis.Unit) *item {
	it := &item{units: []*analysis.Unit{u, next}, in: made(u.In), out: u.Outs()}
	for _, v := range made(next.In) {
		if v.Made != u {
			it.in = append(it.in, v)
		}
	}
	it.out = append(it.out, next.Outs()...)
	return it
}

// made returns the values that are not leaves.
func made(vs []*analysis.Value) []*analysis.Value {
	var out []*analysis.Value
	for _, v := range vs {
		if v.Made != nil {
			out = append(out, v)
		}
	}
	return out
}

// order sorts items so that each comes after those whose results it reads. It returns nil if there is
// no such order: a branch reads a value that depends on its own result.
func order(items []*item) []*item {
	done := map[*analysis.Value]bool{}
	ready := func(it *item) bool {
		return !slices.ContainsFunc(it.in, func(v *analysis.Value) bool { return !done[v] })
	}
	var sorted []*item
	for rest := slices.Clone(items); len(rest) > 0; {
		i := slices.IndexFunc(rest, ready)
		if i < 0 {
			return nil
		}
		for _, v := range rest[i].out {
			done[v] = true
		}
		sorted, rest = append(sorted, rest[i]), slices.Delete(rest, i, i+1)
	}
	return sorted
}
