// Package feed turns batches into the inputs of a compiled graph.
//
// A [Feed] holds the inputs of one run: the context points, the points, and the random numbers that
// the model reads. [Draws] makes these numbers: quantile levels or bootstraps. [Ahead] makes the
// feed of the next step on its own goroutine while the current one is used.
//
//	ahead := feed.Start(source.Train.Make, feed.AllPoints, draws, 0, steps)
//	defer ahead.Close()
//	f, err := ahead.Next(ctx)
//	f.Write(trainer)
//	ahead.Release(f)
//
// In the shapes below, B is the number of groups, N the number of points of each, N_c of its
// context points, N_τ of levels and k of bootstraps.
package feed

import (
	"fmt"
	"slices"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// Feed holds the inputs of one run. It can be filled again; its buffers grow to the largest batch.
type Feed struct {
	Extents ops.Extents // of the run
	Own     bool        // the levels or bootstraps came with the batch, from a tasks file

	batch            datasets.Batch
	targetX, targetY []float32    // [B, N−N_c, dx], [B, N−N_c, dy] of the batch; feeds of targets
	context          []float32    // [B, N_c, dx+dy]: x and y of each group's context points
	x, y             []float32    // [B, N, dx], [B, N, dy]; no y in prediction
	levels           []float32    // [B, N, N_τ]: u; quantile models
	resampleContext  []float32    // [B, N_c, k]: the context point that each bootstrap takes; BNP
	resampleResidual []float32    // [B, N_c, k]: the residual that it takes; BNP
	ranges           [4][]float32 // [B, N_c, 2] or [B, N, 2], named by rangeInputs; data sets of groups
}

// rangeInputs are the inputs of ranges, first those of context points.
var rangeInputs = [4]string{"context_group", "context_siblings", "group", "siblings"}

// Points says for which points of a batch a run computes its outputs. The encoder reads the context
// points either way.
type Points int

const (
	AllPoints    Points = iota // the context points and the targets
	TargetPoints               // the targets alone: engines then do not decode the context points
)

// All returns the feeds of steps 0 to n−1, each in memory of its own. batch makes the batch of a
// step.
func All(batch func(step int, dst *datasets.Batch) error, points Points, d Draws, n int) ([]*Feed, error) {
	feeds := make([]*Feed, n)
	for step := range feeds {
		f := new(Feed)
		err := batch(step, &f.batch)
		if err == nil {
			err = f.load(step, points, d)
		}
		if err != nil {
			return nil, err
		}
		feeds[step] = f
	}
	return feeds, nil
}

// load fills the feed from its batch, the batch of this step.
func (f *Feed) load(step int, points Points, d Draws) error {
	b := &f.batch
	switch {
	case b.Groups < 1 || b.Points < 1 || b.Context < 0 || b.Points < b.Context:
		return refuse(b, "at least one group and one point, and no more context than points")
	case b.Context < 1 && d.resample:
		return refuse(b, "at least one context point: bnp resamples the context")
	}
	f.Extents = ops.Extents{Groups: b.Groups, Context: b.Context, Points: b.Points, Levels: d.count}
	if n := f.Extents.Rows(ops.Point); len(b.X) != n*b.DX || len(b.Y) != n*b.DY {
		return fmt.Errorf("%v: %d numbers of x in %d dimensions, %d of y in %d", f.Extents, len(b.X), b.DX, len(b.Y), b.DY)
	}
	f.x, f.y = b.X, b.Y
	f.packContext(b.X, b.Y, b.DX, b.DY)
	f.packRanges(points)
	if points == TargetPoints {
		return f.keepTargets(step, d)
	}
	if f.Own = d.take(f, b); !f.Own {
		d.fill(f, uint64(step), 0)
	}
	return nil
}

func refuse(b *datasets.Batch, expected string) error {
	return &invalid.Input{Found: fmt.Sprintf("%d groups of %d points, %d of them context", b.Groups, b.Points, b.Context), Expected: expected}
}

// keepTargets makes the targets the points of the feed and draws their random numbers.
func (f *Feed) keepTargets(step int, d Draws) error {
	b := &f.batch
	if b.Points == b.Context {
		return &invalid.Input{Found: fmt.Sprintf("%d points, all of them context", b.Points), Expected: "at least one target, or train.loss: all"}
	}
	f.targetX = targets(f.targetX, b, b.X, b.DX)
	f.targetY = targets(f.targetY, b, b.Y, b.DY)
	f.x, f.y, f.Own = f.targetX, f.targetY, false
	f.Extents.Points = b.Points - b.Context
	d.fill(f, uint64(step), 0)
	return nil
}

// targets copies the targets' rows of v [B, N, width] to dst, [B, N−N_c, width] when it returns it.
func targets(dst []float32, b *datasets.Batch, v []float32, width int) []float32 {
	n := (b.Points - b.Context) * width
	dst = resize(dst, b.Groups*n)
	for group := range b.Groups {
		copy(dst[group*n:][:n], v[(group*b.Points+b.Context)*width:])
	}
	return dst
}

// Targets fills the feed for a prediction. It takes the context of one group, contextX [N_c, dx]
// and contextY [N_c, dy], and a run of its targets, x [N, dx]. group is the number of the
// group, and first is the number of the first target of the run.
func (f *Feed) Targets(d Draws, group, first int, contextX, contextY, x []float32, dx, dy int) {
	context := len(contextX) / dx
	f.Extents = ops.Extents{Groups: 1, Context: context, Points: context, Levels: d.count}
	f.packContext(contextX, contextY, dx, dy)
	f.Extents.Points = len(x) / dx
	f.x, f.y = x, nil
	d.fill(f, uint64(group), first)
}

// Target fills the feed for a prediction of one target, x [B, dx], in B groups: contexts [B] are
// their context points, each [N_c, width] with x and y side by side. group is the step of their random
// numbers, and first is the number of the first of them in it.
func (f *Feed) Target(d Draws, group, first int, contexts [][]float32, x []float32, width int) {
	f.Extents = ops.Extents{Groups: len(contexts), Context: len(contexts[0]) / width, Points: 1, Levels: d.count}
	f.context = slices.Concat(contexts...)
	f.x, f.y = x, nil
	d.fill(f, uint64(group), first)
}

// packContext copies the context points, which are the first points of each group.
func (f *Feed) packContext(x, y []float32, dx, dy int) {
	e := f.Extents
	f.context = resize(f.context, e.Rows(ops.Context)*(dx+dy))
	for group := range e.Groups {
		first, rows := group*e.Points, f.context[group*e.Context*(dx+dy):]
		setColumns(rows, 0, dx+dy, x[first*dx:][:e.Context*dx], dx)
		setColumns(rows, dx, dx+dy, y[first*dy:][:e.Context*dy], dy)
	}
}

// setColumns copies v [n, width] to the columns of dst [n, all] that begin at first. It goes by columns, because
// rows are a few numbers: a copy of each would take longer than they do.
func setColumns(dst []float32, first, all int, v []float32, width int) {
	for column := range width {
		for from, to := column, first+column; from < len(v); from, to = from+width, to+all {
			dst[to] = v[from]
		}
	}
}

// packRanges divides the ranges of the batch into those of context points and those of points.
func (f *Feed) packRanges(points Points) {
	b := &f.batch
	for i := range f.ranges {
		f.ranges[i] = f.ranges[i][:0]
	}
	for at := 0; at < len(b.Ranges); at += 4 {
		r, context := b.Ranges[at:at+4], at/4%b.Points < b.Context
		if context {
			f.ranges[0], f.ranges[1] = append(f.ranges[0], r[:2]...), append(f.ranges[1], r[2:]...)
		}
		if !context || points == AllPoints {
			f.ranges[2], f.ranges[3] = append(f.ranges[2], r[:2]...), append(f.ranges[3], r[2:]...)
		}
	}
}

// Levels returns u [B, N, N_τ] of a quantile model, or nil if the feed does not hold the levels
// (see Draws.Elsewhere). The slice is valid until the feed is filled again.
func (f *Feed) Levels() []float32 { return f.levels }

// Context returns the context points of a group, [N_c, dx+dy]. The slice is valid until the feed is
// filled again.
func (f *Feed) Context(group int) []float32 {
	n := len(f.context) / f.Extents.Groups
	return f.context[group*n:][:n]
}

// X returns x [B, N, dx]. The slice is valid until the feed is filled again.
func (f *Feed) X() []float32 { return f.x }

// Y returns y [B, N, dy], or nil in a prediction. The slice is valid until the feed is filled again.
func (f *Feed) Y() []float32 { return f.y }

// Inputs are the inputs of a compiled graph: an engine.Program or an engine.Trainer.
type Inputs interface {
	Input(name string) []float32
}

// Write copies the feed to the inputs. The program's capacity must be at least the extents.
func (f *Feed) Write(p Inputs) {
	for _, in := range [...]struct {
		name string
		v    []float32
	}{
		{"context", f.context}, {"x", f.x}, {"y", f.y}, {"u", f.levels},
		{"resample_context", f.resampleContext}, {"resample_residual", f.resampleResidual},
	} {
		if in.v != nil {
			copy(p.Input(in.name), in.v)
		}
	}
	for i, v := range f.ranges {
		if len(v) == 0 {
			continue
		}
		copy(p.Input(rangeInputs[i]), v)
	}
}
