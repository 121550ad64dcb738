package own

import (
	"slices"

	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
)

// alike bounds the sizes of the groups that share a batch: each has less than alike times as
// many points as another. So no group is cut to less than half of its points.
const alike = 2

// rounds puts training groups into batches of similar sizes. The groups are sorted into
// classes; a batch is of one class.
//
// A round has as many batches as there are groups, n. Each group takes part in it batchSize
// times, and a class of m groups has m of its batches. Within a round, every n/batchSize batches
// are an epoch, in which each group takes part about once: exactly once if all groups are of
// one class and batchSize divides n. A class goes through its groups in one random order after
// another.
type rounds struct {
	batchSize int
	classes   [][]int // the groups of each class
	of        []int   // [n]: the classes, each as often as it has groups
	random    random.Generator

	round    int   // the round of schedule, visit; −1 for none
	schedule []int // [n]: the class of each batch of the round
	visit    []int // [n]: how many batches of that class come before it
	orders   []order
}

// An order is a random order of the groups of a class.
type order struct {
	round, pass int // −1 for none
	groups      []int
}

// newRounds returns the rounds of groups with the given sizes.
func newRounds(groups, sizes []int, batchSize int, g random.Generator) *rounds {
	bySize := points.Spread(len(groups), len(groups))
	slices.SortStableFunc(bySize, func(a, b int) int { return sizes[a] - sizes[b] })
	r := &rounds{batchSize: batchSize, random: g, round: -1}
	least := 0
	for _, k := range bySize {
		if least == 0 || sizes[k] >= alike*least {
			least = sizes[k]
			r.classes = append(r.classes, nil)
		}
		last := len(r.classes) - 1
		r.classes[last] = append(r.classes[last], groups[k])
		r.of = append(r.of, last)
	}
	r.schedule, r.visit = make([]int, len(groups)), make([]int, len(groups))
	r.orders = make([]order, len(r.classes))
	for i := range r.orders {
		r.orders[i] = order{round: -1, groups: make([]int, len(r.classes[i]))}
	}
	return r
}

// Steps of the random stream within a round. A round has 2³² of them: one for the order of its
// epochs, one for each epoch, and one for each pass of each class over its groups. A batch has at
// most 2¹⁶ groups, so there are as many epochs and passes at most.
const (
	roundStep = 1 << 32
	epochStep = 1
	passStep  = 1 << 17
)

// fill sets dst [batchSize] to the groups of a batch.
func (r *rounds) fill(batch int, dst []int) {
	n := len(r.schedule)
	r.begin(batch / n)
	class, visit := r.schedule[batch%n], r.visit[batch%n]
	m := len(r.classes[class])
	for b := range dst {
		at := visit*r.batchSize + b
		dst[b] = r.order(class, at/m)[at%m]
	}
}

// begin makes the schedule of a round, unless it is there. Epoch e takes every batchSize-th of the
// n batches sorted by class, so each has its share of every class.
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
	visits := make([]int, len(r.classes))
	for k, class := range schedule {
		r.visit[k] = visits[class]
		visits[class]++
	}
}

// order returns the order of a class's groups in a pass of the current round.
func (r *rounds) order(class, pass int) []int {
	o := &r.orders[class]
	if o.round != r.round || o.pass != pass {
		o.round, o.pass = r.round, pass
		r.random.Perm(uint64(r.round)*roundStep+uint64(class+1)*passStep+uint64(pass), o.groups)
		for k, i := range o.groups {
			o.groups[k] = r.classes[class][i]
		}
	}
	return o.groups
}
