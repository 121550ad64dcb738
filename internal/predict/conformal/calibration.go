// Package conformal keeps the calibration of a model's intervals and regions: which levels of its quantiles
// hold what they should, by split conformal prediction. score --calibrate writes a [Calibration] to the run,
// and predict --use-calibration reads it; a fit has its own.
package conformal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
	Source       string `json:"source"`       // FromRun or FromFiles; "" of a fit
	Exchangeable string `json:"exchangeable"` // "group" or "point": what the calibration counts
	Targets      int    `json:"targets"`      // of all groups

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

	// Of returns the calibration of predictions from known points; nil if all have the same.
	Of func(known int) score.Calibration `json:"-"`
}

// Schema names the layout of calibration.json.
const Schema = "acqnp.calibration/2"

// file is the content of calibration.json.
type file struct {
	Schema string `json:"schema"`
	Calibration
}

// Write writes the calibration to the run directory dir.
func (c Calibration) Write(dir string) error {
	content, err := json.Marshal(file{Schema, c})
	if err != nil {
		return err
	}
	return files.WriteBytes(filepath.Join(dir, run.CalibrationFile), append(content, '\n'))
}

// Read returns the calibration in the run directory dir. The error if there is none, or for one that has other
// channels or was made for other predictions, is an *invalid.Input.
func Read(dir string, channels []string, now Predictions) (*Calibration, error) {
	const expected, maxFile = "what acqnp score --calibrate writes", 1 << 26
	path := filepath.Join(dir, run.CalibrationFile)
	refuse := func(key, found, expected string) (*Calibration, error) {
		return nil, &invalid.Input{File: path, Key: key, Found: found, Expected: expected}
	}
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		return refuse("", "nothing", expected)
	}
	content, err := files.Read(path, expected, maxFile)
	if err != nil {
		return nil, err
	}
	var f file
	if err := json.Unmarshal(content, &f); err != nil {
		return refuse("", err.Error(), expected)
	}
	if f.Schema != Schema {
		return refuse("schema", fmt.Sprintf("%q", f.Schema), Schema)
	}
	var names []string
	for _, channel := range f.Channels {
		if !channel.Valid() {
			return refuse("channels", "levels or masses of "+channel.Channel+" that are not increasing from 0 to 1 in steps of 0.001", expected)
		}
		names = append(names, channel.Channel)
	}
	if !slices.Equal(names, channels) {
		return refuse("channels", fmt.Sprintf("%q", names), fmt.Sprintf("%q, as the model has", channels))
	}
	if made := f.Predictions.String(); made != now.String() {
		return refuse("", "a calibration of "+made, now.String()+": run acqnp score --calibrate again")
	}
	return &f.Calibration, nil
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

// of returns the calibration of a channel of which a number of values is known.
func (c *Calibration) of(channel, known int) score.Calibration {
	own := c.Channels[channel]
	if own.Of != nil {
		return own.Of(known)
	}
	return own.Calibration
}

