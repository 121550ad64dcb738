package datasets

import (
	"slices"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/random"
)

// synthetic is the source of functions drawn from a random process, with dx = dy = 1. It draws N
// (in training) and N_c once for all functions of a batch.
type synthetic struct {
	extents
	e       config.Experiment
	workers *workers[drawer]

	// of the batch that is being made
	g    random.Generator
	step uint64
	dst  *Batch
}

// A process draws one function. It sets the point (x[i], y[i]) for the parameter s[i], for all N of
// them.
type process func(f randomness, s []float64, x, y []float32) error

// processes are the processes of the synthetic benchmarks, by name.
var processes = map[string]func(config.Data) process{
	"sawtooth":    sawtooth,
	"double-sine": doubleSine,
	"circle":      circle,
	"lissajous":   lissajous,
	"rbf":         rbf,
	"matern52":    matern52,

	"tnp-sawtooth": tnpSawtooth,
	"tnp-gp":       tnpGaussian,
}

func newSynthetic(e config.Experiment) Source {
	draw := processes[e.Benchmark]
	d := e.Data
	p := &synthetic{e: e, extents: extents{dx: 1, dy: 1, batches: e.Eval.Batches, // the process never runs out of functions
		train:     Size{e.Train.BatchSize, d.Points[1], d.Points[1] - d.MinTargets},
		eval:      Size{e.Eval.BatchSize, e.Eval.NumPoints, e.Eval.MaxContext},
		trainKeys: SizeKeys{Functions: "train.batch_size", Points: "data.points"},
		evalKeys:  SizeKeys{Functions: "eval.batch_size", Points: "eval.num_points", Context: "eval.max_context"}}}
	p.workers = newWorkers(func() *drawer { return &drawer{draw: draw(e.Data)} }, p.function)
	return p
}

// SetThreads is for datasets.SetThreads.
func (p *synthetic) SetThreads(n int) { p.workers.limit = n }

// Train draws N ~ U{points}, N_c ~ U{min_context..N−min_targets} and train.batch_size functions.
func (p *synthetic) Train(step int, dst *Batch) error {
	d, seed := p.e.Data, p.e.Train.Seed
	sizes := random.New(seed, random.Sizes)
	n := between(sizes, step, 0, d.Points[0], d.Points[1])
	context := between(sizes, step, 1, d.LeastContext(), n-d.MinTargets)
	return p.fill(random.New(seed, random.Data), step, Size{p.e.Train.BatchSize, n, context}, dst)
}

// Eval draws N_c ~ U{min_context..max_context}, or takes the next of eval.contexts, and draws
// eval.batch_size functions of eval.num_points points.
func (p *synthetic) Eval(i int, dst *Batch) error {
	e := p.e.Eval
	sizes := random.New(e.Seed, random.Sizes|random.Evaluation)
	context := between(sizes, i, 1, p.e.Data.LeastContext(), e.MaxContext)
	if n := len(e.Contexts); n > 0 {
		context = e.Contexts[i%n]
	}
	return p.fill(random.New(e.Seed, random.Data|random.Evaluation), i, Size{e.BatchSize, e.NumPoints, context}, dst)
}

// between draws uniformly from {lo..hi}.
func between(g random.Generator, step int, index uint64, lo, hi int) int {
	return lo + g.IntN(uint64(step), index, hi-lo+1)
}

// fill draws the functions of a batch, on all workers.
func (p *synthetic) fill(g random.Generator, step int, size Size, dst *Batch) error {
	dst.Reshape(size, 1, 1)
	p.g, p.step, p.dst = g, uint64(step), dst
	return p.workers.each(size.Functions)
}

// A drawer draws functions on one goroutine.
type drawer struct {
	draw process
	s    []float64 // [N], scratch: the parameters of the points of a function
}

// function draws function b of the batch.
func (p *synthetic) function(w *drawer, b int) error {
	n := p.dst.Points
	w.s = slices.Grow(w.s[:0], n)[:n]
	f := randomness{p.g, p.step, uint64(b) * functionWords}
	f.positions(w.s)
	lo, hi := p.e.Data.Interval[0], p.e.Data.Interval[1]
	for i, share := range w.s {
		w.s[i] = lo + (hi-lo)*share
	}
	return w.draw(f, w.s, p.dst.X[b*n:(b+1)*n], p.dst.Y[b*n:(b+1)*n])
}

// randomness makes the random numbers of one function of a batch. Each function has functionWords
// words of the step's stream, so no number depends on how many functions or points there are. The
// words have four parts of equal size: the first for parameters, the second for positions, the last
// two for one coin (a word) or one normal number (two words) for each point.
type randomness struct {
	g          random.Generator
	step, base uint64
}

const (
	part          = 1 << 16
	positions     = 1 * part
	rest          = 2 * part
	functionWords = 4 * part
	stepWords     = 1 << 34 // that the generator has for a step
)

// The largest configuration fits: if it did not, the constants would be negative and not compile.
const (
	_ = uint64(part - config.MaxPoints)
	_ = uint64(stepWords - config.MaxFunctions*functionWords)
)

// parameter returns the function's parameter k, uniform on [lo, hi).
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
	validBatches   = 32
	validFunctions = 4
	validTargets   = 16 // of a function, if eval.num_points has as many
)

// ValidSize returns the largest size of a validation batch. Its contexts are those of evaluation.
func (p *synthetic) ValidSize() Size {
	e := p.e.Eval
	return Size{Functions: validFunctions, Points: min(e.MaxContext+validTargets, e.NumPoints), Context: e.MaxContext}
}

// ValidBatches returns the number of validation batches.
func (p *synthetic) ValidBatches() int { return validBatches }

// Valid draws N_c ~ U{min_context..max_context} and functions with that many context points, from
// streams of their own under eval.seed.
func (p *synthetic) Valid(i int, dst *Batch) error {
	e := p.e.Eval
	context := between(random.New(e.Seed, random.Sizes|random.Validation), i, 1, p.e.Data.LeastContext(), e.MaxContext)
	size := Size{Functions: validFunctions, Points: min(context+validTargets, e.NumPoints), Context: context}
	return p.fill(random.New(e.Seed, random.Data|random.Validation), i, size, dst)
}
