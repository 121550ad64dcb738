package figures_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/report/figures"
)

// mostMarks is the largest number of marks that a panel keeps of any prediction. A picture of
// 1200×800 has seven times as many pixels.
const mostMarks = 140_000

// marks counts the levels, quantiles and means that a panel keeps.
func marks(p figures.Panel) int {
	n := 0
	for _, q := range p.Grid {
		n += len(q.Components) + len(q.Quantiles) + 1
	}
	return n
}

// collect predicts targets from 0 to 1. It returns the panel and the number of predictions that
// Collect yielded.
func collect(t *testing.T, o predict.Trained, targets []float64, levels []float64) (panel figures.Panel, passed int) {
	t.Helper()
	o.Units.Scaling = datasets.ScalingOf(nil, 1, 1)
	functions := []predict.Function{{ContextX: []float64{0.5}, ContextY: []float64{1}, TargetX: targets}}
	panels := figures.NewPanels(functions, 1, 0, levels)
	for _, err := range figures.Collect(panels, functions, 0, o.Predict(t.Context(), functions)) {
		if err != nil {
			t.Fatal(err)
		}
		passed++
	}
	return panels[0], passed
}

func TestAPanelKeepsWhatAPictureShows(t *testing.T) {
	few, many := tiny(t, "acqnp", 1), tiny(t, "acqnp", 1)
	few.NumTau, many.NumTau = 4, 1500
	for name, c := range map[string]struct {
		options predict.Trained
		targets int
		levels  []float64
		widest  float64 // gap between neighbouring points, as a share of the panel's width
	}{
		"many targets": {few, 50_000, nil, 1.0 / 600},
		"quantiles":    {few, 40_000, []float64{0.1, 0.5, 0.9}, 1.0 / 600},
		"many levels":  {many, 700, nil, 1.0 / 100},
		"no levels":    {tiny(t, "cnp", 1), 200_000, nil, 1.0 / 600},
	} {
		t.Run(name, func(t *testing.T) {
			p, passed := collect(t, c.options, floats.Span(make([]float64, c.targets), 0, 1), c.levels)
			if passed != c.targets {
				t.Errorf("%d of %d predictions passed on", passed, c.targets)
			}
			if n := marks(p); n > mostMarks || n < mostMarks/3 {
				t.Errorf("keeps %d marks, want %d at most and a third of that at least", n, mostMarks)
			}
			if first, last := p.Grid[0].X, p.Grid[len(p.Grid)-1].X; first != 0 || last != 1 {
				t.Errorf("what is kept runs from %v to %v, want 0 to 1", first, last)
			}
			last := 0.0
			for _, q := range p.Grid {
				if q.X-last > c.widest {
					t.Errorf("nothing is kept from %v to %v", last, q.X)
				}
				last = q.X
			}
			if first, span := p.Grid[0].Components, 0.0; len(first) > 0 {
				for _, q := range first {
					span = math.Max(span, q.U)
				}
				if name == "many levels" && span < 0.9 {
					t.Errorf("the levels kept end at %v", span)
				}
			}
		})
	}
}

func TestOrdinaryPanelsKeepEveryTarget(t *testing.T) {
	o := tiny(t, "acqnp", 1)
	targets := floats.Span(make([]float64, 20_000), 0, 1)
	p, _ := collect(t, o, targets, nil)
	if len(p.Grid) != len(targets) || len(p.Grid[0].Components) != o.NumTau {
		t.Errorf("%d of %d targets kept, with %d of %d levels", len(p.Grid), len(targets), len(p.Grid[0].Components), o.NumTau)
	}
}

func TestTargetsApartFromTheCrowdAreKept(t *testing.T) {
	targets := append(floats.Span(make([]float64, 50_000), 0, 0.01), 0.3, 0.6, 1)
	p, _ := collect(t, tiny(t, "acqnp", 1), targets, nil)
	var apart []float64
	for _, q := range p.Grid {
		if q.X > 0.01 {
			apart = append(apart, q.X)
		}
	}
	if !floats.Equal(apart, []float64{0.3, 0.6, 1}) {
		t.Errorf("kept %v of the targets apart", apart)
	}
}

func TestTargetsAtOnePlaceAreThinned(t *testing.T) {
	p, _ := collect(t, tiny(t, "acqnp", 1), make([]float64, 50_000), nil)
	if n := marks(p); n > mostMarks || n == 0 {
		t.Errorf("keeps %d marks, want 1 to %d", n, mostMarks)
	}
}
