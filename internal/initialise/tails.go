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
	scale float64 // model.sigma_scale
}

// wideTails are those where few data tell nothing else, and plainTails those of the network's own Gaussian.
var wideTails, plainTails = tails{5, 1.1}, tails{0, 1}

// tailsOf returns the tails that a candidate's trials choose between, first those that they keep unless
// others are surely better. They cost no training: only the validation sees them. Few data do not show
// the targets that are far off, and so never speak for a Gaussian.
func (s *search) tailsOf(c candidate) []tails {
	first, dfs := plainTails, []float64{0, 5, 10, 20}
	if s.few() {
		first, dfs = wideTails, dfs[1:]
	}
	if !c.gaussian() {
		return []tails{{}}
	}
	all := []tails{first}
	for _, df := range dfs {
		for _, scale := range []float64{1, 1.1, 1.2, 1.35, 1.5} {
			if t := (tails{df, scale}); t != first {
				all = append(all, t)
			}
		}
	}
	return all
}

// likelihood returns the tails as models have them.
func (t tails) likelihood() likelihood.Tails { return likelihood.StudentTails(t.df, t.scale) }

// title names the tails after the name of a candidate.
func (t tails) title() (text string) {
	if t.df != 0 {
		text = fmt.Sprintf(", tails of t(%g)", t.df)
	}
	if t.scale != 0 && t.scale != 1 {
		text += fmt.Sprintf(", %g σ", t.scale)
	}
	return text
}
