package network

import (
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/random"
)

// A task is a group with a context and targets, as the network sees them.
type task struct {
	x []float32 // [context + targets, columns]
	y []float32 // [context + targets]
}

// A bucket holds tasks with the same number of context points and the same number of targets. A batch
// comes from one bucket.
type bucket struct {
	context, targets int
	tasks            []task
}

// Bounds of the tasks.
const (
	mostTasks      = 3000 // of a training
	mostOfGroup    = 64   // of a group
	rounds         = 60   // of each group where points are held out
	targetsOfTask  = 8    // of a context of some points
	targetsOfRound = 64   // of a context of most points
	knownOfRound   = 250  // the largest such context
	targetsOfBatch = 256
)

// fewestGroups is the fewest groups for which every fifth group is for validation. With fewer, every fifth
// point is.
const fewestGroups = 4

// contextSizes are the sizes of contexts in training. A group gets only sizes below its number of points.
var contextSizes = []int{0, 1, 2, 3, 4, 6, 8, 10, 14, 20, 30, 50}

// Tasks are the batches of a training and of its validation. The predictions of the base, which are
// most of the work, are made once for each task.
type Tasks struct {
	columns   int
	train     []bucket
	order     []int    // the bucket of each task for training
	held      []bucket // each a batch
	generator random.Generator
}

// NewTasks makes the tasks of a network from the groups that its base was fitted to.
func NewTasks(m *Network, groups []simple.Group, seed uint64) *Tasks {
	t := &Tasks{columns: m.columns(), generator: random.New(seed, random.Data)}
	g := random.New(seed, random.Validation)
	if len(groups) < fewestGroups {
		t.cutPoints(m, groups, g)
	} else {
		t.cutGroups(m, groups, g)
	}
	for b, one := range t.train {
		for range one.tasks {
			t.order = append(t.order, b)
		}
	}
	return t
}

// Enough reports whether there are tasks for training and for validation.
func (t *Tasks) Enough() bool { return len(t.order) > 0 && len(t.held) > 0 }

// cutGroups makes tasks with contexts of all sizes of each group.
func (t *Tasks) cutGroups(m *Network, groups []simple.Group, g random.Generator) {
	order := make([]int, len(groups))
	g.Perm(0, order)
	each := max(1, min(mostOfGroup, mostTasks/len(groups)))
	train, held := make([]bucket, len(contextSizes)), make([]bucket, len(contextSizes))
	for i, size := range contextSizes {
		train[i], held[i] = bucket{context: size, targets: targetsOfTask}, bucket{context: size, targets: targetsOfTask}
	}
	for place, i := range order {
		points, sizes := make([]int, groups[i].Points()), 0
		for sizes < len(contextSizes) && contextSizes[sizes] < len(points) {
			sizes++
		}
		if sizes == 0 {
			continue
		}
		for r := range each {
			step := uint64(1 + i*mostOfGroup + r)
			into := &train[(r+g.IntN(step, 1<<32, sizes))%sizes]
			g.Perm(step, points)
			if place%5 == 0 {
				into = &held[(r+g.IntN(step, 1<<32, sizes))%sizes]
			}
			into.tasks = append(into.tasks, newTask(m, groups[i], points[:into.context], points[into.context:], into.targets))
		}
	}
	t.keep(train, held)
}

// cutPoints holds out every fifth point of each group. A context has most of the others.
func (t *Tasks) cutPoints(m *Network, groups []simple.Group, g random.Generator) {
	var train, held []bucket
	for i, group := range groups {
		points := make([]int, group.Points())
		g.Perm(uint64(i), points)
		kept, out := points[len(points)/5:], points[:len(points)/5]
		known := min(len(kept)*4/5, knownOfRound)
		own := bucket{context: known, targets: min(targetsOfRound, len(kept)-known)}
		test := bucket{context: min(len(kept), knownOfRound), targets: min(targetsOfRound, len(out))}
		order := make([]int, len(kept))
		for r := range rounds {
			g.Perm(uint64(len(groups)+i*rounds+r), order)
			mixed := make([]int, len(kept))
			for k, j := range order {
				mixed[k] = kept[j]
			}
			if own.targets > 0 {
				own.tasks = append(own.tasks, newTask(m, group, mixed[:known], mixed[known:], own.targets))
			}
			if first := r * test.targets; first < len(out) {
				test.tasks = append(test.tasks, newTask(m, group, mixed[:test.context], out[first:], test.targets))
			}
		}
		train, held = append(train, own), append(held, test)
	}
	t.keep(train, held)
}

