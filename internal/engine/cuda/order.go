package cuda

import "github.com/acqnp/acqnp/internal/engine/plan"

// item is a unit, or the units of one half of a branch, forward or backward.
type item struct {
	units []*plan.Unit
	in    []*plan.Value // made by other items
	out   []*plan.Value // read by other items, or results

	forward, backward *branch // the branch of which the item is half; both nil for a unit
}

// itemOf returns the item of a single unit.
func itemOf(u *plan.Unit) *item { return &item{units: []*plan.Unit{u}, in: made(u.In), out: u.Outs()} }

// made returns the values that are not leaves.
func made(vs []*plan.Value) []*plan.Value {
	var out []*plan.Value
	for _, v := range vs {
		if v.Made != nil {
			out = append(out, v)
		}
	}
	return out
}

// order sorts items so that each comes after those whose results it reads. Of the items that could
// come next it takes the one that leaves the least memory in use; of several such, the first. It
// returns nil if there is no such order.
func order(items []*item) []*item {
	o := ordering{left: map[*plan.Value]int{}, done: map[*plan.Value]bool{}}
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
	left map[*plan.Value]int // the number of items that have yet to read a value
	done map[*plan.Value]bool
}

func (o *ordering) ready(it *item) bool {
	for _, v := range it.in {
		if !o.done[v] {
			return false
		}
	}
	return true
}

// growth returns by how many numbers the memory in use changes when the item has run.
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

func distinct(vs []*plan.Value) []*plan.Value {
	var out []*plan.Value
	seen := map[*plan.Value]bool{}
	for _, v := range vs {
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}
