package predict_test

import (
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/test/must"
)

// jointly predicts with n joint draws.
func jointly(t *testing.T, o predict.Trained, n int, groups ...points.Question) []predict.Target {
	t.Helper()
	var all []predict.Target
	for p, err := range predict.WithJointDraws(t.Context(), o, groups, predict.JointDraws{Number: n, Seed: 43}, o.Predict(t.Context(), groups)) {
		must.Do(t, err)
		all = append(all, p)
	}
	return all
}

// given returns the group with its first targets moved into the context.
func given(f points.Question, y []float64) points.Question {
	n := len(y) / 2
	return points.Question{Known: points.New(1, 2, slices.Concat(f.Known.X, f.Targets.X[:n]), slices.Concat(f.Known.Y, y)), Targets: points.New(1, 0, f.Targets.X[n:n+1], nil)}
}

// The chain rule by hand: each target is predicted from a context with the targets before it. One
// channel is a logarithm, so densities have its Jacobian.
func TestJointLogDensityIsTheChainRule(t *testing.T) {
	for _, model := range []string{"acqnp", "cqnp", "cnp", "bnp"} {
		o := askLanes(t, model)
		o.Levels, o.Bootstraps = predict.GridLevels, 3
		o.Units.Scaling.YForms = logUnits().Scaling.YForms
		o.Units.Scaling.YOffset[1], o.Units.Scaling.YScale[1] = 2, 0.25
		f, y := lanes()[1], []float64{50, 3, 40, 8, 30, 5}
		want := 0.0
		for i := range 3 {
			for _, p := range collect(t, o, given(f, y[:2*i])) {
				for c, d := range p.Channels {
					want += d.LogDensity(y[2*i+c])
				}
			}
		}
		f.Targets = points.New(1, 2, f.Targets.X, y)
		got, err := predict.JointLogDensity(o, f)
		if err != nil || math.Abs(got-want) > 1e-5*math.Abs(want) { // sums of float32 in another order
			t.Errorf("%s: %v, want %v (%v)", model, got, want, err)
		}
	}
	bad := lanes()[1]
	bad.Targets.DY, bad.Targets.Y = 2, []float64{1, 2}
	if _, err := predict.JointLogDensity(askLanes(t, "cnp"), bad); err == nil {
		t.Error("two numbers of y for three targets of two channels were accepted")
	}
}

// A joint draw at a target comes from the prediction given the draws before it: its position in that
// distribution is the position of the independent draw with the same random numbers. CNP's one
// Gaussian makes a position of a number.
func TestJointDrawsAreConditional(t *testing.T) {
	o, f := askLanes(t, "cnp"), lanes()[1]
	const n = 4
	independent := collect(t, o, f)
	targets := jointly(t, o, n, f)
	for draw := range n {
		var before []float64
		for i, p := range targets {
			y := p.Draws[2*draw:][:2]
			conditional := collect(t, o, given(f, before))[0]
			alone := jointly(t, o, n, points.Question{Known: points.New(1, 2, f.Known.X, f.Known.Y), Targets: points.New(1, 0, f.Targets.X[:1], nil)})[0].Draws[2*draw:][:2]
			for c, d := range conditional.Channels {
				if i == 0 && math.Abs(y[c]-alone[c]) > 1e-4 {
					t.Errorf("draw %d: %v at the first target, want %v", draw, y, alone)
				}
				if p.Channels[c].Mean() != independent[i].Channels[c].Mean() {
					t.Errorf("the prediction at target %d changed", i)
				}
				if z := (y[c] - d.Mean()) / math.Sqrt(d.Variance()); math.Abs(z) > 5 {
					t.Errorf("draw %d at target %d: %v is %v deviations from the conditional mean", draw, i, y[c], z)
				}
			}
			before = append(before, y...)
		}
	}
}

// The draws of one number are the same whatever their number, also with random levels.
func TestJointDrawsDoNotDependOnTheirNumber(t *testing.T) {
	o, groups := askLanes(t, "acqnp"), lanes()
	few, many := jointly(t, o, 2, groups...), jointly(t, o, 5, groups...)
	for i, p := range few {
		for k, v := range p.Draws {
			if math.Abs(v-many[i].Draws[k]) > 1e-4*math.Abs(v) { // float32 in runs of other sizes
				t.Errorf("target %d: %v of 2 draws, %v of 5", i, p.Draws, many[i].Draws)
			}
		}
	}
}

func TestTooManyJointDrawsAreRefused(t *testing.T) {
	o, f := askLanes(t, "cnp"), lanes()[0]
	for _, c := range []struct{ targets, draws int }{{10_001, 1}, {5000, 100_000}} {
		f.Targets.X = make([]float64, c.targets)
		for _, err := range predict.WithJointDraws(t.Context(), o, []points.Question{f}, predict.JointDraws{Number: c.draws}, o.Predict(t.Context(), []points.Question{f})) {
			must.Refuse(t, err, "--joint: found")
		}
	}
}
