package initialise

import (
	"math"
	"slices"
)

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
