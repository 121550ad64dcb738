package fit_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// leveled fits groups of 6 points near a level of the group, instantly. Some y are near 0, and none is
// below.
func leveled(t *testing.T) answer.Predictor {
	t.Helper()
	g := random.New(9, random.Data)
	var rows []string
	for i := range uint64(24) {
		for k := range uint64(6) {
			rows = append(rows, fmt.Sprintf("%d,%.4f,%.4f", i, g.Float(i, 200+k), math.Abs(2+g.Normal(i, 0)+0.1*g.Normal(i, 10+k))))
		}
	}
	return instant(t, "group,x,y", "y ~ x | group", rows)
}

func TestJointPredictionsOfAFit(t *testing.T) {
	trained := leveled(t)
	t.Run("draws", func(t *testing.T) { jointDraws(t, trained) })
	t.Run("density", func(t *testing.T) { jointDensity(t, trained) })
}

// Joint draws of a new group share its level: of two targets they are near each other, by the noise of
// 0.1, though levels have a deviation of 1. Independent draws are not.
func jointDraws(t *testing.T, trained predict.Predictor) {
	asked := []points.Question{{Targets: points.New(1, 0, []float64{0.2, 0.8}, nil)}}
	const draws = 60
	var values [2][]float64
	for p, err := range predict.WithJointDraws(t.Context(), trained, asked, predict.JointDraws{Number: draws, Seed: 3}, trained.Predict(t.Context(), asked)) {
		must.Do(t, err)
		values[p.Target] = p.Draws
	}
	apart, wide := 0, 0
	for i := range draws {
		if math.Abs(values[0][i]-values[1][i]) > 0.5 {
			apart++
		}
		if math.Abs(values[0][i]-2) > 0.5 {
			wide++
		}
	}
	// Independent draws would be apart in 0.72 of all, 43; levels are off by 0.5 in 0.62 of all, 37.
	if apart > 15 || wide < 20 {
		t.Errorf("%d of %d joint draws are apart, %d are off the mean", apart, draws, wide)
	}
}

// The chain rule by hand.
func jointDensity(t *testing.T, trained answer.Predictor) {
	f := points.Question{Known: points.New(1, 1, []float64{0.5}, []float64{1.7}), Targets: points.New(1, 1, []float64{0.2, 0.8}, []float64{1.6, 1.9})}
	y, want := f.Targets.Y, 0.0
	for i := range y {
		f := points.Question{Known: points.New(1, 1, append([]float64{0.5}, f.Targets.X[:i]...), append([]float64{1.7}, y[:i]...)), Targets: points.New(1, 0, f.Targets.X[i:][:1], nil)}
		want += given(t, trained, f)[0].LogDensity(y[i])
	}
	if got, err := predict.JointLogDensity(trained, f); err != nil || math.Abs(got-want) > 1e-9 { // the same float64 sums
		t.Errorf("%v, want %v (%v)", got, want, err)
	}
	f.Targets.Y = y[:1]
	if _, err := predict.JointLogDensity(trained, f); err == nil {
		t.Error("one y for two targets was accepted")
	}
}
