package answer

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
)

// Warn implements [predict.Predictor].
func (f Predictor) Warn(questions []points.Question, text func(c int, v float64) string, w *warning.Record) {
	predict.WarnOfNames(f.units(), questions, text, w)
	predict.WarnOutside(questions, f.X, f.outside, func(c int) string {
		return fmt.Sprintf("lies outside the data's %s to %s", f.XForms[c].Text(f.Ranges[c].Low), f.XForms[c].Text(f.Ranges[c].High))
	}, w)
	for c, form := range f.YForms {
		if line := form.OfTwoNames(f.Y[c]); line != "" {
			w.Add("%s", line)
		}
	}
	f.warnOfMissing(questions, w)
	f.warnOfCodes(questions, w)
	f.warnOfLogs(questions, w)
	f.warnOfBounds(questions, w)
	f.warnOfKnown(questions, w)
}

// outside reports whether a value of column c is far outside the data.
func (f Predictor) outside(c int, v float64) bool {
	if f.XForms[c].Categories != nil || f.XForms[c].OffsetOnly {
		return false
	}
	form := f.XForms[c]
	if form.Periods != nil && !form.Trend {
		v = nearestTurn(v, slices.Max(form.Periods), f.Ranges[c])
	}
	see := form.Transform // as models do: perhaps its logarithm
	low, high := see(f.Ranges[c].Low), see(f.Ranges[c].High)
	slack := predict.Beyond * (high - low)
	return see(v) < low-slack || see(v) > high+slack
}

// nearestTurn returns a number moved by whole periods to where it is nearest to the data.
func nearestTurn(v, period float64, data datasets.Range) float64 {
	above := data.Low + math.Mod(math.Mod(v-data.Low, period)+period, period)
	if below := above - period; data.Low-below < above-data.High {
		return below
	}
	return above
}

// warnOfCodes adds a line about each column of y of which known points look like codes for a missing value.
func (f Predictor) warnOfCodes(questions []points.Question, w *warning.Record) {
	for c, r := range f.YRanges {
		var found []string
		for _, q := range questions {
			for _, v := range q.Known.ColumnY(c) {
				if text := f.YForms[c].Text(v); rows.IsCode(v, r.Low, r.High) && !slices.Contains(found, text) {
					found = append(found, text)
				}
			}
		}
		if found != nil {
			w.Add("known %s of %s is far from the data's %s to %s and looks like a code for a missing value, which is left empty in a file and null in JSON: it counts as a number",
				f.Y[c], invalid.First(found), f.YForms[c].Text(r.Low), f.YForms[c].Text(r.High))
		}
	}
}

// warnOfLogs adds a line about each column of y of which known points are 0 or less though models take
// logarithms.
func (f Predictor) warnOfLogs(questions []points.Question, w *warning.Record) {
	for c := range f.Stacks {
		count := 0
		for _, q := range questions {
			for _, v := range q.Known.ColumnY(c) {
				if f.TakesLogs(c) && v <= 0 {
					count++
				}
			}
		}
		if count > 0 {
			least := f.YForms[c].Text(f.YRanges[c].Low)
			w.Add("%s of %s is 0 or less and counts as %s, the least of the data: all of the data are above 0, so models take the logarithm",
				f.Y[c], invalid.Plural(count, "known point", "known points"), least)
		}
	}
}

// warnOfBounds adds lines about each column of y of which known points are beyond a bound or between whole numbers.
func (f Predictor) warnOfBounds(questions []points.Question, w *warning.Record) {
	for c, s := range f.Stacks {
		beyond, between := 0, 0
		for _, q := range questions {
			for i, v := range q.Known.ColumnY(c) {
				switch {
				case math.IsNaN(v) || q.Known.Limit(i, c) != 0 || s.Outcome.Takes(v):
				case s.Outcome.Nearest(v) != v:
					beyond++
				default:
					between++
				}
			}
		}
		if beyond > 0 {
			w.Add("%s of %s is beyond the data, which are %s, and counts as the nearest of these", f.Y[c], invalid.Plural(beyond, "known point", "known points"), s.Outcome)
		}
		if between > 0 {
			w.Add("%s of %s is no whole number, as all of the data are; predictions are of whole numbers", f.Y[c], invalid.Plural(between, "known point", "known points"))
		}
	}
}

// warnOfKnown adds lines about groups whose known points are unlike those of any group of the data, about single points
// that are, and about numbers of known points for which there is no calibration.
func (f Predictor) warnOfKnown(questions []points.Question, w *warning.Record) {
	for c, s := range f.Stacks {
		var atypical, outliers, uncovered []string
		farthest, least, most := 0.0, 0, 0
		for _, q := range questions {
			known, s := f.Known(c, q.Known), s.WithCodes(meanCodes(q, c))
			name := cmp.Or(q.Name, "the group")
			if place, of, is := s.Unlike(known); is {
				atypical, farthest = append(atypical, fmt.Sprintf("%s (%.3g deviations)", name, place)), max(farthest, of)
			} else if far := s.Outliers(known); far != nil {
				outliers = append(outliers, fmt.Sprintf("%s (%s)", name, invalid.First(f.texts(c, q.Known, far))))
			}
			if n := known.Len(); !stack.Covers(s.Calibrations, n) && q.Targets.Len() > 0 {
				uncovered = append(uncovered, fmt.Sprintf("%s (%d)", name, n))
				least, most = s.Calibrations[0].Least, s.Calibrations[len(s.Calibrations)-1].Most
			}
		}
		if atypical != nil {
			w.Add("no group of the data is like %s: known %s lie so far off the curve of all groups, and those of the data lie within %.2g; where at least %d points agree, predictions follow them",
				invalid.First(atypical), f.Y[c], farthest, stack.LeastPlaced)
		}
		if outliers != nil {
			w.Add("known %s of %s lies off the curve of all groups, more than twice as far as any of the data; predictions of its group go by it too",
				f.Y[c], invalid.First(outliers))
		}
		if uncovered != nil {
			w.Add("intervals and regions of %s are calibrated by predictions from %d to %s, and not for the numbers known of %s",
				f.Y[c], least, invalid.Plural(most, "known point", "known points"), invalid.First(uncovered))
		}
	}
}

// texts returns the known values of column c of y with some numbers among them, as the file writes them.
func (f Predictor) texts(c int, known points.Points, numbers []int) (all []string) {
	for k, v := range slices.DeleteFunc(known.ColumnY(c), math.IsNaN) {
		if slices.Contains(numbers, k) {
			all = append(all, f.YForms[c].Text(v))
		}
	}
	return all
}
