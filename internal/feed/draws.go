package feed

import (
	"fmt"
	"strconv"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/ops"
	"github.com/acqnp/acqnp/internal/random"
)

// The two ways of choosing quantile levels, as --levels names them.
const (
	RandomLevels = "random" // drawn anew for every function, point and level
	GridLevels   = "grid"   // evenly spaced from 0.001 to 0.999, the same everywhere
)

// Reader is what a model tells of its inputs: whether it reads quantile levels or bootstraps of its context.
type Reader interface {
	Name() string
	Quantile() bool
	Bootstrap() bool
}

// Choice says how many numbers are drawn for a model and how.
type Choice struct {
	NumTau     int    // levels per point, for quantile models
	Levels     string // RandomLevels or GridLevels
	Bootstraps int    // of the context, for models that resample it
	Seed       uint64
	Evaluation bool // never the numbers of training, though the seed be the same
}

// Draws makes what a model reads besides points: the quantile levels u, or which context points and which residuals
// each bootstrap takes. The zero value is for models that read neither.
type Draws struct {
	count    int // N_τ or k; 0 for models that read neither
	resample bool
	random   random.Generator
	grid     []float32 // [N_τ]; nil where levels are drawn
	made     bool      // drawn levels are made by whoever runs the feeds
}

// New is what a model reads. Numbers and names that cannot be are an *input.Error that names the flag.
func New(m Reader, c Choice) (Draws, error) {
	var part random.Stream
	if c.Evaluation {
		part = random.Evaluation
	}
	if m.Bootstrap() {
		if c.Bootstraps < 1 {
			return Draws{}, fmt.Errorf("feed: %d bootstraps for model %s", c.Bootstraps, m.Name())
		}
		return Draws{count: c.Bootstraps, resample: true, random: random.New(c.Seed, random.Bootstrap|part)}, nil
	}
	if !m.Quantile() {
		return Draws{}, nil
	}
	if c.NumTau < 1 {
		return Draws{}, &input.Error{Key: "--num-tau", Found: strconv.Itoa(c.NumTau), Expected: "at least 1 quantile level"}
	}
	d := Draws{count: c.NumTau, random: random.New(c.Seed, random.Levels|part)}
	switch c.Levels {
	case RandomLevels:
	case GridLevels:
		d.grid = grid(c.NumTau, m.Name())
	default:
		return Draws{}, &input.Error{Key: "--levels", Found: strconv.Quote(c.Levels), Expected: "random or grid"}
	}
	return d, nil
}

// grid is n evenly spaced values from 0.001 to 0.999: of u for acqnp, of τ for cqnp, which maps u to
// τ = 0.001 + 0.998·u. One level is ½.
func grid(n int, model string) []float32 {
	v := make([]float32, n)
	for k := range v {
		u := 0.5
		if n > 1 {
			u = float64(k) / float64(n-1)
		}
		if model != "cqnp" {
			u = 0.001 + 0.998*u
		}
		v[k] = float32(u)
	}
	return v
}

// Generator draws the levels: that of row i of a step is its number (step, i). It is nil where none are drawn.
func (d Draws) Generator() *random.Generator {
	if d.count == 0 || d.resample || d.grid != nil {
		return nil
	}
	return &d.random
}

// Elsewhere is d for feeds without drawn levels, which whoever runs them makes with the Generator.
func (d Draws) Elsewhere() Draws {
	d.made = d.Generator() != nil
	return d
}

// Count is the extents' Levels: N_τ, or the number of bootstraps k; 0 for models that read neither.
func (d Draws) Count() int { return d.count }

// residuals is where the indices of the residuals begin in a step's counter space, far above those of the context.
const residuals = 1 << 33

// fill draws for the points from first on. step is the number of a batch, in prediction that of a function. A drawn
// level depends on the step and its row alone, however the rows are cut into runs, and a bootstrap on the step, its
// number and the context point whose place it fills.
func (d Draws) fill(f *Feed, step uint64, first int) {
	if d.count == 0 || d.made {
		f.levels = nil
		return
	}
	if d.resample {
		n := f.Extents.Rows(ops.Context) * d.count
		f.resampleContext, f.resampleResidual = resize(f.resampleContext, n), resize(f.resampleResidual, n)
		d.indices(step, 0, f.Extents.Context, f.resampleContext)
		d.indices(step, residuals, f.Extents.Context, f.resampleResidual)
		return
	}
	f.levels = resize(f.levels, f.Extents.Rows(ops.Row))
	if d.grid == nil {
		d.random.Fill(step, uint64(first*d.count), f.levels)
		return
	}
	for at := 0; at < len(f.levels); at += d.count {
		copy(f.levels[at:], d.grid)
	}
}

// indices draws numbers from 0 to n−1, one for each place of dst.
func (d Draws) indices(step, from uint64, n int, dst []float32) {
	for i := range dst {
		dst[i] = float32(d.random.IntN(step, from+uint64(i), n))
	}
}

// take copies what came with a batch instead of drawing; false where nothing did.
func (d Draws) take(f *Feed, b *datasets.Batch) bool {
	switch {
	case d.resample && b.Bootstraps > 0:
		f.Extents.Levels = b.Bootstraps
		n := f.Extents.Rows(ops.Context) * b.Bootstraps
		f.resampleContext = toFloat(f.resampleContext, b.Resample[:n])
		f.resampleResidual = toFloat(f.resampleResidual, b.Resample[n:2*n])
	case !d.resample && d.count > 0 && b.NumTau > 0:
		f.Extents.Levels = b.NumTau
		n := f.Extents.Rows(ops.Row)
		f.levels = resize(f.levels, n)
		copy(f.levels, b.U[:n])
	default:
		return false
	}
	return true
}

func toFloat(dst []float32, src []int32) []float32 {
	dst = resize(dst, len(src))
	for i, v := range src {
		dst[i] = float32(v) // exact: below 2²⁴, as sizes are
	}
	return dst
}

func resize(v []float32, n int) []float32 {
	if cap(v) < n {
		return make([]float32, n)
	}
	return v[:n]
}
