package post

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/run"
)

// The sources of a calibration.
const (
	FromRun   = "run"   // what the training held back (data.calibration)
	FromFiles = "files" // the user's files, which the training must not have seen
)

// Calibration is the correction of a model's levels, and the predictions that it was made for.
type Calibration struct {
	Predictions
	Source       string `json:"source"`       // FromRun or FromFiles; "" of a program before 0.3
	Exchangeable string `json:"exchangeable"` // "function" or "point": what the groups are
	Targets      int    `json:"targets"`      // of all groups

	// Postprocessing is what was done to the predictions; nil in a calibration.json.
	Postprocessing *config.Postprocessing `json:"postprocessing,omitempty"`

	Channels []ChannelCalibration `json:"channels"`
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

// The file of a calibration before postprocessing.json, and its layout.
const oldSchema = "acqnp.calibration/1"

// Calibrated returns the calibration of p, or, without one, that in the calibration.json of an earlier
// version in the run directory dir. The error if there is none, or for one that has other channels or was
// made for other predictions, is an *invalid.Input.
func (p Postprocessing) Calibrated(dir string, channels []string, now Predictions) (*Calibration, error) {
	path, c := filepath.Join(dir, run.PostprocessingFile), p.Calibration
	if c == nil {
		old := filepath.Join(dir, run.CalibrationFile)
		if _, err := os.Lstat(old); errors.Is(err, os.ErrNotExist) {
			return nil, &invalid.Input{File: path, Key: "calibration", Found: "nothing", Expected: "what acqnp score --calibrate writes"}
		}
		var err error
		if c, err = readOld(old); err != nil {
			return nil, err
		}
		path = old
	}
	refuse := func(key, found, expected string) (*Calibration, error) {
		return nil, &invalid.Input{File: path, Key: key, Found: found, Expected: expected}
	}
	var names []string
	for _, channel := range c.Channels {
		names = append(names, channel.Channel)
	}
	if !slices.Equal(names, channels) {
		return refuse("channels", fmt.Sprintf("%q", names), fmt.Sprintf("%q, as the model has", channels))
	}
	if made := c.Predictions.String(); made != now.String() {
		return refuse("", "a calibration of "+made, now.String()+": run acqnp score --calibrate again")
	}
	if made := c.Postprocessing; made != nil && fmt.Sprint(*made) != fmt.Sprint(p.Postprocessing) {
		return refuse("", "a calibration of predictions with other tails or weights", "those of the file: run acqnp score --calibrate again")
	}
	return c, nil
}

// readOld reads a calibration.json.
func readOld(path string) (*Calibration, error) {
	content, err := files.Read(path, expected, maxFile)
	if err != nil {
		return nil, err
	}
	var f struct {
		Schema string `json:"schema"`
		Calibration
	}
	bad, key := "", ""
	if err := json.Unmarshal(content, &f); err != nil {
		bad = err.Error()
	} else if f.Schema != oldSchema {
		return nil, &invalid.Input{File: path, Key: "schema", Found: fmt.Sprintf("%q", f.Schema), Expected: oldSchema}
	} else {
		bad, key = f.disordered(), "channels"
	}
	if bad != "" {
		return nil, &invalid.Input{File: path, Key: key, Found: bad, Expected: "what acqnp score --calibrate of an earlier version writes"}
	}
	return &f.Calibration, nil
}

// disordered says which maps are not those that score.Calibrate returns, "" if all are.
func (c Calibration) disordered() string {
	for _, channel := range c.Channels {
		if !channel.Valid() {
			return "levels or masses of " + channel.Channel + " that are not increasing from 0 to 1 in steps of 0.001"
		}
	}
	return ""
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

// Promises reports whether the coverage of the intervals is guaranteed. It is not for a calibration by a
// program before 0.3, which used functions that had also chosen the weights.
func (c Calibration) Promises() bool { return c.Source != "" }

// Summary is the part of a calibration that score prints.
type Summary struct {
	File         string           `json:"file"`
	Source       string           `json:"source"`
	Exchangeable string           `json:"exchangeable"`
	Groups       int              `json:"groups"`
	Targets      int              `json:"targets"`
	Channels     []ChannelSummary `json:"channels"`
}

// ChannelSummary holds the levels of a model's quantiles between which the calibrated central
// intervals of 50% and 90% of a channel lie; nil if there are too few groups. Share are the bounds of
// score.Calibration.Share for 90%.
type ChannelSummary struct {
	Channel string    `json:"channel"`
	Half    []float64 `json:"0.5"`
	Most    []float64 `json:"0.9"`
	Share   []float64 `json:"share"`
}

// Corrected returns the levels and the masses that the quantiles and regions of a channel have in the
// model's prediction, so that they hold what levels and masses say. nil corrects nothing.
func (c *Calibration) Corrected(channel int, levels, masses []float64) (ofLevels, ofMasses []float64) {
	if c == nil {
		return levels, masses
	}
	own := c.Channels[channel]
	for _, p := range levels {
		level, _ := own.Level(p)
		ofLevels = append(ofLevels, level)
	}
	for _, m := range masses {
		mass, _ := own.Mass(m)
		ofMasses = append(ofMasses, mass)
	}
	return ofLevels, ofMasses
}

// PIT returns the PIT of an outcome of a channel under the calibrated prediction. nil corrects nothing.
func (c *Calibration) PIT(channel int, pit float64) float64 {
	if c == nil {
		return pit
	}
	return c.Channels[channel].PIT(pit)
}

// Groups describes a number of the calibration's groups, as in "3 groups".
func (c Calibration) Groups(n int) string {
	return invalid.Plural(n, unit(c.Exchangeable), unit(c.Exchangeable)+"s")
}

// Summary returns what score prints of the calibration, which is written to the run directory dir.
func (c Calibration) Summary(dir string) *Summary {
	s := &Summary{File: filepath.Join(dir, run.PostprocessingFile), Source: c.Source, Exchangeable: c.Exchangeable,
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
		summary := ChannelSummary{Channel: channel.Channel, Half: interval(0.5), Most: interval(0.9)}
		if low, high, ok := channel.Share(0.9); ok {
			summary.Share = []float64{low, high}
		}
		s.Channels = append(s.Channels, summary)
	}
	return s
}

// Print writes the summary for people.
func (s *Summary) Print(w io.Writer) {
	fmt.Fprintf(w, "\ncalibrated on %s: %s\n", s.basis(), s.File)
	for _, c := range s.Channels {
		for _, interval := range []struct {
			percent int
			levels  []float64
		}{{50, c.Half}, {90, c.Most}} {
			fmt.Fprintf(w, "%s, %d%% interval: ", c.Channel, interval.percent)
			if interval.levels == nil {
				fmt.Fprintf(w, "too few %ss, it takes %d\n", unit(s.Exchangeable), interval.percent/(100-interval.percent))
			} else {
				fmt.Fprintf(w, "the model's levels %.3f to %.3f\n", interval.levels[0], interval.levels[1])
			}
		}
	}
	if c := s.Channels[0]; c.Share != nil {
		fmt.Fprint(w, s.promise(c.Share))
	}
}

// unit returns the word for what is exchangeable. Files say function, the word of before version 0.3.
func unit(exchangeable string) string {
	if exchangeable == "function" {
		return "group"
	}
	return exchangeable
}

// basis says what a calibration was made from.
func (s *Summary) basis() string {
	groups := invalid.Plural(s.Groups, unit(s.Exchangeable), unit(s.Exchangeable)+"s")
	if s.Exchangeable == "function" {
		groups += ", one target of each"
	}
	return groups + map[string]string{FromRun: ", used for nothing else", FromFiles: ", of the files"}[s.Source]
}

// promise states what the intervals hold, and how sure that is.
func (s *Summary) promise(share []float64) string {
	of, like := "a new group", "the group and its context are like those of the calibration"
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
		source += "; one target of each group: Dunn, Wasserman, Ramdas 2023"
	}
	return fmt.Sprintf("promise: y of %s lies in an interval or region of 90%% with a probability of at least 90%%\n"+
		"and, without ties, at most %.3g%%, on average over calibrations,\nif %s.\n"+
		"Of 10 such calibrations, 9 have intervals of 90%% that hold %.0f%% to %.0f%%.\n"+
		"An interval of 90%% takes 9 %[6]ss, one of 95%% 19.\n"+
		"Split conformal prediction: %[7]s.\n",
		of, 100*float64(held)/float64(s.Groups+1), like, 100*share[0], 100*share[1], unit(s.Exchangeable), source)
}
