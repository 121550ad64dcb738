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

// order sorts items so that each comes after those whose results it reads. Of the items that could
// come next, it takes the first of those that leave the least memory in use. It returns nil if
// there is no such order.
func order(items []*item) []*item {
	o := ordering{left: map[*analysis.Value]int{}, done: map[*analysis.Value]bool{}}
	for _, it := range items {
		for _, v := range distinct(it.in) {
			o.left[v]++
		}
	}
	rest := append([]*item{}, items...)
	var sorted []*item
	for len(rest) > 0 {
		best := -1
		for i, it := range rest {
			if o.ready(it) && (best < 0 || o.growth(it) < o.growth(rest[best])) {
				best = i
			}
		}
		if best < 0 {
			return nil // a branch reads a value that depends on its own result
		}
		it := rest[best]
		rest = append(rest[:best], rest[best+1:]...)
		o.take(it)
		sorted = append(sorted, it)
	}
	return sorted
}

// ordering is the state of order.
type ordering struct {
	left map[*analysis.Value]int // the number of items that have yet to read a value
	done map[*analysis.Value]bool
}

func (o *ordering) ready(it *item) bool {
	for _, v := range it.in {
		if !o.done[v] {
			return false
		}
	}
	return true
}

// growth returns the change of the memory in use after the item has run, in numbers.
func (o *ordering) growth(it *item) int {
	n := 0
	for _, v := range it.out {
		n += v.Rows * v.Width
	}
	for _, v := range distinct(it.in) {
		if o.left[v] == 1 && !v.Result {
			n -= v.Rows * v.Width
		}
	}
	return n
}

func (o *ordering) take(it *item) {
	for _, v := range distinct(it.in) {
		o.left[v]--
	}
	for _, v := range it.out {
		o.done[v] = true
	}
}

func distinct(vs []*analysis.Value) []*analysis.Value {
	var out []*analysis.Value
	seen := map[*analysis.Value]bool{}
	for _, v := range vs {
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}
