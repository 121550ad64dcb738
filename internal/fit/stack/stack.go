// Package stack fits simple models to grouped data and mixes them.
//
// The groups are cut into folds. Each candidate is fitted once without each fold and predicts the points
// of the groups in that fold, from contexts of several sizes. So no model has seen the data that it is
// judged by. The prediction is a mixture of the candidates' densities. Its weights maximise the mean log
// density of these predictions ([Yao, Vehtari, Simpson, Gelman], "Using stacking to average Bayesian
// predictive distributions", 2018), separately for small and large contexts:
//
//	p(y | x, context) = Σ_j w_j·p_j(y | x, context),   w = argmax Σ_i s_i·log Σ_j w_j·p_j,−fold(i)(y_i | x_i, context_i)
//
// over w ≥ 0 with Σ_j w_j = 1, where the shares s_i count each group alike and p_j,−fold was fitted without the fold. Models
// of y and of log y, and of x and of log x, are candidates of one mixture.
//
// # What is promised
//
// Intervals and regions are calibrated on the same predictions (cross-conformal prediction: Vovk 2015), for each
// span of numbers of known points by predictions from as many. For the
// predictions of a fold, weights are chosen by the other folds. The theorem for CV+ (Barber,
// Candès, Ramdas, Tibshirani 2021; groups: Lee, Barber, Willett 2023) says that sets
// of level 1−α hold an outcome with a probability of at least 1−2α, less a term that vanishes with many
// groups. Two of its conditions hold only nearly. The weights for a fold come from predictions of models
// that were fitted to this fold too. And a [Stack] does not predict with the models that were judged, but
// with models fitted to all folds. The effect is
// measured: see [Expected.Coverage], and the coverage of simulated data in
// docs/explanation/calibration.md.
//
// A [Stack] is one file, and predicts the distribution of y for new groups.
//
// [Yao, Vehtari, Simpson, Gelman]: https://arxiv.org/abs/1704.02030
package stack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// A Stack is a fitted mixture of models.
type Stack struct {
	view
	Typical      [2]*Typical   `json:"like"`     // of groups, by y and by y on the other scale that a candidate has
	ByPoint      bool          `json:"by_point"` // there are few groups: folds are of points
	Groups       int           `json:"groups"`
	Points       int           `json:"points"`
	Candidates   []Candidate   `json:"candidates"`       // the best first
	Failed       []Failure     `json:"failed,omitempty"` // models that are no candidates
	OfFolds      []Failure     `json:"-"`                // candidates whose models without each fold predict, since that of all groups failed; nil after reading
	Calibrations []Calibration `json:"calibrations"`     // by numbers of known points
	Expected     Expected      `json:"expected"`
	Asked        []Asked       `json:"-"` // what was asked about each fold; nil after reading
	Held         map[int]int   `json:"-"` // the fold that held out each point that was taken, by points.Points.Rows; nil after reading
}

// A Candidate is one of the models of a Stack, fitted once without each fold.
type Candidate struct {
	Name       string              `json:"name"`
	Scale      likelihood.Scale    `json:"scale,omitempty"` // its models predict y on it
	LogX       bool                `json:"log_x,omitempty"` // they see logarithms of the columns Stack.LogX
	LogDensity float64             `json:"log_density"`     // of the predictions for the folds, the mean over groups
	CRPS       float64             `json:"crps"`
	Weight     float64             `json:"weight"`            // the mean over contexts of all sizes that were asked
	Weights    [len(spans)]float64 `json:"weights"`           // for contexts of the sizes in spans
	Models     []Saved             `json:"models,omitempty"`  // one fitted to all, or that of each fold; none if the weight is 0
	ByFold     []Saved             `json:"by_fold,omitempty"` // the model without each fold; none if Models are these
}

// An Asked is a y that was predicted by models that were not fitted to it.
type Asked struct {
	Row   int     // points.Points.Rows
	From  int     // known points: the fewest of the span
	Share float64 // of all, see Expected
	PIT   float64
}

// A Failure is a model that could not be fitted, and why.
type Failure struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// Expected is what a new group may expect: the scores of predictions for each fold by a stack whose
// weights and calibration the other folds have chosen.
type Expected struct {
	LogDensity float64  `json:"log_density"` // of a point in raw units, the mean over groups
	Error      float64  `json:"log_density_se"`
	CRPS       float64  `json:"crps"`
	Coverage   Coverage `json:"coverage"` // of intervals between quantiles
	Regions    Coverage `json:"regions"`  // of highest-density regions
}

// Coverage is the share of outcomes inside what is calibrated to hold 50 and 90%.
type Coverage struct {
	Half   float64 `json:"0.5"`
	Ninety float64 `json:"0.9"`
}

// SeesLog reports whether a model of the stack sees log y, so that all y must be above 0.
func (s *Stack) SeesLog() bool { return s.otherScale() == likelihood.LogY }

// otherScale returns the scale that some models see instead of y, OfY if none does.
func (s *Stack) otherScale() likelihood.Scale {
	for _, c := range s.Candidates {
		if c.Scale != likelihood.OfY && c.Weight > 0 {
			return c.Scale
		}
	}
	return likelihood.OfY
}

