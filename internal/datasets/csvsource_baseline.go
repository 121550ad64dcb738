package datasets

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models/mixed"
)

// fitBaseline fits the mixed models that data.baseline asks for to the training part.
func (s *csvSource) fitBaseline() error {
	d := s.e.Data.Baseline
	if len(d) == 0 {
		return nil
	}
	s.without = make([]Baseline, len(s.functions))
	for c := range s.e.Data.YColumns {
		functions := s.trainingFunctions(c)
		m, err := mixed.Fit(functions, mixed.FormOf(functions, d[0], d[1]))
		if err != nil {
			return &invalid.Input{Key: "data.baseline", Found: fmt.Sprintf("a mixed model of %s with %v", s.e.Data.YColumns[c], err),
				Expected: "lower degrees, or more data for training"}
		}
		s.scaling.Baseline = append(s.scaling.Baseline, m.Model)
		fitted := 0 // functions so far that the model was fitted to
		for i, f := range s.functions {
			model := m.Model
			if f.train > 0 && !s.byPoint() {
				model = m.Without(fitted)
				fitted++
			}
			s.without[i] = append(s.without[i], model)
		}
	}
	return nil
}

// trainingFunctions returns the training points of all functions with some, with channel c of y, in
// the model's units without a baseline.
func (s *csvSource) trainingFunctions(c int) []mixed.Function {
	dx, dy := s.scaling.ScaledX(), len(s.scaling.YScale)
	var functions []mixed.Function
	for _, f := range s.functions {
		if f.train == 0 {
			continue
		}
		g := mixed.Function{DX: dx, X: widened(s.x[f.first*dx:][:f.train*dx])}
		for i := range f.train {
			g.Y = append(g.Y, float64(s.y[(f.first+i)*dy+c]))
		}
		functions = append(functions, g)
	}
	return functions
}

// standardise standardises function b of a batch, which is function i of the files. For a training
// function it takes a mixed model that was fitted without this function, so that its errors are like
// those for new functions.
func (s *csvSource) standardise(dst *Batch, b, i int) {
	if s.scaling.Baseline == nil {
		return
	}
	n := dst.Points
	s.without[i].standardise(dst.X[b*n*dst.DX:][:n*dst.DX], dst.Y[b*n*dst.DY:][:n*dst.DY], dst.Context)
}

// MixedModel returns the degrees of the mixed model that best predicts functions held out from the
// training part, and the mean log density of their points in raw units. It returns false for a
// source of another kind, for several channels of y, or if no model can be fitted.
func MixedModel(source Source) (mixed.Choice, bool) {
	s, ok := source.(*csvSource)
	if !ok || s.scaling.Baseline != nil || len(s.scaling.YScale) != 1 || s.byPoint() {
		return mixed.Choice{}, false
	}
	functions := s.trainingFunctions(0)
	shifts := make([]float64, len(functions))
	for i, f := range functions {
		for _, y := range f.Y {
			shifts[i] += (s.scaling.RawShift() + s.scaling.PointShift(nil, []float32{float32(y)})) / float64(len(f.Y))
		}
	}
	return mixed.Choose(functions, shifts)
}
