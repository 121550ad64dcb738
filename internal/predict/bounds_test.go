package predict_test

import (
	"iter"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/predict/conformal"
)

// No calibration makes a y beyond a bound possible: one of 9 outcomes says nothing of the outermost tenth of a density.
func TestNothingLiesBeyondABound(t *testing.T) {
	low, high := 0.0, 100.0
	d := likelihood.Support{Low: &low, High: &high}.Of(likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: 60, Scale: 30}}))
	var outcomes [][]score.Outcome
	for i := range 9 {
		outcomes = append(outcomes, []score.Outcome{{PIT: (float64(i) + 0.5) / 9, Rank: (float64(i) + 0.5) / 9, Weight: 1}})
	}
	table := predict.Table{Names: predict.Names{XNames: []string{"x"}, YNames: []string{"y"}, Questions: []points.Question{{Targets: points.New(1, 0, []float64{1}, nil)}}},
		Wanted: []predict.Value{predict.Want("cdf", -1, 99, 100, 101), predict.Want("exceed", -1, 100, 101)}, Threads: 1,
		Calibrated: &conformal.Calibration{Channels: []conformal.ChannelCalibration{{Channel: "y", Calibration: score.Calibrate(outcomes)}}}}
	var predictions iter.Seq2[predict.Target, error] = func(yield func(predict.Target, error) bool) {
		yield(predict.Target{Channels: []predict.Distribution{{Distribution: d}}}, nil)
	}
	_, rows := writeTable(t, table, predictions)
	for column, want := range map[string]string{"cdf-1": "0", "cdf100": "1", "cdf101": "1", "exceed-1": "1", "exceed100": "0", "exceed101": "0"} {
		if found := rows[0][column]; found != want {
			t.Errorf("%s is %s, want %s", column, found, want)
		}
	}
	if found := float(t, rows[0]["cdf99"]); found >= 1 {
		t.Errorf("P(y ≤ 99) is %v, want less than 1", found)
	}
}
