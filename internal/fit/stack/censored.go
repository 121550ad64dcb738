package stack

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
)

// Of a censored y, a side of a limit is known. Scores are probabilities of the side. A mixed model is fitted to the sides
// alone (simple/noise_beyond.go), and says where the y may be, given all points of its group. The other models are fitted to
// y that are drawn from this, and so is the mixed model that is a candidate, as a start. Of known points, mixed model,
// Gaussian process and common grid take the sides, and the others a guess: evenly spaced levels of what the first says.

// A beyond says where censored y may be, on a scale of y.
type beyond struct {
	Deviation float64       `json:"deviation"`       // of all points: how far beyond its limit a y is without a model
	Model     *simple.Mixed `json:"model,omitempty"` // nil if none can be fitted
}

// censored reports whether a y of the groups is censored.
func censored(groups []points.Group) bool {
	return slices.ContainsFunc(groups, func(g points.Group) bool { return g.CensoredY(0) != nil })
}

// guessTraining sets, of each fold, what says where censored y may be, and draws those of the groups that models are fitted
// to. No model of a fold has seen the fold.
func (s *split) guessTraining(ctx context.Context, o Options, scales []scale) error {
	if !censored(s.training[folds]) {
		return nil
	}
	most := MixedModel().Most
	for _, k := range o.Kinds {
		if k.Name == MixedModel().Name {
			most = k.Most
		}
	}
	var on []likelihood.Scale
	for _, one := range scales {
		if !one.x {
			on = append(on, one.y)
		}
	}
	s.beyonds = make([][2]beyond, folds+1)
	inParallel(ctx, len(on)*(folds+1), o.Threads, func(n int) {
		fold, on := n/len(on), on[n%len(on)]
		v := s.view
		b := &v.Beyonds[index(on)]
		b.Deviation = deviationOf(s.training[fold], on)
		all := v.onScale(sample(s.training[fold], most, o.Seed), scale{y: on})
		if m, err := simple.FitMixed(all); err == nil && m.Check() == nil {
			b.Model = m.(*simple.Mixed)
		}
		s.beyonds[fold][index(on)] = *b
		s.drawn[fold][index(on)] = slices.Clone(s.training[fold])
		draws := random.New(o.Seed, random.Draws|random.Validation)
		for i, g := range s.training[fold] {
			if g.CensoredY(0) != nil { // others stay as they are
				s.drawn[fold][index(on)][i].Points = v.guessed(g.Points, on, func(i, _ int) float64 { return draws.Float(uint64(g.Rows[i]), uint64(index(on))) })
			}
		}
	})
	s.Beyonds = s.beyonds[folds]
	if slices.Contains(on, likelihood.LogY) {
		for _, g := range s.drawn[folds][index(likelihood.LogY)] {
			if g.CensoredY(0) == nil {
				continue
			}
			s.LogY.Low, s.LogY.High = min(s.LogY.Low, slices.Min(g.Y)), max(s.LogY.High, slices.Max(g.Y))
		}
	}
	return ctx.Err()
}

// without returns the view of the models without a fold.
func (s *split) without(fold int) view {
	v := s.view
	if s.beyonds != nil {
		v.Beyonds = s.beyonds[fold]
	}
	return v
}

// trainingOn returns the groups that models without a fold are fitted to, with draws for censored y on a scale.
func (s *split) trainingOn(fold int, on likelihood.Scale) []points.Group {
	if drawn := s.drawn[fold][index(on)]; drawn != nil {
		return drawn
	}
	return s.training[fold]
}

// evenly are levels of guesses: the first is the median, and any number of them in turn are nearly even.
func evenly(_, k int) float64 {
	const golden = 0.6180339887498949
	_, level := math.Modf(0.5 + golden*float64(k))
	return level
}

// guessed returns points with the y of a scale and, of censored ones, the quantile of a level among those beyond the limit;
// level takes a point's number, and its number in the order of its group. Points of a training that have their draws stay.
func (v view) guessed(p points.Points, on likelihood.Scale, level func(i, k int) float64) points.Points {
	censored, limits, b := p.CensoredY(0) != nil, place(on, p.Y), v.Beyonds[index(on)]
	if censored && p.Beyond != nil {
		return p
	}
	if p.Y, p.Beyond = v.on(on, p.Y); !censored {
		return p
	}
	p.Y = slices.Clone(p.Y)
	if p.Beyond == nil {
		p.Beyond = make([]float64, len(p.Y))
	}
	set := func(i int, by float64) {
		if least := leastBeyond * b.Deviation; !(math.Abs(by) >= least) || math.IsInf(by, 0) {
			by = math.Copysign(least, float64(p.Limit(i, 0)))
		}
		p.Y[i], p.Beyond[i] = limits[i]+by, by
	}
	groups, asked := map[int][]int{}, map[int][]int{} // the points of the group and of each sibling, and those that are guessed
	for _, i := range p.Order() {
		of := 0
		if p.Sibling != nil {
			of = p.Sibling[i]
		}
		groups[of] = append(groups[of], i)
		if p.Limit(i, 0) != 0 && p.Beyond[i] == 0 { // not beyond an atom
			asked[of] = append(asked[of], i)
			set(i, math.Copysign(b.Deviation, float64(p.Limit(i, 0))))
		}
	}
	for of, at := range asked {
		if b.Model == nil {
			break
		}
		own := p.Take(groups[of])
		own.Sibling = nil
		for k, d := range b.Model.Given(own, p.Take(at)) {
			i := at[k]
			set(i, likelihood.QuantileKnown(d, limits[i], p.Limit(i, 0), level(i, k))-limits[i])
		}
	}
	return p
}

// leastBeyond is how far beyond its limit a guess is at least, in deviations: what says that it is one.
const leastBeyond = 1e-6

// deviationOf returns the standard deviation of y on a scale, of limits too.
func deviationOf(groups []points.Group, on likelihood.Scale) float64 {
	var n, mean, squares float64
	for _, g := range groups {
		for _, z := range place(on, g.Y) {
			n++
			step := (z - mean) / n
			squares += (z - mean) * (z - mean - step)
			mean += step
		}
	}
	return math.Sqrt(squares / n)
}

// checkBeyonds returns an error for what cannot say where censored y are, for dx columns of x.
func (v view) checkBeyonds(dx int) error {
	for _, b := range v.Beyonds {
		if !(b.Deviation >= 0) || math.IsInf(b.Deviation, 0) || b.Model != nil && (b.Model.Columns() != dx || b.Model.Check() != nil) {
			return errors.New("a damaged model of censored values")
		}
	}
	return nil
}
