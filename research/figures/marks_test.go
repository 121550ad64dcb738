package main

import (
	"image"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/report/figures"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
)

// panel returns a figure of levels at x from 0 to n.
func panel(t *testing.T, n int, levels func(x int) []level) image.Image {
	t.Helper()
	marks := make(levelMarks, n)
	for x := range marks {
		marks[x] = levelsAt{float64(x), levels(x)}
	}
	p := figures.Panel{YRange: []float64{0, 4}, Marks: []figures.Mark{marks.mark()}}
	return drawn(t, figures.FitPlot{X: figures.Axis{Name: "x"}, Panels: []figures.Panel{p}})
}

func TestLevelsAreColouredByTau(t *testing.T) {
	for name, u := range map[string]func(x int, tau float64) float64{
		"curves": func(_ int, tau float64) float64 { return tau },
		"dots":   func(x int, tau float64) float64 { return tau + float64(x)/1000 },
	} {
		img := panel(t, 200, func(x int) []level {
			low, high := level{u: u(x, 0.01), tau: 0.01, y: 1, weight: 0.5}, level{u: u(x, 0.99), tau: 0.99, y: 3, weight: 0.5}
			if x == 50 {
				low.y, high.weight = math.NaN(), math.NaN()
			}
			return []level{low, high}
		})
		// Each half has the colour of its level alone, and at least some hundred pixels of it.
		for half, accept := range map[float64][2]func(r, g, b int) bool{0.14: {green, purple}, 0.53: {purple, green}} {
			if own, other := count(img, 0.09, half, 0.98, half+0.35, accept[0]), count(img, 0.09, half, 0.98, half+0.35, accept[1]); own < 300 || other > 0 {
				t.Errorf("%s: %d pixels of the level of the half, %d of the other", name, own, other)
			}
		}
	}
	if n := count(panel(t, 100, func(x int) []level { return make([]level, x%3) }), 0.09, 0.14, 0.98, 0.9, coloured); n > 0 {
		t.Errorf("%d pixels of levels without a weight", n)
	}
}

func TestHeavyLevelsAreDarker(t *testing.T) {
	img := panel(t, 100, func(int) []level {
		return []level{{u: 0.1, tau: 0.1, y: 1, weight: 0.7}, {u: 0.2, tau: 0.1, y: 3, weight: 0.29}, {u: 0.3, tau: 0.1, y: 3.5, weight: 0.01}}
	})
	darkest := func(top, bottom float64) int {
		least := 0x2ff
		count(img, 0.2, top, 0.9, bottom, func(r, g, b int) bool {
			if r > g+8 && b > g+8 { // of the levels' purple
				least = min(least, r+g+b)
			}
			return false
		})
		return least
	}
	heavy, light := darkest(0.55, 0.9), darkest(0.14, 0.5)
	if heavy >= light || light > 0x2f0 {
		t.Errorf("brightness %d of the heavy level, %d of the light one", heavy, light)
	}
}

// A panel has the levels of the model's own prediction at each x, in raw units.
func TestLevelsAreThoseOfTheModel(t *testing.T) {
	m := must.Get(models.New(config.Model{Name: "acqnp", Representation: 6, Encoder: []int{7}, Decoder: []int{7}, Adaptor: []int{5}}, 1, 2))(t)
	scaling := datasets.Scaling{XOffset: []float64{-100}, XScale: []float64{2000}, YOffset: []float64{0, 10}, YScale: []float64{70, 70}}
	r := figures.Run{Ask: predict.Trained{Model: m, Params: m.Initial(3), NumTau: 4, Levels: predict.RandomLevels, Seed: 43, Device: device.CPU(1),
		Units: run.Units{Scaling: scaling, XNames: []string{"flow"}, YNames: []string{"speed", "noise"}}}}
	f := points.Question{Name: "lane 2", Known: points.New(1, 2, []float64{100, 900, 1700}, []float64{60, 1, 50, 2, 20, 3}), Targets: points.New(1, 0, []float64{0, 1000.5}, nil)}
	c, err := column(t.Context(), r, []figures.Subject{{Question: f}}, levelsOf)
	if err != nil {
		t.Fatal(err)
	}
	found := c.Panels[0].Marks[0].Plotter.(levelMarks)
	f.Targets.X = nil
	for _, q := range found {
		f.Targets.X = append(f.Targets.X, q.x)
	}
	if n := len(f.Targets.X); n < 200 || f.Targets.X[0] != 0 || f.Targets.X[n-1] != 1700 { // of targets, of the context
		t.Fatalf("%d points from %v", n, f.Targets.X[0])
	}
	r.Ask.NumTau = figureLevels
	var want levelMarks
	for target, err := range r.Ask.Predict(t.Context(), []points.Question{f}) {
		if err != nil {
			t.Fatal(err)
		}
		at := levelsAt{x: f.Targets.X[target.Target]}
		for _, own := range target.Channels[0].Components() {
			at.levels = append(at.levels, level{own.U, own.Tau, own.Mu, own.Weight})
		}
		want = append(want, at)
	}
	if diff := cmp.Diff(want, found, cmp.AllowUnexported(level{}, levelsAt{})); diff != "" || len(want[0].levels) != figureLevels {
		t.Error(diff)
	}
}
