package figures_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot/plotter"

	"github.com/acqnp/acqnp/internal/report/figures"
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
