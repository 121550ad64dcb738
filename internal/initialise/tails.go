package initialise

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// tails are what a configuration says of the tails of a predicted Gaussian. A network that learned from few
// functions knows its σ badly: averaged over what σ could be, a Gaussian is a Student's t. And it is too
// sure of functions that it has not seen.
type tails struct {
	df    float64 // model.tail_df; 0: those of a Gaussian
	scale float64 // model.sigma_scale; 0: 1
}

// usualDF is the number of degrees of freedom where nothing can be tried.
const usualDF = 5

// allTails are those that a trial chooses between. They cost no training: only the validation sees them.
var allTails = func() (all []tails) {
	for _, df := range []float64{0, 20, 10, 5, 3} {
		for _, scale := range []float64{0, 0.9, 1.1, 1.2, 1.35, 1.5, 1.75, 2} {
			all = append(all, tails{df, scale})
		}
	}
	return all
}()

// title names the tails after the name of a candidate.
func (t tails) title() (text string) {
	if t.df != 0 {
		text = fmt.Sprintf(", tails of t(%g)", t.df)
	}
	if t.scale != 0 {
		text += fmt.Sprintf(", %g σ", t.scale)
	}
	return text
}

// alternatives returns the tails that a candidate's trials are judged with.
func (c candidate) alternatives() (all []likelihood.Tails) {
	if !c.gaussian() {
		return nil
	}
	for _, t := range allTails {
		scale := t.scale
		if scale == 0 {
			scale = 1
		}
		all = append(all, likelihood.StudentTails(t.df, scale))
	}
	return all
}

// curvesOf returns room for the curves of a candidate's trials.
func curvesOf(c candidate, folds int) [][][]float64 {
	curves := make([][][]float64, max(1, len(c.alternatives())))
	for i := range curves {
		curves[i] = make([][]float64, folds)
	}
	return curves
}
