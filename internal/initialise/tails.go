package initialise

import (
	"fmt"
	"math"
	"slices"

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

// A validation is the best of a curve, the mean over splits.
type validation struct {
	loglik float64
	at     int       // the index in the curve
	folds  []float64 // of each split, at the same place
}

// bestValidation returns the best of the mean of the curves of all splits. Without one of them, of a trial
// that diverged, it is that of no curve: −∞. A curve that has ended stays at its last value.
func bestValidation(curves [][]float64) validation {
	best, longest := validation{loglik: math.Inf(-1)}, 0
	for _, c := range curves {
		if len(c) == 0 {
			return best
		}
		longest = max(longest, len(c))
	}
	for k := range longest {
		v := validation{at: k}
		for _, c := range curves {
			v.folds = append(v.folds, c[min(k, len(c)-1)])
			v.loglik += v.folds[len(v.folds)-1] / float64(len(curves))
		}
		if v.loglik > best.loglik {
			best = v
		}
	}
	return best
}

// surely is how many standard errors better than the first tails others have to be. Few functions would
// often choose tails that fit them by chance.
const surely = 2

// chosen returns the index of the best of the validations, or the first if none is surely better.
func chosen(all []validation) int {
	best := 0
	for i, v := range all {
		if v.loglik > all[best].loglik {
			best = i
		}
	}
	gain, squares, n := all[best].loglik-all[0].loglik, 0.0, float64(len(all[best].folds))
	for f, ll := range all[best].folds {
		d := ll - all[0].folds[f] - gain
		squares += d * d
	}
	if n > 1 && gain <= surely*math.Sqrt(squares/(n-1)/n) {
		return 0
	}
	return best
}

// judge sets the best validation over all splits, and with it the step and the tails. They are chosen on
// the mean, as a split has few functions to choose by.
func (o *Outcome) judge() {
	all := make([]validation, len(o.curves))
	for i, curves := range o.curves {
		all[i] = bestValidation(curves)
	}
	o.LogLik = math.Inf(-1)
	if slices.ContainsFunc(all, func(v validation) bool { return v.folds == nil }) {
		return
	}
	i := chosen(all)
	o.LogLik, o.Step, o.Folds, o.tails = all[i].loglik, (all[i].at+1)*o.every, all[i].folds, o.choices[i]
	o.Name = o.title()
}
