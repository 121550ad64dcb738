// Package invent is the source of the benchmark groups: data sets that the prior draws.
package invent

import (
	"cmp"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/research/pretrained/dice"
	"github.com/acqnp/acqnp/research/pretrained/prior"
)

// groups is the source of invented data sets of groups. A function is a data set: its context holds
// the siblings, which are groups with all their rows, and then the context of each group that has
// targets. It draws the numbers of rows and of targets once for all data sets of a batch.
type groups struct {
	e       config.Experiment
	threads int // 0: one for each core
}

// New returns the source of an experiment. The prior never runs out of data sets.
func New(e config.Experiment) *datasets.Source {
	p, most, n := &groups{e: e}, e.Data.Points[1], e.Eval.NumPoints
	return &datasets.Source{DX: datasets.Varying + datasets.Constant, DY: 1, Scaling: datasets.Unscaled(datasets.Varying+datasets.Constant, 1),
		Threads: func(n int) { p.threads = n },
		Train:   datasets.Batches{Size: datasets.Size{Groups: e.Train.BatchSize, Points: most, Context: most - targetsOf(most, 0)}, Make: p.train},
		Eval:    datasets.Batches{Size: datasets.Size{Groups: e.Eval.BatchSize, Points: n, Context: n - targetsOf(n, 0)}, Make: p.eval, Count: e.Eval.Batches}}
}

// train draws N ~ U{points}, the number of targets and train.batch_size data sets.
func (p *groups) train(step int, dst *datasets.Batch) error {
	seed, points := p.e.Train.Seed, p.e.Data.Points
	n := points[0] + random.New(seed, random.Sizes).IntN(uint64(step), 0, points[1]-points[0]+1)
	return p.fill(seed, 0, step, p.e.Train.BatchSize, n, dst)
}

// eval draws the number of targets and eval.batch_size data sets.
func (p *groups) eval(i int, dst *datasets.Batch) error {
	return p.fill(p.e.Eval.Seed, random.Evaluation, i, p.e.Eval.BatchSize, p.e.Eval.NumPoints, dst)
}

// fill draws the data sets of a batch, on all workers.
func (p *groups) fill(seed uint64, use random.Stream, step, functions, rows int, dst *datasets.Batch) error {
	share := random.New(seed, random.Sizes|use).Float(uint64(step), 1)
	dst.Reshape(datasets.Size{Groups: functions, Points: rows, Context: rows - targetsOf(rows, share)}, datasets.Varying+datasets.Constant, 1)
	n := 4 * functions * rows
	dst.Ranges = slices.Grow(dst.Ranges, n)[:n]
	g := random.New(seed, random.Data|use)
	var all errgroup.Group
	all.SetLimit(cmp.Or(p.threads, runtime.GOMAXPROCS(0)))
	for b := range functions {
		all.Go(func() error {
			new(arranger).dataset(g, uint64(step)<<16|uint64(b), dst, b)
			return nil
		})
	}
	return all.Wait()
}

// targetsOf returns the number of targets among rows, a tenth to 30% by share in [0, 1).
func targetsOf(rows int, share float64) int { return int(float64(rows) * (0.1 + 0.2*share)) }

// An arranger puts data sets into a batch on one goroutine.
type arranger struct {
	order, context []int // groups in their order, and the context rows of those with targets
}

// dataset draws data set b of a batch.
func (a *arranger) dataset(g random.Generator, step uint64, dst *datasets.Batch, b int) {
	set := prior.Draw(g, step, dst.Points)
	d := dice.New(g, step, 1<<33) // beyond the words of the prior
	if !a.choose(d, set.Groups, dst.Points-dst.Context) {
		set.Groups = ones(dst.Points) // rows without groups
		a.choose(d, set.Groups, dst.Points-dst.Context)
	}
	w := writer{set: set, slots: slots(d, set), dst: dst, b: b}
	w.write(a.order, a.context)
}

// ones returns n groups of a row each.
func ones(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = 1
	}
	return all
}

