package figures_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/report/figures"
	"github.com/acqnp/acqnp/internal/test/must"
)

// twoBatches is a source of two batches of two groups and one.
var twoBatches = &datasets.Source{DX: 1, DY: 1, EvalNames: func(batch int) []string { return [][]string{{"a", ""}, {"c"}}[batch] },
	Eval: datasets.Batches{Size: datasets.Size{Groups: 2, Points: 3, Context: 2}, Count: 2, Make: func(i int, b *datasets.Batch) error {
		*b = datasets.Batch{Groups: 2 - i, Points: 3, Context: 2 - i, DX: 1, DY: 1, X: make([]float32, 6), Y: make([]float32, 6)}
		copy(b.X[3*(1-i):], []float32{0.25, 0.75, 0.5}) // the last group of the batch
		copy(b.Y[3*(1-i):], []float32{1, 0.5, 0.125})
		return nil
	}}}

func TestSubjectsAreNamedGroupsInRawUnits(t *testing.T) {
	all := must.Get(figures.Subjects(twoBatches, laneLike(1), 9))(t)
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	must.Same(t, []string{"a", "group 1", "c"}, names)
	fewer := must.Get(figures.Subjects(twoBatches, laneLike(1), 2))(t)
	must.Same(t, all[:2], fewer)
	// raw x = 2000·x − 100, y = 70·y
	held := points.New(1, 1, []float64{1400, 900}, []float64{35, 8.75})
	for i, want := range map[int]figures.Subject{
		1: {Question: points.Question{Name: "group 1", Known: points.New(1, 1, []float64{400, 1400}, []float64{70, 35}), Targets: held.Cut(1, 2)}, Held: held.Cut(1, 2)},
		2: {Question: points.Question{Name: "c", Known: points.New(1, 1, []float64{400}, []float64{70}), Targets: held}, Held: held},
	} {
		must.Same(t, want, all[i])
	}
}

// curves returns the panels of densities of subjects, with the median.
func curves(t *testing.T, o predict.Trained, subjects ...figures.Subject) []figures.Panel {
	t.Helper()
	figure, err := figures.NewPrediction(t.Context(), o, subjects, figures.Options{Levels: []float64{0.5}})
	fit, ok := figure.(figures.FitPlot)
	if err != nil || !ok {
		t.Fatalf("error %v, a %T", err, figure)
	}
	return fit.Panels
}

func TestDensityPanelsCoverContextAndTargets(t *testing.T) {
	for _, model := range []string{"cnp", "acqnp"} {
		o := tiny(t, model, 2)
		o.Units.XNames, o.Units.YNames = []string{"flow"}, []string{"speed", "noise"}
		f := lanes()[0]
		panels := curves(t, o, figures.Subject{Question: f, Held: points.New(1, 2, []float64{7}, []float64{8, 9})})
		if len(panels) != 2 || panels[1].YLabel != "noise" || panels[1].Title != f.Name {
			t.Fatalf("%s: %d panels, the second %q of %q", model, len(panels), panels[1].Title, panels[1].YLabel)
		}
		for c, p := range panels {
			must.Same(t, plotter.XYs{{X: 7, Y: float64(8 + c)}}, p.Targets)
			must.Same(t, []float64{0.5}, p.Quantiles)
			if n := len(p.Grid); n < 200 || p.Grid[0].X != 0 || p.Grid[n-1].X != 1700 { // of targets, of the context
				t.Errorf("%s: a grid of %d points from %v", model, n, p.Grid[0].X)
			}
			for _, q := range p.Grid {
				if q.Density == nil {
					t.Fatalf("%s: a point %+v", model, q)
				}
			}
		}
	}
}

// The levels of a file can be many and random. A picture takes fewer, evenly spaced ones, and x of
// its own: its size depends neither on levels nor on targets.
func TestPredictionsOfManyPointsAreSmall(t *testing.T) {
	o := tiny(t, "acqnp", 1)
	o.Units.XNames, o.Units.YNames, o.NumTau = []string{"x"}, []string{"y"}, 3
	many := func(n int) figures.Subject {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(i * 7919 % n)
		}
		targets := points.New(1, 1, x, x)
		return figures.Subject{Question: points.Question{Name: "many", Known: points.New(1, 1, []float64{1, 2}, []float64{30, 40}), Targets: targets}, Held: targets}
	}
	for _, extension := range []string{".png", ".svg", ".pdf"} {
		path := filepath.Join(t.TempDir(), "many"+extension)
		figure, err := figures.NewPrediction(t.Context(), o, []figures.Subject{many(200_000)}, figures.Options{})
		must.Do(t, errors.Join(err, figure.Save(path, nil)))
		info := must.Get(os.Stat(path))(t)
		if info.Size() > 1<<20 {
			t.Errorf("%s has %d bytes", extension, info.Size())
		}
	}
}

func TestPredictionsOfOddSubjects(t *testing.T) {
	o := tiny(t, "acqnp", 1)
	o.Units.XNames, o.Units.YNames = []string{"x"}, []string{"y"}
	subject := func(x, y, targets []float64) figures.Subject {
		return figures.Subject{Question: points.Question{Known: points.New(1, 1, x, y), Targets: points.New(1, 0, targets, nil)}}
	}
	for name, s := range map[string]figures.Subject{
		"one":        subject([]float64{5}, []float64{6}, []float64{5}),
		"no context": subject(nil, nil, []float64{1, 2}),
		"no targets": subject([]float64{1}, []float64{2}, nil),
		"nothing":    subject(nil, nil, nil),
		"same x":     subject([]float64{1, 1}, []float64{2, 3}, slices.Repeat([]float64{1}, 50)),
		"huge":       subject([]float64{-1e4, 1e4}, []float64{1e3, -1e3}, []float64{0}),
	} {
		figure, err := figures.NewPrediction(t.Context(), o, []figures.Subject{s}, figures.Options{Levels: []float64{0.5}})
		if err := errors.Join(err, figure.Save(filepath.Join(t.TempDir(), "odd.png"), nil)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestManyGroupsAreSaidToBeCut(t *testing.T) {
	o := tiny(t, "cnp", 1)
	o.Units.XNames, o.Units.YNames = []string{"x"}, []string{"y"}
	subjects := slices.Repeat([]figures.Subject{{Question: points.Question{Targets: points.New(1, 0, []float64{1, 2}, nil)}}}, 8)
	for n, want := range map[int]bool{8: true, 6: false} {
		figure := must.Get(figures.NewPrediction(t.Context(), o, subjects[:n], figures.Options{}))(t)
		fit := figure.(figures.FitPlot)
		if said := strings.Contains(fit.Title, "(first 6 of 8 groups)"); len(fit.Panels) != 6 || said != want {
			t.Errorf("%d groups: %d panels, titled %q", n, len(fit.Panels), fit.Title)
		}
	}
}
