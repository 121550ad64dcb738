package figures_test

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot/plotter"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/figures"
	"github.com/acqnp/acqnp/internal/input"
)

func TestCollectFillsPanelsOnTheWay(t *testing.T) {
	o, functions := tiny(t, "acqnp", 2), lanes()
	panels := figures.NewPanels(functions, 2, 1, []float64{0.1, 0.9})
	passed := 0
	for target, err := range figures.Collect(panels, functions, 1, o.Predict(t.Context(), functions)) {
		if err != nil {
			t.Fatal(err)
		}
		passed++
		d, point := target.Channels[1], panels[target.Function].Grid[target.Target]
		if point.X != functions[target.Function].TargetX[target.Target] || point.Mean != d.Mean() ||
			cmp.Diff(point.Quantiles, []float64{d.Quantile(0.1), d.Quantile(0.9)}) != "" || len(point.Components) != 4 {
			t.Errorf("target %d/%d became %+v", target.Function, target.Target, point)
		}
		for k, c := range d.Components() {
			if point.Components[k] != (figures.Component{U: c.U, Tau: c.Tau, Mu: c.Mu, Weight: c.Weight}) {
				t.Errorf("component %+v became %+v", c, point.Components[k])
			}
		}
	}
	if passed != 5 {
		t.Errorf("%d of 5 targets passed on", passed)
	}
	if diff := cmp.Diff(plotter.XYs{{X: 100, Y: 1}, {X: 900, Y: 2}, {X: 1700, Y: 3}}, panels[0].Context); diff != "" || panels[0].Title != "lane 2" {
		t.Error(diff, panels[0].Title)
	}
	if err := figure(panels...).Save(t.TempDir() + "/lanes.png"); err != nil {
		t.Error(err)
	}
}

func TestBatchPanelsAreInRawUnits(t *testing.T) {
	o := tiny(t, "cnp", 1)
	b := &datasets.Batch{Functions: 6, Points: 3, Context: 2, DX: 1, DY: 1, X: make([]float32, 18), Y: make([]float32, 18)}
	copy(b.X[3:], []float32{0.25, 0.75, 0.5}) // the second function
	copy(b.Y[3:], []float32{1, 0.5, 0.125})
	panels, err := figures.BatchPanels(t.Context(), o, b, 0, []float64{0.5})
	if err != nil {
		t.Fatal(err)
	}
	if len(panels) != 4 {
		t.Fatalf("%d panels", len(panels))
	}
	p := panels[1] // raw x = 2000·x − 100, y = 70·y
	if diff := cmp.Diff([]plotter.XYs{{{X: 400, Y: 70}, {X: 1400, Y: 35}}, {{X: 900, Y: 8.75}}}, []plotter.XYs{p.Context, p.Targets}); diff != "" {
		t.Error(diff)
	}
	if n := len(p.Grid); n < 100 || p.Grid[0].X != 400 || p.Grid[n-1].X != 1400 {
		t.Errorf("a grid of %d points from %v", n, p.Grid[0].X)
	}
	for _, q := range p.Grid {
		if len(q.Components) != 0 || math.Abs(q.Mean-q.Quantiles[0]) > 1e-9 {
			t.Fatalf("a Gaussian point %+v", q)
		}
	}
	b.DX = 2
	var bad *input.Error
	if _, err := figures.BatchPanels(t.Context(), o, b, 0, nil); !errors.As(err, &bad) {
		t.Errorf("two-dimensional x: %v", err)
	}
}
