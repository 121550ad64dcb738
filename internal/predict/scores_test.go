package predict_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// Outcomes that a model's own predictions draw have a uniform PIT in raw units, with a scale and
// with a logarithm. A chi squared of 19 degrees of freedom is below 43.8 for 999 of 1000 seeds.
func TestOutcomesDrawnByTheModelHaveAUniformPIT(t *testing.T) {
	for _, model := range []string{"acqnp", "cqnp", "cnp", "bnp"} {
		o := options(t, model, source{batches: 1}.of())
		o.Units, o.Levels = logUnits(), predict.GridLevels
		o.Units.Scaling.YScale[1] = 0.002 // so that no draw is 0 or infinite
		f := points.Question{Name: "f", Known: points.New(1, 2, []float64{0, 1}, []float64{17, 7, 15, 9}), Targets: points.New(1, 2, nil, nil)}
		const n = 1000
		for i := range n {
			f.Targets.X = append(f.Targets.X, -4+8*float64(i)/n)
		}
		g := random.New(11, random.Draws)
		predictions := o.Predict(t.Context(), []points.Question{f})
		for p, err := range predictions {
			must.Do(t, err)
			for c, d := range p.Channels {
				f.Targets.Y = append(f.Targets.Y, d.Draw(g, uint64(p.Target), uint64(c)))
			}
		}
		tally := score.NewTally([]string{"speed", "weight"})
		names := predict.Names{XNames: o.Units.XNames, YNames: o.Units.YNames, Questions: []points.Question{f}}
		must.Do(t, (predict.Scores{Names: names, Threads: 3}).Write("", tally, predictions))
		for _, c := range tally.Summary().PerChannel {
			chi := 0.0
			for _, share := range c.PIT {
				chi += 20 * n * (share - 0.05) * (share - 0.05)
			}
			if chi > 43.8 || c.Targets != n {
				t.Errorf("%s %s: chi squared %g of %d targets, PIT %v", model, c.Channel, chi, c.Targets, c.PIT)
			}
		}
	}
}

// An outcome without a finite score is an error that names the target.
func TestScoresAreFinite(t *testing.T) {
	o := options(t, "cnp", source{batches: 1}.of())
	o.Units = logUnits()
	f := points.Question{Known: points.New(1, 2, []float64{0}, []float64{17, 7}), Targets: points.New(1, 2, []float64{1, 2}, []float64{16, 8, math.Inf(1), 8})}
	names := predict.Names{XNames: o.Units.XNames, YNames: o.Units.YNames, Questions: []points.Question{f}}
	path := filepath.Join(t.TempDir(), "points.csv")
	err := predict.Scores{Names: names, Threads: 2}.Write(path, score.NewTally(o.Units.YNames), o.Predict(t.Context(), names.Questions))
	if err == nil || !strings.Contains(err.Error(), "group 0, target 1: found a log density of -Inf") {
		t.Error(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a failed call has left points.csv")
	}
}
