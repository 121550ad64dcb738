package pretrained_test

import (
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/pretrained"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
)

// TestDataUnlikeTheInvented: of white noise the network makes no curve, a stray does not widen everything,
// and far outside the data widths grow.
func TestDataUnlikeTheInvented(t *testing.T) {
	draw := random.New(13, random.Validation)
	none := points.New(1, 1, nil, nil)
	width := func(groups []points.Group, x float64) float64 {
		d := pretrained.New(groups, pretrained.MostSiblings).Given(none, points.New(1, 0, []float64{x}, nil))[0]
		return d.Quantile(0.95) - d.Quantile(0.05)
	}

	white := lines(20, 12)
	for k, g := range white {
		for i := range g.Y {
			g.X[i], g.Y[i] = draw.Normal(uint64(k), uint64(i)), draw.Normal(uint64(100+k), uint64(i))
		}
	}
	lost, n := 0.0, 0
	for k := range uint64(20) {
		context := points.New(1, 1, []float64{0.5, -0.5, 1}, []float64{draw.Normal(200+k, 1), draw.Normal(200+k, 2), draw.Normal(200+k, 3)})
		for i, d := range pretrained.New(white, pretrained.MostSiblings).Given(context, points.New(1, 0, []float64{-1, 0, 0.7, 1.5}, nil)) {
			y := draw.Normal(300+k, uint64(i))
			lost += -y*y/2 - math.Log(2*math.Pi)/2 - d.LogDensity(y)
			n++
		}
	}
	t.Logf("white noise: loses %.3f nats to the density that drew it", lost/float64(n))
	if lost/float64(n) > 0.1 { // 240 rows say the mean and the scale to 0.01; the rest is doubt about groups
		t.Errorf("white noise: loses %.3f nats to the density that drew it", lost/float64(n))
	}

	straight := lines(20, 12)
	near := width(straight, 0)
	for _, far := range []float64{-8, 8, 100} {
		wide := width(straight, far)
		t.Logf("x = %v: %.2f of the width at 0", far, wide/near)
		if !(wide > 1.05*near) {
			t.Errorf("x = %v: an interval of %.2f, at 0 of %.2f", far, wide, near)
		}
	}

	strayed := slices.Clone(straight)
	strayed[3].Y = slices.Clone(straight[3].Y)
	strayed[3].Y[0] += 20
	wide := width(strayed, 0)
	t.Logf("an outlier of 20 deviations: %.2f of the width without", wide/near)
	if !(wide < 2*near) {
		t.Errorf("an outlier: an interval of %.2f, without of %.2f", wide, near)
	}
}