// Corrected returns the levels and the masses that the quantiles and regions of a channel, of which a number of values is
// known, have in the model's prediction, so that they hold what levels and masses say. nil corrects nothing.
func (c *Calibration) Corrected(channel, known int, levels, masses []float64) (ofLevels, ofMasses []float64) {
	if c == nil {
		return levels, masses
	}
	own := c.of(channel, known)
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

// CDF returns P(Y ≤ y) of a channel, of which a number of values is known, from that of the model's prediction. nil
// corrects nothing.
func (c *Calibration) CDF(channel, known int, p float64) float64 {
	if c == nil {
		return p
	}
	return c.of(channel, known).CDF(p)
}

// Survival returns P(Y > y) as CDF does P(Y ≤ y). It keeps probabilities that are small.
func (c *Calibration) Survival(channel, known int, p float64) float64 {
	if c == nil {
		return p
	}
	return c.of(channel, known).Survival(p)
}

// Tail reports whether a probability that CDF or Survival returned lies beyond those for which the calibration of the
// channel has enough groups.
func (c *Calibration) Tail(channel, known int, p float64) bool {
	if c == nil {
		return false
	}
	low, high, _ := c.of(channel, known).Limits()
	return p < low-rounding || p > high+rounding
}

// Beyond says in a line which levels of quantiles and masses of regions lie beyond those for which a calibration has enough
// groups, and whether probabilities of a channel do, which inTail reports unless it is nil. It returns "" if none do.
func (c *Calibration) Beyond(levels, masses []float64, inTail func(channel int) bool) string {
	if c == nil {
		return ""
	}
	var lines []string
	for i, channel := range c.Channels {
		low, high, most := channel.Limits()
		var beyond []string
		for _, p := range levels {
			if p < low-rounding || p > high+rounding {
				beyond = append(beyond, fmt.Sprintf("the quantile %g", p))
			}
		}
		for _, m := range masses {
			if m > most+rounding {
				beyond = append(beyond, fmt.Sprintf("the region %g", m))
			}
		}
		if inTail != nil && inTail(i) {
			beyond = append(beyond, fmt.Sprintf("probabilities below %.3g and above %.3g", low, high))
		}
		if beyond != nil {
			lines = append(lines, fmt.Sprintf("%s (%s: levels %.3g to %.3g, regions up to %.3g)", invalid.First(beyond)+" of "+channel.Channel, c.Groups(channel.Groups), low, high, most))
		}
	}
	if lines == nil {
		return ""
	}
	return "beyond what the groups calibrate, the mixture's own tail goes on: " + strings.Join(lines, "; ")
}

// rounding is the error of a level.
const rounding = 1e-9

// Groups describes a number of the calibration's groups, as in "3 groups".
func (c Calibration) Groups(n int) string {
	return invalid.Plural(n, c.Exchangeable, c.Exchangeable+"s")
}

// Summary returns what score prints of the calibration, which is written to the run directory dir.
func (c Calibration) Summary(dir string) *Summary {
	s := &Summary{File: filepath.Join(dir, run.CalibrationFile), Source: c.Source, Exchangeable: c.Exchangeable,
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
func (s *Summary) basis() string {
	basis := invalid.Plural(s.Groups, s.Exchangeable, s.Exchangeable+"s")
	if s.Exchangeable == "group" {
		basis += fmt.Sprintf(" with %s, which count 1/n in a group of n", invalid.Plural(s.Targets, "target", "targets"))
	}
	return basis + map[string]string{FromRun: ", used for nothing else", FromFiles: ", of the files"}[s.Source]
}

// promise states what the intervals hold, and how sure that is.
func (s *Summary) promise(share []float64) string {
	of, like := "a new group", "the group and its context are like those of the calibration"
	theorem, about := "Hierarchical conformal prediction: Lee, Barber, Willett 2023", "about "
	most := 100 * min(0.9+2/float64(s.Groups+1), 1)
	if s.Exchangeable == "point" {
		of, like = "a new point", "it is like those of the calibration, and so is its context"
		if s.Source == FromRun {
			like = "it is like those of the calibration, and its context are the points for training and validation"
		}
		theorem, about = "Split conformal prediction: Vovk, Gammerman, Shafer 2005", ""
		held := (9*(s.Groups+1) + 9) / 10 // ⌈0.9·(K+1)⌉
		most = 100 * float64(held) / float64(s.Groups+1)
	}
	if s.Source == FromFiles {
		like += ", and the training has seen none of these"
	}
	return fmt.Sprintf("promise: y of %s lies in an interval or region of 90%% with a probability of at least 90%%\n"+
		"and, without ties, at most %.3g%%, on average over calibrations,\nif %s.\n"+
		"Of 10 such calibrations, 9 have intervals of 90%% that hold %s%.0f%% to %.0f%%.\n"+
		"An interval of 90%% takes 9 %[7]ss, one of 95%% 19; beyond, the tail of the model goes on.\n"+
		"%[8]s.\n",
		of, most, like, about, 100*share[0], 100*share[1], s.Exchangeable, theorem)
}
