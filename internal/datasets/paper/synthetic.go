package paper

import (
	"slices"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/random"
)

// synthetic is the source of functions drawn from a random process, with dx = dy = 1. It draws N
// (in training) and N_c once for all groups of a batch.
type synthetic struct {
	e       config.Experiment
	workers *workers[drawer]

	// of the batch that is being made
	g    random.Generator
	step uint64
	dst  *datasets.Batch
}

// A process draws one function. It sets the point (x[i], y[i]) for the parameter s[i], for all N of
// them.
type process func(f randomness, s []float64, x, y []float32) error

// newSynthetic returns the source of a synthetic benchmark.
func newSynthetic(e config.Experiment) *datasets.Source {
	draw := processes[e.Benchmark]
	d := e.Data
	p := &synthetic{e: e}
	p.workers = newWorkers(func() *drawer { return &drawer{draw: draw(e.Data)} }, p.group)
	return &datasets.Source{DX: 1, DY: 1, Scaling: datasets.Unscaled(1, 1), Threads: func(n int) { p.workers.limit = n },
		Train: datasets.Batches{Size: datasets.Size{Groups: e.Train.BatchSize, Points: d.Points[1], Context: d.Points[1] - d.MinTargets}, Make: p.train,
			Keys: datasets.SizeKeys{Groups: "train.batch_size", Points: "data.points"}},
		Eval: datasets.Batches{Size: datasets.Size{Groups: e.Eval.BatchSize, Points: e.Eval.NumPoints, Context: e.Eval.MaxContext}, Make: p.eval, Count: e.Eval.Batches, // the process never runs out of groups
			Keys: datasets.SizeKeys{Groups: "eval.batch_size", Points: "eval.num_points", Context: "eval.max_context"}},
		Valid: datasets.Batches{Size: datasets.Size{Groups: validGroups, Points: min(e.Eval.MaxContext+validTargets, e.Eval.NumPoints), Context: e.Eval.MaxContext}, Make: p.valid, Count: validBatches}}
}

// train draws N ~ U{points}, N_c ~ U{min_context..N−min_targets} and train.batch_size groups.
func (p *synthetic) train(step int, dst *datasets.Batch) error {
	d, seed := p.e.Data, p.e.Train.Seed
	sizes := random.New(seed, random.Sizes)
	n := sizes.Between(uint64(step), 0, d.Points[0], d.Points[1])
	context := sizes.Between(uint64(step), 1, d.LeastContext(), n-d.MinTargets)
	return p.fill(random.New(seed, random.Data), step, datasets.Size{Groups: p.e.Train.BatchSize, Points: n, Context: context}, dst)
}

// eval draws N_c ~ U{min_context..max_context}, or takes the next of eval.contexts, and draws
// eval.batch_size groups of eval.num_points points.
func (p *synthetic) eval(i int, dst *datasets.Batch) error {
	e := p.e.Eval
	sizes := random.New(e.Seed, random.Sizes|random.Evaluation)
	context := sizes.Between(uint64(i), 1, p.e.Data.LeastContext(), e.MaxContext)
	if n := len(e.Contexts); n > 0 {
		context = e.Contexts[i%n]
	}
	return p.fill(random.New(e.Seed, random.Data|random.Evaluation), i, datasets.Size{Groups: e.BatchSize, Points: e.NumPoints, Context: context}, dst)
}

// fill draws the groups of a batch, on all workers.
func (p *synthetic) fill(g random.Generator, step int, size datasets.Size, dst *datasets.Batch) error {
	dst.Reshape(size, 1, 1)
	p.g, p.step, p.dst = g, uint64(step), dst
	return p.workers.each(size.Groups)
}

// A drawer draws functions on one goroutine.
type drawer struct {
	draw process
	s    []float64 // [N], scratch: the parameters of the points of a group
}

// group draws group b of the batch.
func (p *synthetic) group(w *drawer, b int) error {
	n := p.dst.Points
	w.s = slices.Grow(w.s[:0], n)[:n]
	f := randomness{p.g, p.step, uint64(b) * groupWords}
	f.positions(w.s)
	lo, hi := p.e.Data.Interval[0], p.e.Data.Interval[1]
	for i, share := range w.s {
		w.s[i] = lo + (hi-lo)*share
	}
	return w.draw(f, w.s, p.dst.X[b*n:(b+1)*n], p.dst.Y[b*n:(b+1)*n])
}

// randomness makes the random numbers of one group of a batch. Each group has groupWords
// words of the step's stream, so no number depends on how many groups or points there are. The
// words have four parts of equal size: the first for parameters, the second for positions, the last
// two for one coin (a word) or one normal number (two words) for each point.
type randomness struct {
	g          random.Generator
	step, base uint64
}

const (
	part       = 1 << 16
	positions  = 1 * part
	rest       = 2 * part
	groupWords = 4 * part
	stepWords  = 1 << 34 // that the generator has for a step
)

// The largest configuration fits: if it did not, the constants would be negative and not compile.
const (
	_ = uint64(part - config.MaxPoints)
	_ = uint64(stepWords - config.MaxGroups*groupWords)
)

// parameter returns the group's parameter k, uniform on [lo, hi).
func (f randomness) parameter(k uint64, lo, hi float64) float64 {
	return lo + (hi-lo)*f.g.Float(f.step, f.base+k)
}

// positions sets dst[i] to the position of point i in the interval, uniform on [0, 1).
func (f randomness) positions(dst []float64) { f.g.Floats(f.step, f.base+positions, dst) }

// coins sets dst[i] to a word whose upper bit is a fair coin for point i.
func (f randomness) coins(dst []uint32) { f.g.Words(f.step, f.base+rest, dst) }

// normals sets dst[i] to a standard normal number for point i.
func (f randomness) normals(dst []float64) { f.g.Normals(f.step, (f.base+rest)/2, dst) }

// The validation of synthetic benchmarks: few batches and few targets, so that it costs no more
// than a few steps of training.
const (
	validBatches = 32
	validGroups  = 4
	validTargets = 16 // of a group, if eval.num_points has as many
)

// valid draws N_c ~ U{min_context..max_context} and groups with that many context points, from
// streams of their own under eval.seed.
func (p *synthetic) valid(i int, dst *datasets.Batch) error {
	e := p.e.Eval
	context := random.New(e.Seed, random.Sizes|random.Validation).Between(uint64(i), 1, p.e.Data.LeastContext(), e.MaxContext)
	size := datasets.Size{Groups: validGroups, Points: min(context+validTargets, e.NumPoints), Context: context}
	return p.fill(random.New(e.Seed, random.Data|random.Validation), i, size, dst)
}