// choose puts the groups in a random order, and chooses for as many of them as it takes how many of
// their rows are context, so that the others are so many targets. It reports whether some groups are
// left as siblings.
func (a *arranger) choose(d *dice.Dice, sizes []int, targets int) bool {
	a.order, a.context = a.order[:0], a.context[:0]
	for i := range sizes {
		a.order = append(a.order, i)
		j := d.Below(i + 1)
		a.order[i], a.order[j] = a.order[j], i
	}
	for _, g := range a.order {
		if targets == 0 {
			return true
		}
		n := sizes[g]
		context := 0
		if n > 1 && d.Chance(0.7) {
			context = min(n-1, int(d.LogUniform(1, 24)))
		}
		context = max(context, n-targets)
		a.context = append(a.context, context)
		targets -= n - context
	}
	return false
}

// slots returns for each column of a set the column of the batch: those that vary within groups come
// first, those that are constant in each after datasets.Varying, both in random order.
func slots(d *dice.Dice, set prior.Set) []int {
	all := make([]int, set.Varying+set.Constant)
	for i := range all {
		first := 0
		if i >= set.Varying {
			first = set.Varying
		}
		j := first + d.Below(i-first+1)
		all[i] = all[j]
		all[j] = i
	}
	for i, s := range all {
		if i >= set.Varying {
			all[i] = s - set.Varying + datasets.Varying
		}
	}
	return all
}

// A writer writes a data set to its place in a batch.
type writer struct {
	set    prior.Set
	slots  []int
	dst    *datasets.Batch
	b      int
	x      []datasets.Standard // of the siblings, by column of the set
	y      datasets.Standard
	at     int // rows of the context so far
	target int // targets so far
}

// write writes the siblings, then the groups with targets, and standardises all rows by the siblings.
// order lists the groups, those with targets first; context has the number of their context rows.
func (w *writer) write(order, context []int) {
	first := make([]int, len(w.set.Groups)+1) // row of each group
	for g, n := range w.set.Groups {
		first[g+1] = first[g] + n
	}
	columns := len(w.slots)
	w.x = make([]datasets.Standard, columns)
	for c := range w.x {
		w.x[c] = w.over(order[len(context):], first, func(row int) float64 { return w.set.X[row*columns+c] })
	}
	w.y = w.over(order[len(context):], first, func(row int) float64 { return w.set.Y[row] })
	for _, g := range order[len(context):] {
		w.group(first[g], w.set.Groups[g], w.set.Groups[g])
	}
	siblings := w.at
	for i, n := range context {
		w.group(first[order[i]], w.set.Groups[order[i]], n)
	}
	n := w.dst.Points
	for i := w.b * n; i < (w.b+1)*n; i++ {
		w.dst.Ranges[4*i+2], w.dst.Ranges[4*i+3] = 0, float32(siblings)
	}
}

// over returns the units of what of says of the rows of some groups.
func (w *writer) over(some, first []int, of func(row int) float64) datasets.Standard {
	var values []float64
	for _, g := range some {
		for row := first[g]; row < first[g+1]; row++ {
			values = append(values, of(row))
		}
	}
	return datasets.StandardOf(values)
}

// group writes the rows of a group from row first on, the first of them as context and the others as targets.
func (w *writer) group(first, rows, context int) {
	dst, n := w.dst, w.dst.Points
	lo, hi := float32(w.at), float32(w.at+context)
	for r := range rows {
		place := w.at
		if r < context {
			w.at++
		} else {
			place = dst.Context + w.target
			w.target++
		}
		i := w.b*n + place
		x := dst.X[i*dst.DX:][:dst.DX]
		clear(x)
		for c, s := range w.slots {
			x[s] = w.x[c].X(w.set.X[(first+r)*len(w.slots)+c])
		}
		dst.Y[i] = w.y.Y(w.set.Y[first+r])
		dst.Ranges[4*i], dst.Ranges[4*i+1] = lo, hi
	}
}