// A Reading is a way to read a question, of whose names it is not known what they mean, in x as models see it.
type Reading struct {
	points.Question     // its targets one way after the other; NaN where a cell is missing
	Ways            int // in which the x of the targets may be read, of which it is not known which holds; 0 for one
}

// ways returns Reading.Ways.
func (r Reading) ways() int { return max(r.Ways, 1) }

// Predict returns the distribution of y at each target of a reading, in units in which models see y in others; nil if they
// see y itself. With an offset in them, no model sees log y. Of several readings, with as many targets, it is not known
// which holds, and each way of each may as well as the others. Of more than 1,000 known points, Predict takes 1,000, evenly
// spread over their order. It returns ctx's error soon after ctx ends.
func (s *Stack) Predict(ctx context.Context, units []likelihood.Units, readings ...Reading) ([]likelihood.Distribution, error) {
	ways := 0
	for _, r := range readings {
		ways += r.ways()
	}
	at := make([]mixing, readings[0].Targets.Len()/readings[0].ways())
	for _, r := range readings {
		if units != nil { // which a count has to know
			r.Targets.Factor = nil
			for i := range r.Targets.Len() {
				r.Targets.Factor = append(r.Targets.Factor, units[i%len(units)].Factor)
			}
		}
		if err := s.add(ctx, at, r, 1/float64(ways)); err != nil {
			return nil, err
		}
	}
	out := make([]likelihood.Distribution, len(at))
	for t := range at {
		unit := likelihood.Units{Factor: 1}
		if units != nil {
			unit = units[t]
		}
		out[t] = s.Outcome.Of(s.Heaps.round(at[t].mixture(math.MaxInt, unit)))
		at[t] = mixing{} // whose parts may be many
	}
	return out, nil
}

// add adds the predictions of a reading, each way of a weight, to those of its targets.
func (s *Stack) add(ctx context.Context, at []mixing, one Reading, weight float64) error {
	known := s.Coding.code(one.Known.WithSiblings(one.Siblings, simple.MostOfOuter).Thin(mostContext), none)
	known, targets := s.Filling.fill(known, s.Coding.code(one.Targets, none))
	span := spanOf(known.OfGroup().Len())
	for _, on := range allScales {
		if on != likelihood.OfY && on != s.otherScale() {
			continue
		}
		context, by := s.moved(known, on)
		for _, c := range s.Candidates {
			if c.Scale != on || c.Weights[span] == 0 {
				continue
			}
			for _, m := range c.Models {
				if err := ctx.Err(); err != nil {
					return err
				}
				for i, d := range s.given(m.Model, context, targets, scale{on, c.LogX}) {
					if by != 0 {
						d = d.In(likelihood.Units{Factor: 1, Offset: by})
					}
					at[i%len(at)].add(on, d, weight*c.Weights[span]/float64(len(c.Models)))
				}
			}
		}
	}
	return nil
}

// moved returns the known points of a group on a scale, and by how much they were moved down, see Typical. One that
// is moved does not go by the points of others.
func (s *Stack) moved(known points.Points, on likelihood.Scale) (points.Points, float64) {
	known = s.placed(known, on)
	by, _, _, _ := s.Typical[index(on)].unlike(known.OfGroup())
	if by == 0 {
		return known, 0
	}
	known = known.OfGroup()
	y := make([]float64, len(known.Y))
	for i, v := range known.Y {
		y[i] = v - by
	}
	known.Y = y
	return known, by
}

// Unlike reports whether the known points of a group lie far from those of all groups of the data, on each scale
// that models see: where they lie and how far those of the data do, in spreads of all points.
func (s *Stack) Unlike(known points.Points) (place, farthest float64, is bool) {
	for typical, own := range s.typicals(known) {
		if _, place, farthest, is = typical.unlike(own); !is {
			return place, farthest, false
		}
	}
	return place, farthest, is
}

// Outliers returns the known points of a group, by their numbers, of which each lies more than twice as far from the
// curve of all groups as any point of the data, on each scale that models see.
func (s *Stack) Outliers(known points.Points) []int {
	far := make([]int, known.Len())
	scales := 0
	for typical, own := range s.typicals(known) {
		scales++
		for _, i := range typical.outliers(own) {
			far[i]++
		}
	}
	var all []int
	for i, n := range far {
		if n > 0 && n == scales {
			all = append(all, i)
		}
	}
	return all
}

// typicals yields the typical of groups on each scale that models see, and the known points on it.
func (s *Stack) typicals(known points.Points) iter.Seq2[*Typical, points.Points] {
	known, _ = s.Filling.fill(s.Coding.code(known, none), points.Points{})
	return func(yield func(*Typical, points.Points) bool) {
		for _, on := range allScales {
			if !slices.ContainsFunc(s.Candidates, func(c Candidate) bool { return c.Scale == on && c.Weight > 0 }) {
				continue
			}
			if !yield(s.Typical[index(on)], s.placed(known, on)) {
				return
			}
		}
	}
}

