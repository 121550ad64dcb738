package stack

import (
	"slices"

	"github.com/acqnp/acqnp/internal/likelihood/score"
)

// A Calibration is that of predictions from some numbers of known points. A prediction from none errs in other
// ways than one from ten, so each span of contexts has its own calibration if enough groups were asked about.
type Calibration struct {
	From int `json:"from"` // the fewest known points that it is for; the next one begins where it ends
	// The fewest and the most known points of the predictions that it was made from.
	Least int `json:"least"`
	Most  int `json:"most"`
	score.Calibration
}

// CalibrationFor returns the calibration of predictions from known points.
func CalibrationFor(known int, all []Calibration) Calibration {
	i := len(all) - 1
	for i > 0 && all[i].From > known {
		i--
	}
	return all[i]
}

// Covers reports whether predictions from about as many known points were among those of the calibrations.
func Covers(all []Calibration, known int) bool {
	return spanOf(known) >= spanOf(all[0].Least) && spanOf(known) <= spanOf(all[len(all)-1].Most)
}

// leastCalibrated is the number of units that a calibration of its own takes, or as many as any span has if that
// is less. Intervals of 90% take 9; of 20 with one outcome each, they hold 83 to 97% in 9 of 10 data sets.
const leastCalibrated = 20

// mostRanked bounds about how many targets have a rank, whose time grows with the parts of a mixture. Those of a question
// are in random order, so the first ones stand for the others.
const mostRanked = 2000

// ranked reports of each target whether it has a rank, and so is among the outcomes of a calibration.
func (s *split) ranked() []bool {
	each, all := max(1, mostRanked/max(1, len(s.questions))), make([]bool, len(s.targets))
	for _, q := range s.questions {
		for i := range min(each, q.Targets.Len()) {
			all[q.first+i] = true
		}
	}
	return all
}

// calibrations returns the calibrations by the outcomes outside a fold. An outcome without a weight is none. Spans with
// few units share a calibration.
func (s *split) calibrations(outcomes []score.Outcome, without int) (all []Calibration) {
	begins := s.firstSpans()
	for i, first := range begins {
		c, last, known := Calibration{From: spans[first]}, len(spans), []int{}
		if i+1 < len(begins) {
			last = begins[i+1]
		}
		type place struct{ unit, span int }
		groups, sums := map[place][]score.Outcome{}, map[place]float64{}
		var order []place
		for k, t := range s.targets {
			if t.span < first || t.span >= last {
				continue
			}
			known = append(known, t.known)
			if at := (place{t.unit, t.span}); t.fold != without && outcomes[k].Weight > 0 {
				if groups[at] == nil {
					order = append(order, at)
				}
				groups[at], sums[at] = append(groups[at], outcomes[k]), sums[at]+outcomes[k].Weight
			}
		}
		own := make([][]score.Outcome, len(order))
		for i, at := range order {
			own[i] = groups[at]
			if !(s.weighted && s.byPoint) { // whose weights have a mean of 1
				for k := range own[i] {
					own[i][k].Weight /= sums[at]
				}
			}
		}
		c.Least, c.Most, c.Calibration = slices.Min(known), slices.Max(known), score.Calibrate(own)
		all = append(all, c)
	}
	return all
}

// firstSpans returns the spans that begin a calibration. Each calibration has enough units: one of too few joins the
// one before it or, as the first, the one after it.
func (s *split) firstSpans() (all []int) {
	var units [len(spans)]map[int]bool
	most := 0
	for _, t := range s.targets {
		if units[t.span] == nil {
			units[t.span] = map[int]bool{}
		}
		units[t.span][t.unit] = true
		most = max(most, len(units[t.span]))
	}
	for span := range units {
		if len(units[span]) >= min(leastCalibrated, most) {
			all = append(all, span)
		}
	}
	all[0] = 0
	return all
}

// hold returns the shares of outcomes in their calibrated interval and region of a mass, averaged over units.
func (s *split) hold(outcomes []score.Outcome, byFold [folds][]Calibration, mass float64) (interval, region float64) {
	all := 0.0
	for i, t := range s.targets {
		o := outcomes[i]
		if o.Weight == 0 {
			continue
		}
		c := CalibrationFor(t.known, byFold[t.fold])
		low, _ := c.Level((1 - mass) / 2)
		high, _ := c.Level((1 + mass) / 2)
		most, _ := c.Mass(mass)
		if all += o.Weight; o.PIT >= low && o.PIT <= high {
			interval += o.Weight
		}
		if o.Rank <= most {
			region += o.Weight
		}
	}
	return interval / all, region / all
}
