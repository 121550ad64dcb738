package figures_test

import (
	"bytes"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict/conformal"
	"github.com/acqnp/acqnp/internal/report/figures"
	"github.com/acqnp/acqnp/internal/test/must"
)

// calibrated returns a calibration on a number of groups that replaces the level and the mass p by
// of(p).
func calibrated(groups int, of func(p float64) float64) *conformal.Calibration {
	c := conformal.ChannelCalibration{Channel: "rain", Calibration: score.Calibration{Groups: groups}}
	for i := range 1001 {
		c.Levels = append(c.Levels, of(float64(i)/1000))
		c.Masses = append(c.Masses, of(float64(i)/1000))
	}
	return &conformal.Calibration{Exchangeable: "group", Channels: []conformal.ChannelCalibration{c}}
}

func TestPicturesAreCalibrated(t *testing.T) {
	same := calibrated(2000, func(p float64) float64 { return p })
	lower := calibrated(2000, func(p float64) float64 { return p * p })
	for columnsOfX, name := range map[int]string{1: "curves", 2: "maps", 3: "intervals"} {
		o, s := columns(t, columnsOfX, false)
		draw := func(c *conformal.Calibration) []byte {
			figure := must.Get(figures.NewPrediction(t.Context(), o, []figures.Subject{s}, figures.Options{Calibrated: c}))(t)
			return save(t, figure, name+".svg")
		}
		if a, b := draw(same), draw(lower); bytes.Equal(a, b) || !bytes.Contains(a, []byte(", calibrated")) {
			t.Errorf("%s: the calibration changes nothing", name)
		}
	}
	// Smaller masses have smaller regions.
	o, s := columns(t, 1, false)
	dark := func(c *conformal.Calibration) int {
		figure := must.Get(figures.NewPrediction(t.Context(), o, []figures.Subject{{Question: points.Question{Targets: points.New(1, 0, s.Targets.X, nil)}}}, figures.Options{Calibrated: c}))(t)
		return count(picture(t, figure, "calibrated"), 0.1, 0.14, 0.95, 0.9, func(r, _, b int) bool { return r < 0x78 && b > 0x90 })
	}
	own, unchanged, smaller := dark(nil), dark(same), dark(lower)
	if own != unchanged || smaller*4 > own*3 || smaller == 0 {
		t.Errorf("%d, %d and %d pixels of the densest half, of the model's, unchanged and smaller masses", own, unchanged, smaller)
	}
}