// keep keeps the buckets that have tasks, and cuts those that are held out into batches.
func (t *Tasks) keep(train, held []bucket) {
	for _, b := range train {
		if len(b.tasks) > 0 {
			t.train = append(t.train, b)
		}
	}
	for _, b := range held {
		for n := b.batch(); len(b.tasks) > 0; b.tasks = b.tasks[min(n, len(b.tasks)):] {
			t.held = append(t.held, bucket{b.context, b.targets, b.tasks[:min(n, len(b.tasks))]})
		}
	}
}

// batch returns the number of tasks of a batch.
func (b bucket) batch() int { return max(1, targetsOfBatch/b.targets) }

// newTask makes a task with a number of targets. If there are fewer points, it repeats them.
func newTask(m *Network, g simple.Group, context, points []int, targets int) task {
	known, asked := simple.Group{DX: g.DX}, simple.Group{DX: g.DX}
	for _, i := range context {
		known.X, known.Y = append(known.X, g.X[i*g.DX:][:g.DX]...), append(known.Y, g.Y[i])
	}
	for k := range targets {
		i := points[k%len(points)]
		asked.X, asked.Y = append(asked.X, g.X[i*g.DX:][:g.DX]...), append(asked.Y, g.Y[i])
	}
	var made task
	made.x, made.y = m.context(known)
	before := m.Base.Given(simple.Group{DX: g.DX}, asked.X)
	for i, d := range m.Base.Given(known, asked.X) {
		made.x = m.appendInput(made.x, asked.X[i*g.DX:][:g.DX], d, before[i])
		made.y = append(made.y, standard(asked.Y[i], d))
	}
	return made
}

// fill makes a batch of tasks of a bucket.
func (t *Tasks) fill(dst *datasets.Batch, b bucket, tasks []task) {
	*dst = datasets.Batch{Functions: len(tasks), Points: b.context + b.targets, Context: b.context, DX: t.columns, DY: 1, X: dst.X[:0], Y: dst.Y[:0]}
	for _, one := range tasks {
		dst.X, dst.Y = append(dst.X, one.x...), append(dst.Y, one.y...)
	}
}

// Train implements [datasets.Source]: tasks at random from the bucket of a random task.
func (t *Tasks) Train(step int, dst *datasets.Batch) error {
	b := t.train[t.order[t.generator.IntN(uint64(step), 0, len(t.order))]]
	chosen := make([]task, b.batch())
	for i := range chosen {
		chosen[i] = b.tasks[t.generator.IntN(uint64(step), uint64(1+i), len(b.tasks))]
	}
	t.fill(dst, b, chosen)
	return nil
}

// Dims implements [datasets.Source].
func (t *Tasks) Dims() (dx, dy int) { return t.columns, 1 }

// TrainSize implements [datasets.Source].
func (t *Tasks) TrainSize() datasets.Size { return largest(t.train) }

// EvalSize implements [datasets.Source].
func (t *Tasks) EvalSize() datasets.Size { return t.TrainSize() }

// Eval implements [datasets.Source]: there are no evaluation batches.
func (t *Tasks) Eval(int, *datasets.Batch) error { return nil }

// EvalBatches returns 0.
func (t *Tasks) EvalBatches() int { return 0 }

// ValidSize implements [datasets.Validated].
func (t *Tasks) ValidSize() datasets.Size { return largest(t.held) }

// ValidBatches implements [datasets.Validated].
func (t *Tasks) ValidBatches() int { return len(t.held) }

// Valid implements [datasets.Validated].
func (t *Tasks) Valid(i int, dst *datasets.Batch) error {
	t.fill(dst, t.held[i], t.held[i].tasks)
	return nil
}

// largest returns the largest size of a batch.
func largest(all []bucket) (s datasets.Size) {
	for _, b := range all {
		s.Functions, s.Context, s.Points = max(s.Functions, b.batch()), max(s.Context, b.context), max(s.Points, b.context+b.targets)
	}
	return s
}
