package datasets

import (
	"slices"

	"github.com/acqnp/acqnp/internal/random"
)

// alike bounds the sizes of the functions that share a batch: each has less than alike times as
// many points as another. So no function is cut to less than half of its points.
const alike = 2

// rounds puts training functions into batches of similar sizes. The functions are sorted into
// groups; a batch is of one group.
//
// A round has as many batches as there are functions, n. Each function takes part in it batchSize
// times, and a group of m functions has m of its batches. Within a round, every n/batchSize batches
// are an epoch, in which each function takes part about once: exactly once if all functions are of
// one group and batchSize divides n. A group goes through its functions in one random order after
// another.
type rounds struct {
	batchSize int
	groups    [][]int // the functions of each group
	of        []int   // [n]: the groups, each as often as it has functions
	random    random.Generator

	round    int   // the round of schedule, visit; −1 for none
	schedule []int // [n]: the group of each batch of the round
	visit    []int // [n]: how many batches of that group come before it
	orders   []order
}

// An order is a random order of the functions of a group.
type order struct {
	round, pass int // −1 for none
	functions   []int
}

// newRounds returns the rounds of functions with the given sizes.
func newRounds(functions, sizes []int, batchSize int, g random.Generator) *rounds {
	bySize := make([]int, len(functions))
	for k := range bySize {
		bySize[k] = k
	}
	slices.SortStableFunc(bySize, func(a, b int) int { return sizes[a] - sizes[b] })
	r := &rounds{batchSize: batchSize, random: g, round: -1}
	least := 0
	for _, k := range bySize {
		if least == 0 || sizes[k] >= alike*least {
			least = sizes[k]
			r.groups = append(r.groups, nil)
		}
		last := len(r.groups) - 1
		r.groups[last] = append(r.groups[last], functions[k])
		r.of = append(r.of, last)
	}
	r.schedule, r.visit = make([]int, len(functions)), make([]int, len(functions))
	r.orders = make([]order, len(r.groups))
	for i := range r.orders {
		r.orders[i] = order{round: -1, functions: make([]int, len(r.groups[i]))}
	}
	return r
}

// Steps of the random stream within a round. A round has 2³² of them: one for the order of its
// epochs, one for each epoch, and one for each pass of each group over its functions. A batch has at
// most 2¹⁶ functions, so there are as many epochs and passes at most.
const (
	roundStep = 1 << 32
	epochStep = 1
	passStep  = 1 << 17
)

// fill sets dst [batchSize] to the functions of a batch.
func (r *rounds) fill(batch int, dst []int) {
	n := len(r.schedule)
	r.begin(batch / n)
	group, visit := r.schedule[batch%n], r.visit[batch%n]
	m := len(r.groups[group])
	for b := range dst {
		at := visit*r.batchSize + b
		dst[b] = r.order(group, at/m)[at%m]
	}
}

// begin makes the schedule of a round, unless it is there. Epoch e takes every batchSize-th of the
// n batches sorted by group, so each has its share of every group.
func (r *rounds) begin(round int) {
	if r.round == round {
		return
	}
	r.round = round
	first := uint64(round) * roundStep
	epochs := make([]int, min(r.batchSize, len(r.of)))
	r.random.Perm(first, epochs)
	schedule := r.schedule[:0]
	for e, offset := range epochs {
		from := len(schedule)
		for k := offset; k < len(r.of); k += r.batchSize {
			schedule = append(schedule, r.of[k])
		}
		epoch := schedule[from:]
		for i := range epoch { // Fisher–Yates
			j := r.random.IntN(first+epochStep+uint64(e), uint64(i), i+1)
			epoch[i], epoch[j] = epoch[j], epoch[i]
		}
	}
	visits := make([]int, len(r.groups))
	for k, group := range schedule {
		r.visit[k] = visits[group]
		visits[group]++
	}
}

// order returns the order of a group's functions in a pass of the current round.
func (r *rounds) order(group, pass int) []int {
	o := &r.orders[group]
	if o.round != r.round || o.pass != pass {
		o.round, o.pass = r.round, pass
		r.random.Perm(uint64(r.round)*roundStep+uint64(group+1)*passStep+uint64(pass), o.functions)
		for k, i := range o.functions {
			o.functions[k] = r.groups[group][i]
		}
	}
	return o.functions
}
