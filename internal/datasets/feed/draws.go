package feed

import (
	"fmt"
	"strconv"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/random"
)

// The ways to choose quantile levels. The command line takes random, grid and midpoints, train.levels random
// and stratified.
const (
	RandomLevels   = "random"    // drawn separately for every row
	GridLevels     = "grid"      // evenly spaced from 0.001 to 0.999, the same at every point
	MidpointLevels = "midpoints" // the midpoints of N_τ equal parts of (0, 1), the same at every point
	// StratifiedLevels draws one level from each of N_τ equal parts of [0, 1). Level k of a point
	// is (k + u)/N_τ, where u is the number that RandomLevels draws.
	StratifiedLevels = "stratified"
)

// Reader is a model. It says whether the model reads quantile levels or bootstraps, and whether its
// scale has the natural form.
type Reader interface {
	Name() string
	Quantile() bool
	Bootstrap() bool
	Natural() bool
}

// Choice says which random numbers to make for a model.
type Choice struct {
	NumTau     int    // levels of a point; quantile models
	Spacing    string // of the levels: RandomLevels, GridLevels, MidpointLevels or StratifiedLevels
	Bootstraps int    // of the context; BNP
	Seed       uint64
	Evaluation bool // draw other numbers than training with the same seed
}

// Draws makes the random numbers that a model reads: the quantile levels u, or the context points
// and residuals that each bootstrap takes. The zero value is for models that read neither.
type Draws struct {
	count     int // N_τ or k; 0 for models that read neither
	resample  bool
	random    random.Generator
	grid      []float32 // [N_τ], the same at every point; nil if levels are drawn
	strata    bool      // drawn levels are stratified
	elsewhere bool      // feeds leave out drawn levels: see Elsewhere
}

// New returns the draws of a model. A bad number or name is an *invalid.Input that names the field.
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
		return Draws{}, &invalid.Input{Key: "num-quantiles", Found: strconv.Itoa(c.NumTau), Expected: "at least 1 quantile level"}
	}
	d := Draws{count: c.NumTau, random: random.New(c.Seed, random.Levels|part)}
	switch c.Spacing {
	case RandomLevels:
	case StratifiedLevels:
		d.strata = true
	case GridLevels:
		d.grid = grid(c.NumTau, m.Name())
	case MidpointLevels:
		d.grid = midpoints(c.NumTau)
	default:
		return Draws{}, &invalid.Input{Key: "level-spacing", Found: strconv.Quote(c.Spacing), Expected: "random, grid or midpoints"}
	}
	return d, nil
}

// Spacing returns the evenly spaced levels that a model takes: MidpointLevels if its scale has the
// natural form, GridLevels otherwise.
func Spacing(m Reader) string {
	if m.Natural() {
		return MidpointLevels
	}
	return GridLevels
}

// Even returns the u of n evenly spaced levels of a model, as [Spacing] says.
func Even(n int, m Reader) []float32 {
	if Spacing(m) == MidpointLevels {
		return midpoints(n)
	}
	return grid(n, m.Name())
}

// midpoints returns (k+½)/n for k from 0 to n−1.
func midpoints(n int) []float32 {
	v := make([]float32, n)
	for k := range v {
		v[k] = float32((float64(k) + 0.5) / float64(n))
	}
	return v
}

// grid returns the u of n levels as [GridLevels] chooses them for a model: evenly spaced, for acqnp
// from 0.001 to 0.999, for cqnp from 0 to 1, so that τ = 0.001 + 0.998·u goes from 0.001 to 0.999. A
// single level is ½.
func grid(n int, model string) []float32 {
	v := make([]float32, n)
	for k := range v {
		u := 0.5
		if n > 1 {
			u = float64(k) / float64(n-1)
		}
		if model != catalogue.CQNP {
			u = 0.001 + 0.998*u
		}
		v[k] = float32(u)
	}
	return v
}

// Generator returns the generator of the levels, or nil unless they are RandomLevels. The level of
// row i in a step is the number at index i of that step.
func (d Draws) Generator() *random.Generator {
	if d.count == 0 || d.resample || d.grid != nil || d.strata {
		return nil
	}
	return &d.random
}

// Elsewhere returns draws that leave drawn levels out of the feeds. The GPU then makes them, with
// the same Generator.
func (d Draws) Elsewhere() Draws {
	d.elsewhere = d.Generator() != nil
	return d
}

// Count returns the Levels of the extents: N_τ, k, or 0 for models that read neither.
func (d Draws) Count() int { return d.count }

// residuals is the random index of the first residual, far above the indices of the context.
const residuals = 1 << 33

// fill draws the numbers for the points from number first on. step is the number of the batch, or
// of the group in a prediction. A drawn level depends only on the step and its row, so a
// prediction can be split into runs at any point. A bootstrap depends on the step, its number and
// the context point.
func (d Draws) fill(f *Feed, step uint64, first int) {
	if d.count == 0 || d.elsewhere {
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
		if d.strata {
			stratify(f.levels, d.count)
		}
		return
	}
	for at := 0; at < len(f.levels); at += d.count {
		copy(f.levels[at:], d.grid)
	}
}

// stratify replaces uniform numbers u [·, n] by (k + u)/n in column k, so that each column has its
// own part of [0, 1).
func stratify(u []float32, n int) {
	const below1 = 1 - 1.0/(1<<24) // the largest float32 below 1; the last column can round up to 1
	for i, v := range u {
		u[i] = min((float32(i%n)+v)/float32(n), below1)
	}
}

// indices fills dst with random whole numbers from 0 to n−1.
func (d Draws) indices(step, from uint64, n int, dst []float32) {
	var words [64]uint32
	for len(dst) > 0 {
		part := words[:min(len(words), len(dst))]
		d.random.Words(step, from, part)
		for i, w := range part {
			dst[i] = float32(random.Below(w, n))
		}
		dst, from = dst[len(part):], from+uint64(len(part))
	}
}

// take copies the levels or bootstraps that came with the batch. It returns false if there are
// none.
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
		dst[i] = float32(v) // exact: an index is below 2²⁴
	}
	return dst
}

func resize(v []float32, n int) []float32 {
	if cap(v) < n {
		return make([]float32, n)
	}
	return v[:n]
}
