package datasets

import (
	"slices"

	"github.com/acqnp/acqnp/internal/config"
	invented "github.com/acqnp/acqnp/internal/datasets/prior"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/random/dice"
)

// groups is the source of invented data sets of groups. A function is a data set: its context holds
// the siblings, which are groups with all their rows, and then the context of each group that has
// targets. It draws the numbers of rows and of targets once for all data sets of a batch.
type groups struct {
	e       config.Experiment
	workers *workers[arranger]

	// of the batch that is being made
	g    random.Generator
	step uint64
	dst  *Batch
}

func newGroups(e config.Experiment) Source {
	p := &groups{e: e}
	p.workers = newWorkers(func() *arranger { return new(arranger) }, func(a *arranger, b int) error {
		a.dataset(p.g, p.step<<16|uint64(b), p.dst, b)
		return nil
	})
	return p
}

// SetThreads implements Threaded.
func (p *groups) SetThreads(n int) { p.workers.limit = n }

// Dims returns the columns that each data set is given, and 1.
func (p *groups) Dims() (dx, dy int) { return Varying + Constant, 1 }

// TrainSize returns the largest size that train.batch_size and data.points allow.
func (p *groups) TrainSize() Size {
	most := p.e.Data.Points[1]
	return Size{Functions: p.e.Train.BatchSize, Points: most, Context: most - targetsOf(most, 0)}
}

// EvalSize returns the largest size that eval.batch_size and eval.num_points allow.
func (p *groups) EvalSize() Size {
	n := p.e.Eval.NumPoints
	return Size{Functions: p.e.Eval.BatchSize, Points: n, Context: n - targetsOf(n, 0)}
}

// EvalBatches returns eval.batches: the prior never runs out of data sets.
func (p *groups) EvalBatches() int { return p.e.Eval.Batches }

// Train draws N ~ U{points}, the number of targets and train.batch_size data sets.
func (p *groups) Train(step int, dst *Batch) error {
	seed, points := p.e.Train.Seed, p.e.Data.Points
	n := between(random.New(seed, random.Sizes), step, 0, points[0], points[1])
	return p.fill(seed, 0, step, p.e.Train.BatchSize, n, dst)
}

// Eval draws the number of targets and eval.batch_size data sets.
func (p *groups) Eval(i int, dst *Batch) error {
	return p.fill(p.e.Eval.Seed, random.Evaluation, i, p.e.Eval.BatchSize, p.e.Eval.NumPoints, dst)
}

// fill draws the data sets of a batch, on all workers.
func (p *groups) fill(seed uint64, use random.Stream, step, functions, rows int, dst *Batch) error {
	share := random.New(seed, random.Sizes|use).Float(uint64(step), 1)
	dst.reshape(Size{functions, rows, rows - targetsOf(rows, share)}, Varying+Constant, 1)
	n := 4 * functions * rows
	dst.Ranges = slices.Grow(dst.Ranges, n)[:n]
	p.g, p.step, p.dst = random.New(seed, random.Data|use), uint64(step), dst
	return p.workers.each(functions)
}

// targetsOf returns the number of targets among rows, a tenth to 30% by share in [0, 1).
func targetsOf(rows int, share float64) int { return int(float64(rows) * (0.1 + 0.2*share)) }

// An arranger puts data sets into a batch on one goroutine.
type arranger struct {
	order, context []int // groups in their order, and the context rows of those with targets
}

// dataset draws data set b of a batch.
func (a *arranger) dataset(g random.Generator, step uint64, dst *Batch, b int) {
	set := invented.Draw(g, step, dst.Points)
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
// first, those that are constant in each after Varying, both in random order.
func slots(d *dice.Dice, set invented.Set) []int {
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
			all[i] = s - set.Varying + Varying
		}
	}
	return all
}

// A writer writes a data set to its place in a batch.
type writer struct {
	set    invented.Set
	slots  []int
	dst    *Batch
	b      int
	x      []Standard // of the siblings, by column of the set
	y      Standard
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
	w.x = make([]Standard, columns)
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
func (w *writer) over(some, first []int, of func(row int) float64) Standard {
	var values []float64
	for _, g := range some {
		for row := first[g]; row < first[g+1]; row++ {
			values = append(values, of(row))
		}
	}
	return StandardOf(values)
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
