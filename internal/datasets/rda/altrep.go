package rda

import (
	"fmt"
	"math"
)

// altrep reads one of R's alternative representations (version 3): a class, its state and its
// attributes. It knows the classes that the numbers and names of a data frame can have.
func (d *decoder) altrep() (*object, error) {
	info, err := d.object()
	if err != nil {
		return nil, err
	}
	state, err := d.object()
	if err != nil {
		return nil, err
	}
	if info.kind != typePairlist || info.items[0].kind != typeSymbol {
		return nil, fmt.Errorf("an alternative representation without a class")
	}
	var v *object
	switch class := info.items[0].text; class {
	case "compact_intseq", "compact_realseq":
		v, err = d.sequence(class == "compact_intseq", state)
	case "wrap_real", "wrap_integer", "wrap_string", "wrap_logical", "wrap_list":
		if len(state.items) == 0 {
			return nil, fmt.Errorf("an empty wrapper")
		}
		copied := *state.items[0] // the attributes below are those of the wrapper
		v = &copied
	case "deferred_string":
		v = &object{kind: typeString} // row names, which are not used
	default:
		return nil, fmt.Errorf("the alternative representation %.40q", class)
	}
	if err != nil {
		return nil, err
	}
	return v, d.attach(v)
}

// sequence expands a compact sequence, whose state is length, first and step.
func (d *decoder) sequence(whole bool, state *object) (*object, error) {
	if len(state.reals) != 3 {
		return nil, fmt.Errorf("a compact sequence with a state of %d numbers in place of 3", len(state.reals))
	}
	n, first, step := state.reals[0], state.reals[1], state.reals[2]
	if !(n >= 0 && n <= float64(d.values)) || n != math.Trunc(n) {
		return nil, fmt.Errorf("a compact sequence of length %g", n)
	}
	last := first + step*max(n-1, 0)
	if whole && !(math.Abs(first) <= math.MaxInt32 && math.Abs(last) <= math.MaxInt32) {
		return nil, fmt.Errorf("a compact sequence of integers from %g to %g", first, last)
	}
	d.values -= int(n)
	if !whole {
		v := &object{kind: typeReal, reals: make([]float64, int(n))}
		for i := range v.reals {
			v.reals[i] = first + step*float64(i)
		}
		return v, nil
	}
	v := &object{kind: typeInteger, ints: make([]int32, int(n))}
	for i := range v.ints {
		v.ints[i] = int32(first + step*float64(i))
	}
	return v, nil
}
