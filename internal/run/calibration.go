package run

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood/score"
)

// CalibrationSchema names the layout of calibration.json.
const CalibrationSchema = "acqnp.calibration/1"

// The sources of a calibration.
const (
	FromRun   = "run"   // what the training held back (data.calibration)
	FromFiles = "files" // the user's files, which the training must not have seen
)

// maxCalibration is the largest length of calibration.json, in bytes.
const maxCalibration = 1 << 26

// Calibration is the content of calibration.json: the correction of a model's levels, and the
// predictions that it was made for.
type Calibration struct {
	Schema string `json:"schema"` // CalibrationSchema; Write sets it
	Predictions
	Source       string               `json:"source"`       // FromRun or FromFiles; "" of a program before 0.3
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
	return files.WriteBytes(filepath.Join(dir, CalibrationFile), append(content, '\n'))
}

// ReadCalibration reads calibration.json in the run directory dir. The error for a file that is not
// there, that is not what Write writes, that has other channels or was made for other predictions is
// an *invalid.Input.
func ReadCalibration(dir string, channels []string, now Predictions) (c Calibration, err error) {
	path := filepath.Join(dir, CalibrationFile)
	const expected = "what acqnp score --calibrate writes"
	content, err := files.Read(path, expected, maxCalibration)
	if err != nil {
		return c, err
	}
	refuse := func(key, found, expected string) (Calibration, error) {
		return Calibration{}, &invalid.Input{File: path, Key: key, Found: found, Expected: expected}
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

// Promises reports whether the intervals hold what they say. Programs before 0.3 calibrated on functions
// that had also chosen the weights.
func (c Calibration) Promises() bool { return c.Source != "" }

// Calibrated is what score prints of a calibration.
type Calibrated struct {
	File         string              `json:"file"`
	Source       string              `json:"source"`
	Exchangeable string              `json:"exchangeable"`
	Groups       int                 `json:"groups"`
	Targets      int                 `json:"targets"`
	Channels     []CalibratedChannel `json:"channels"`
}

// CalibratedChannel holds the levels of a model's quantiles between which the calibrated central
// intervals of 50% and 90% of a channel lie; nil if there are too few groups. Share are the bounds of
// score.Calibration.Share for 90%.
type CalibratedChannel struct {
	Channel string    `json:"channel"`
	Half    []float64 `json:"0.5"`
	Most    []float64 `json:"0.9"`
	Share   []float64 `json:"share"`
}

// Summary returns what score prints of the calibration, which is written to the run directory dir.
func (c Calibration) Summary(dir string) *Calibrated {
	s := &Calibrated{File: filepath.Join(dir, CalibrationFile), Source: c.Source, Exchangeable: c.Exchangeable,
		Groups: c.Channels[0].Groups, Targets: c.Targets}
	for _, channel := range c.Channels {
		interval := func(mass float64) []float64 {
			low, ok := channel.Level((1 - mass) / 2)
			high, ok2 := channel.Level((1 + mass) / 2)
			if !ok || !ok2 {
				return nil
			}
			return []float64{low, high}
		}
		summary := CalibratedChannel{Channel: channel.Channel, Half: interval(0.5), Most: interval(0.9)}
		if low, high, ok := channel.Share(0.9); ok {
			summary.Share = []float64{low, high}
		}
		s.Channels = append(s.Channels, summary)
	}
	return s
}

// Print writes the summary for people.
func (s *Calibrated) Print(w io.Writer) {
	fmt.Fprintf(w, "\ncalibrated on %s: %s\n", s.basis(), s.File)
	for _, c := range s.Channels {
		for _, interval := range []struct {
			percent int
			levels  []float64
		}{{50, c.Half}, {90, c.Most}} {
			fmt.Fprintf(w, "%s, %d%% interval: ", c.Channel, interval.percent)
			if interval.levels == nil {
				fmt.Fprintf(w, "too few %ss, it takes %d\n", s.Exchangeable, interval.percent/(100-interval.percent))
			} else {
				fmt.Fprintf(w, "the model's levels %.3f to %.3f\n", interval.levels[0], interval.levels[1])
			}
		}
	}
	if c := s.Channels[0]; c.Share != nil {
		fmt.Fprint(w, s.promise(c.Share))
	}
}

// basis says what a calibration was made from.
func (s *Calibrated) basis() string {
	groups := invalid.Plural(s.Groups, s.Exchangeable, s.Exchangeable+"s")
	if s.Exchangeable == "function" {
		groups += ", one target of each"
	}
	return groups + map[string]string{FromRun: ", used for nothing else", FromFiles: ", of the files"}[s.Source]
}

// promise states what the intervals hold, and how sure that is.
func (s *Calibrated) promise(share []float64) string {
	of, like := "a new function", "the function and its context are like those of the calibration"
	if s.Exchangeable == "point" {
		of, like = "a new point", "it is like those of the calibration, and so is its context"
		if s.Source == FromRun {
			like = "it is like those of the calibration, and its context are the points for training and validation"
		}
	}
	if s.Source == FromFiles {
		like += ", and the training has seen none of these"
	}
	held := (9*(s.Groups+1) + 9) / 10 // ⌈0.9·(K+1)⌉
	source := "Vovk, Gammerman, Shafer 2005"
	if s.Exchangeable == "function" {
		source += "; one target of each function: Dunn, Wasserman, Ramdas 2023"
	}
	return fmt.Sprintf("promise: y of %s lies in an interval or region of 90%% with a probability of at least 90%%\n"+
		"and, without ties, at most %.3g%%, on average over calibrations,\nif %s.\n"+
		"Of 10 such calibrations, 9 have intervals of 90%% that hold %.0f%% to %.0f%%.\n"+
		"An interval of 90%% takes 9 %[6]ss, one of 95%% 19.\n"+
		"Split conformal prediction: %[7]s.\n",
		of, 100*float64(held)/float64(s.Groups+1), like, 100*share[0], 100*share[1], s.Exchangeable, source)
}
