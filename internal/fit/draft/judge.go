package draft

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// A validation is the highest point of the mean of a trial's validation curves over its splits.
type validation struct {
	loglik float64   // nats per target
	at     int       // the index in the curve
	folds  []float64 // the value of each split's curve at this index
}

// bestValidation returns the highest point of the mean of the curves, one curve for each split. A curve
// that has ended keeps its last value. If a curve is empty, since its trial diverged, the log-likelihood
// is −∞ and there are no folds.
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

// surely is the number of standard errors by which another reading must be better than the first one.
// With few functions, a smaller number would often choose a reading that fits them by chance.
const surely = 2

// best returns the index of the best of the validations.
func best(all []validation) (best int) {
	for i, v := range all {
		if v.loglik > all[best].loglik {
			best = i
		}
	}
	return best
}

// chosen returns the index of the best validation, or 0 if it is not better than the first by surely
// standard errors.
func chosen(all []validation) int {
	best := best(all)
	if gain, deviation := difference(all[best].folds, all[0].folds); len(all[0].folds) > 1 && gain <= surely*deviation {
		return 0
	}
	return best
}

// difference returns the mean of a − b over splits, and its standard error.
func difference(a, b []float64) (mean, deviation float64) {
	d := make([]float64, min(len(a), len(b)))
	for f := range d {
		d[f] = a[f] - b[f]
	}
	mean, deviation = stat.MeanStdDev(d, nil)
	return mean, deviation / math.Sqrt(float64(len(d)))
}

// judge sets the outcome's best validation over all splits, its step and its reading. A single split has
// too few functions to choose by, so judge compares means over splits. It first chooses the tails, with
// the first weight of the simple model, and then the weight, with these tails. Large data have only two
// splits, too few for a standard error, so there judge takes the weight with the best mean.
func (o *Outcome) judge() {
	all := make([]validation, len(o.curves))
	for i, curves := range o.curves {
		all[i] = bestValidation(curves)
	}
	o.LogLik = math.Inf(-1)
	if slices.ContainsFunc(all, func(v validation) bool { return v.folds == nil }) {
		return
	}
	pools := len(o.choices.pools)
	var first []validation
	for i := 0; i < len(all); i += pools {
		first = append(first, all[i])
	}
	weight := best
	if len(o.Folds) == mostFolds {
		weight = chosen
	}
	i := pools * chosen(first)
	i += weight(all[i:][:pools])
	o.LogLik, o.Step, o.Folds, o.reading = all[i].loglik, (all[i].at+1)*o.every, all[i].folds, o.choices.at(i)
	o.Name = o.title()
}
