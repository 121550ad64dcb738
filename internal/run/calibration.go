package run

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/acqnp/acqnp/internal/atomicfile"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/score"
)

// CalibrationSchema names the layout of calibration.json.
const CalibrationSchema = "acqnp.calibration/1"

// maxCalibration is the largest length of calibration.json, in bytes.
const maxCalibration = 1 << 26

// Calibration is the content of calibration.json: the correction of a model's levels, and the
// predictions that it was made for.
type Calibration struct {
	Schema string `json:"schema"` // CalibrationSchema; Write sets it
	Predictions
	Exchangeable string               `json:"exchangeable"` // "function" or "point": what the groups are
	Targets      int                  `json:"targets"`      // of all groups
	Channels     []ChannelCalibration `json:"channels"`
}

// Predictions say how a run predicts: a calibration holds for these predictions alone.
type Predictions struct {
	Checkpoint string `json:"checkpoint"` // name of the file
	Step       *int   `json:"step"`
	NumTau     int    `json:"num_tau"` // 0 for a model without quantile levels
	Levels     string `json:"levels"`
	Bootstraps int    `json:"bootstraps,omitempty"`
}

// ChannelCalibration is the calibration of one channel of y.
type ChannelCalibration struct {
	Channel string `json:"channel"`
	score.Calibration
}

// Write writes calibration.json to the run directory dir.
func (c Calibration) Write(dir string) error {
	c.Schema = CalibrationSchema
	content, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(filepath.Join(dir, CalibrationFile), append(content, '\n'))
}

// ReadCalibration reads calibration.json in the run directory dir. The error for a file that is not
// there, that is not what Write writes, that has other channels or was made for other predictions is
// an *input.Error.
func ReadCalibration(dir string, channels []string, now Predictions) (c Calibration, err error) {
	path := filepath.Join(dir, CalibrationFile)
	const expected = "what acqnp score --calibrate writes"
	content, err := input.ReadFile(path, expected, maxCalibration)
	if err != nil {
		return c, err
	}
	refuse := func(key, found, expected string) (Calibration, error) {
		return Calibration{}, &input.Error{File: path, Key: key, Found: found, Expected: expected}
	}
	if err := json.Unmarshal(content, &c); err != nil {
		return refuse("", err.Error(), expected)
	}
	if c.Schema != CalibrationSchema {
		return refuse("schema", fmt.Sprintf("%q", c.Schema), CalibrationSchema)
	}
	var names []string
	for _, channel := range c.Channels {
		names = append(names, channel.Channel)
		if !channel.Valid() {
			return refuse("channels", "levels or masses of "+channel.Channel+" that are not increasing from 0 to 1 in steps of 0.001", expected)
		}
	}
	if !slices.Equal(names, channels) {
		return refuse("channels", fmt.Sprintf("%q", names), fmt.Sprintf("%q, as the model has", channels))
	}
	if made := c.Predictions.String(); made != now.String() {
		return refuse("", "a calibration of "+made, now.String()+": run acqnp score --calibrate again")
	}
	return c, nil
}

// String describes the predictions for a message.
func (p Predictions) String() string {
	text := p.Checkpoint
	if p.Step != nil {
		text += fmt.Sprintf(" (step %d)", *p.Step)
	}
	if p.NumTau > 0 {
		text += fmt.Sprintf(" with %d levels (%s)", p.NumTau, p.Levels)
	}
	if p.Bootstraps > 0 {
		text += fmt.Sprintf(" with %d bootstraps", p.Bootstraps)
	}
	return text
}

// Calibrated is what score prints of a calibration.
type Calibrated struct {
	File         string              `json:"file"`
	Exchangeable string              `json:"exchangeable"`
	Groups       int                 `json:"groups"`
	Targets      int                 `json:"targets"`
	Channels     []CalibratedChannel `json:"channels"`
}

// CalibratedChannel holds the levels of a model's quantiles between which the calibrated central
// intervals of 50% and 90% of a channel lie; nil if there are too few groups.
type CalibratedChannel struct {
	Channel string    `json:"channel"`
	Half    []float64 `json:"0.5"`
	Most    []float64 `json:"0.9"`
}

// Summary returns what score prints of the calibration, which is written to the run directory dir.
func (c Calibration) Summary(dir string) *Calibrated {
	s := &Calibrated{File: filepath.Join(dir, CalibrationFile), Exchangeable: c.Exchangeable, Groups: c.Channels[0].Groups, Targets: c.Targets}
	for _, channel := range c.Channels {
		interval := func(mass float64) []float64 {
			low, ok := channel.Level((1 - mass) / 2)
			high, ok2 := channel.Level((1 + mass) / 2)
			if !ok || !ok2 {
				return nil
			}
			return []float64{low, high}
		}
		s.Channels = append(s.Channels, CalibratedChannel{channel.Channel, interval(0.5), interval(0.9)})
	}
	return s
}

// Print writes the summary for people.
func (s *Calibrated) Print(w io.Writer) {
	fmt.Fprintf(w, "\ncalibrated on %s, %s: %s\n", input.Plural(s.Groups, s.Exchangeable, s.Exchangeable+"s"), input.Plural(s.Targets, "target", "targets"), s.File)
	for _, c := range s.Channels {
		for _, interval := range []struct {
			percent int
			levels  []float64
		}{{50, c.Half}, {90, c.Most}} {
			fmt.Fprintf(w, "%s, %d%% interval: ", c.Channel, interval.percent)
			if interval.levels == nil {
				fmt.Fprintf(w, "too few %ss, it takes %d\n", s.Exchangeable, 200/(100-interval.percent)-1)
			} else {
				fmt.Fprintf(w, "the model's levels %.3f to %.3f\n", interval.levels[0], interval.levels[1])
			}
		}
	}
}
