package golden_test

import (
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/test/must"
)

// A point's prediction depends only on the context and on its own x and levels. It has the same
// bits if the other points move, and if they are absent.
func TestPointsDoNotSeeOneAnother(t *testing.T) {
	everywhere(t, checkAlone[float64], checkAlone[float32])
}

func checkAlone[T engine.Float](t *testing.T, g *golden, on compile[T], _ float64) {
	p, b := start(t, g, on, models.Prediction), g.main()
	e := b.extents
	together := predictions(t, p, b)
	for point := range e.Points {
		want := together.points(e, point, point+1)
		others := func(i int) bool { return i != point }
		want.same(t, point, "where the others move", predictions(t, p, b.moved(others, g.dx)).points(e, point, point+1))
		want.same(t, point, "without the others", predictions(t, p, b.points(point, point+1, g.dx, g.dy)))
		if moves := predictions(t, p, b.moved(func(i int) bool { return i == point }, g.dx)); moves.points(e, point, point+1).equal(want) {
			t.Errorf("point %d: the prediction does not depend on x", point)
		}
	}
}

// TestPointsOfOtherTilesDoNotSeeOneAnother does the same for a transformer with more rows than a
// tile of the CPU engine has.
func TestPointsOfOtherTilesDoNotSeeOneAnother(t *testing.T) {
	g := load(t, "testdata/acqnp-transformer-wide.safetensors")
	e := ops.Extents{Groups: 2, Context: 40, Points: 300, Levels: 3}
	p := must.Get(onCPU(g.model, e, models.Prediction))(t)
	defer p.Close()
	fill(p.Params(), g.flat("w."))
	b := batch{extents: e, context: waves(e.Rows(ops.Context) * 2), x: waves(e.Rows(ops.Point)), y: waves(e.Rows(ops.Point)), u: waves(e.Rows(ops.Row))}
	together := predictions(t, p, b)
	for _, from := range []int{0, 130, 297} {
		together.points(e, from, from+3).same(t, from, "without the others", predictions(t, p, b.points(from, from+3, 1, 1)))
	}
}

// waves returns n numbers from 0.01 to 0.99.
func waves(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 0.5 + 0.49*math.Sin(float64(7*i+1))
	}
	return v
}

// moved returns the batch with another x for the points that are chosen by their number.
func (b batch) moved(chosen func(point int) bool, dx int) batch {
	b.x = slices.Clone(b.x)
	for i := range b.x {
		if chosen(i / dx % b.extents.Points) {
			b.x[i] = 0.7 - 2*b.x[i]
		}
	}
	return b
}

// predicted holds copies of the outputs of a run, [B·N, ·] each.
type predicted[T engine.Float] struct{ components, logit []T }

func predictions[T engine.Float](t *testing.T, p engine.Program[T], b batch) predicted[T] {
	t.Helper()
	run(t, p, models.Prediction, b)
	v := predicted[T]{components: slices.Clone(p.Output("components"))}
	if b.u != nil {
		v.logit = slices.Clone(p.Output("logit"))
	}
	return v
}

// points returns the outputs for points [from, to) of every group.
func (v predicted[T]) points(e ops.Extents, from, to int) predicted[T] {
	each := func(v []T) []T { return part(v, e.Groups, e.Points, from, to, len(v)/e.Rows(ops.Point)) }
	return predicted[T]{components: each(v.components), logit: each(v.logit)}
}

func (v predicted[T]) equal(w predicted[T]) bool {
	return slices.Equal(v.components, w.components) && slices.Equal(v.logit, w.logit)
}

func (v predicted[T]) same(t *testing.T, point int, when string, w predicted[T]) {
	t.Helper()
	if !v.equal(w) {
		t.Errorf("point %d: other predictions %s: components %v and %v", point, when, v.components, w.components)
	}
}
