package predict

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/feed"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/run"
)

// A chain computes the joint log-likelihood of the first targets of each group of an evaluation
// batch, in the model's units. By the chain rule, each target of an order is scored with those before it
// in the context. All groups and many orders go through one run of the program.
//
// A target has the quantile levels of the batch's own log-likelihood, in every order. Bootstraps are
// drawn for every context, even if a tasks file has some.
type chain struct {
	runner
	feed            feed.Feed
	draws           feed.Draws // bootstraps; none for other models
	scaling         datasets.Scaling
	random          random.Generator
	targets, orders int
	atOnce          int // orders in one run
	dx, width       int // of x, and of x and y together

	extents ops.Extents // of the batch
	numTau  int         // of the batch; 0 for a model without levels
	known   []float32   // [B, N_c, width]: its context
	unknown []float32   // [B, targets, width]: its first targets
	levels  []float32   // [B, targets, N_τ]: their levels
	shift   float64     // the mean of their datasets.Scaling.PointShift
}

func newChain(t Trained, source *datasets.Source, o EvalOptions) (*chain, error) {
	if err := t.CheckGroups(); err != nil {
		return nil, err
	}
	d, err := t.draws()
	if err != nil {
		return nil, err
	}
	c := &chain{runner: t.runner(models.Evaluation), scaling: t.Units.Scaling, targets: o.JointTargets, orders: max(1, o.Orders),
		random: random.New(t.Seed, random.Orders|random.Evaluation)}
	if t.Model.Bootstrap() {
		c.draws = d
	}
	dx, dy := t.Model.Dims()
	c.dx, c.width = dx, dx+dy
	size := source.Eval.Size
	context := size.Context + c.targets - 1
	c.atOnce = min(c.orders, max(1, pointsAtOnce/(size.Groups*(context+1))))
	c.Feeds, c.Keys = 1, source.Eval.Keys
	c.Capacity = ops.Extents{Groups: size.Groups * c.atOnce, Context: context, Points: 1, Levels: d.Count()}
	return c, nil
}

// take copies the context, the first targets and their levels from the feed of a batch.
func (c *chain) take(_ int, f *feed.Feed) error {
	e, dy := f.Extents, c.width-c.dx
	if n := e.Points - e.Context; n < c.targets {
		return &invalid.Input{File: "--joint", Found: strconv.Itoa(c.targets),
			Expected: fmt.Sprintf("at most %d, the targets of each group", n)}
	}
	c.extents, c.numTau = e, 0
	if c.Model.Quantile() {
		c.numTau = e.Levels
	}
	c.known, c.unknown, c.levels, c.shift = c.known[:0], c.unknown[:0], c.levels[:0], 0
	for b := range e.Groups {
		c.known = append(c.known, f.Context(b)...)
		for k := range c.targets {
			at := b*e.Points + e.Context + k
			c.unknown = append(append(c.unknown, f.X()[at*c.dx:][:c.dx]...), f.Y()[at*dy:][:dy]...)
			c.levels = append(c.levels, f.Levels()[at*c.numTau:][:c.numTau]...)
			if c.scaling.PointShifts() {
				c.shift += c.scaling.PointShift(f.Y()[at*dy:][:dy]) / float64(e.Groups*c.targets)
			}
		}
	}
	return nil
}

// score sets the joint log-likelihood of batch i: the mean over its groups of log(mean of p)/M, where
// p is the joint density of the M targets in each order.
func (c *chain) score(ctx context.Context, i int, r *run.BatchResult) error {
	logs := make([][]float64, c.extents.Groups) // of each group: log p of each order
	for first := 0; first < c.orders; first += c.atOnce {
		if err := c.run(ctx, i, first, min(c.atOnce, c.orders-first), logs); err != nil {
			return err
		}
	}
	sum := 0.0
	for _, l := range logs {
		sum += likelihood.LogSumExp(l) - math.Log(float64(c.orders))
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return fmt.Errorf("the joint log-likelihood is not finite (%v)", sum)
	}
	mean := sum / float64(c.targets*len(logs))
	r.JointLL, r.RawJoint = &mean, c.shift
	return nil
}

// run appends log p of n orders, from order first on, to those of every group of batch i.
func (c *chain) run(ctx context.Context, i, first, n int, logs [][]float64) error {
	var paths []path
	for order := first; order < first+n; order++ {
		for b := range logs {
			paths = append(paths, c.path(i, order, b))
		}
	}
	sums := make([]float64, len(paths))
	for k := range c.targets {
		if err := ctx.Err(); err != nil {
			return err
		}
		densities, err := c.scoreTarget(i, k, paths)
		if err != nil {
			return err
		}
		for p, v := range densities {
			sums[p] += float64(v)
		}
	}
	for p, sum := range sums {
		b := p % len(logs)
		logs[b] = append(logs[b], sum)
	}
	return nil
}

// scoreTarget returns the log density of target k of each path, given its context and the targets before.
func (c *chain) scoreTarget(i, k int, paths []path) ([]float32, error) {
	var contexts [][]float32
	var x, y, levels []float32
	known := (c.extents.Context + k) * c.width
	for _, p := range paths {
		next := p.points[known:][:c.width]
		contexts, x, y = append(contexts, p.points[:known]), append(x, next[:c.dx]...), append(y, next[c.dx:]...)
		levels = append(levels, p.levels[k*c.numTau:][:c.numTau]...)
	}
	c.feed.Target(c.draws, i, 0, contexts, x, c.width)
	e := c.feed.Extents
	e.Levels = max(e.Levels, c.numTau)
	program, err := c.programFor(e)
	if err != nil {
		return nil, err
	}
	c.feed.Write(program)
	copy(program.Input("y"), y)
	copy(program.Input("u"), levels)
	if err := program.Run(e); err != nil {
		return nil, err
	}
	return program.Output("loglik"), nil
}

// A path is a group with its targets in one order.
type path struct {
	points []float32 // [N_c+targets, width]
	levels []float32 // [targets, N_τ]
}

// path returns group b of batch i in one of its orders. The order depends on the seed and on these
// three numbers alone.
func (c *chain) path(i, order, b int) path {
	targets := make([]int, c.targets)
	c.random.Perm(uint64(i)<<32|uint64(order*c.extents.Groups+b), targets)
	n := c.extents.Context * c.width
	p := path{points: append(make([]float32, 0, n+c.targets*c.width), c.known[b*n:][:n]...)}
	for _, k := range targets {
		at := b*c.targets + k
		p.points = append(p.points, c.unknown[at*c.width:][:c.width]...)
		p.levels = append(p.levels, c.levels[at*c.numTau:][:c.numTau]...)
	}
	return p
}

// addTo states what the joint log-likelihood is of.
func (c *chain) addTo(e *run.Eval) { e.JointTargets, e.JointOrders = c.targets, c.orders }