// OfFold returns the stack with only the models without one fold. After reading, OpenFolds must have read these.
func (s *Stack) OfFold(fold int) *Stack {
	one := *s
	if one.Candidates = nil; s.Coding != nil {
		of := *s.Coding
		of.Codes, one.Coding = of.Without[fold], &of
	}
	for _, c := range s.Candidates {
		if all := c.folds(); len(all) > fold {
			c.Models = all[fold:][:1]
		}
		one.Candidates = append(one.Candidates, c)
	}
	return &one
}

// mainShare is the least share of the weight, of contexts of any size, that the candidates of Main hold.
const mainShare = 0.8

// Main returns the stack without the candidates of least weight, and the share of the weight that the others hold in the
// mean. What is asked very often need not ask all: a network of little weight takes most of the time.
func (s *Stack) Main() (main *Stack, share float64) {
	one := *s
	one.Candidates = nil
	var left [len(spans)]float64
	for b := range left {
		left[b] = 1
	}
	for _, c := range slices.Backward(s.Candidates) {
		rest := left
		for b, w := range c.Weights {
			rest[b] -= w
		}
		if slices.Min(rest[:]) >= mainShare {
			left = rest
			continue
		}
		one.Candidates, share = append(one.Candidates, c), share+c.Weight
	}
	slices.Reverse(one.Candidates)
	for i := range one.Candidates {
		for b, w := range left {
			one.Candidates[i].Weights[b] /= w
		}
	}
	return &one, share
}

// Scale returns the scale on which all models of the stack see y, OfY if they differ or if y cannot be any number.
func (s *Stack) Scale() likelihood.Scale {
	if on := s.otherScale(); s.Outcome.Real() && !slices.ContainsFunc(s.Candidates, func(c Candidate) bool { return c.Scale != on && c.Weight > 0 }) {
		return on
	}
	return likelihood.OfY
}

// folds returns the model without each fold.
func (c Candidate) folds() []Saved {
	if c.ByFold != nil {
		return c.ByFold
	}
	return c.Models
}

// rounding is the error of a sum of weights.
const rounding = 1e-9

// Check returns an error for a stack that Fit cannot have made for dx columns of x.
func (s *Stack) Check(dx int) error {
	if err := cmp.Or(s.Filling.check(dx), s.Coding.check(dx)); err != nil {
		return err
	}
	dx = s.Filling.width(dx)
	if err := s.checkBeyonds(dx); err != nil {
		return err
	}
	models := 0
	var weights [len(spans)]float64
	for _, c := range s.Candidates {
		for b, w := range c.Weights {
			if !(w >= 0 && w <= 1+rounding) || w > 0 && len(c.Models) == 0 {
				return fmt.Errorf("a damaged %s", c.Name)
			}
			weights[b] += w
		}
		for _, m := range c.Models {
			if m.Model == nil || m.Model.Columns() != dx {
				return fmt.Errorf("a %s that is not for %d columns of x", c.Name, dx)
			}
			if m.Model.Check() != nil || !(c.Weight > 0 && c.Weight <= 1+rounding) {
				return fmt.Errorf("a damaged %s", c.Name)
			}
			models++
		}
	}
	if models == 0 {
		return errors.New("no model")
	}
	for _, c := range s.LogX {
		if c.Column < 0 || c.Column >= dx || !(c.Shift+c.Least > 0) || !(c.Slope > 0) {
			return errors.New("a damaged column of logarithms")
		}
	}
	for _, w := range weights {
		if math.Abs(w-1) > rounding {
			return errors.New("weights that do not sum to 1")
		}
	}
	for _, l := range s.Typical {
		if err := l.check(dx); err != nil {
			return err
		}
	}
	for i, c := range s.Calibrations {
		if !c.Valid() || i > 0 && c.From <= s.Calibrations[i-1].From {
			return errors.New("a calibration that does not increase from 0 to 1")
		}
	}
	if !s.Heaps.valid() || s.Heaps != nil && !s.Outcome.Whole {
		return errors.New("damaged steps of rounded y")
	}
	if !s.Outcome.Valid() || s.otherScale() == likelihood.RootY && s.Outcome.Low == nil {
		return errors.New("values of y that are none")
	}
	if s.SeesLog() && (s.LogY == nil || !(s.LogY.Low < s.LogY.High)) {
		return errors.New("models of log y without its range")
	}
	if len(s.Calibrations) == 0 {
		return errors.New("no calibration")
	}
	return nil
}

// Work returns about how much work it takes to predict so many targets beside so many known points, in evaluations of a
// component of a distribution, some tens of nanoseconds. Most of it goes into the factors of matrices of the points, and
// into models that say themselves what they take.
func (s *Stack) Work(known, targets int) float64 {
	span, points := spanOf(known), float64(min(known, mostContext))
	all := 25_000 + 30*points*points + float64(targets)*(500+30*points)
	for _, c := range s.Candidates {
		for _, m := range c.Models {
			if c.Weights[span] > 0 {
				all += m.Model.Work(known, targets)
			}
		}
	}
	return all
}
