package stack

import "math"

// Each kind is tried on all scales on the first fold. A scale on which it is behind there is not tried on
// the other folds: the fold has at least enoughUnits units, and the kind is behind itself on its best scale
// by more than clearly standard errors of the paired difference over units.
const (
	clearly     = 2
	enoughUnits = 5
)

// halve returns the trials that are behind the best one of their kind on the first fold.
func (s *split) halve(trials []*trial) (behind []*trial) {
	scores, best := make([][]float64, len(trials)), map[string][]float64{} // of units
	for i, t := range trials {
		if t.models[0] == nil {
			continue
		}
		scores[i] = s.unitsOfFold(t, 0)
		if b := best[t.kind.Name]; b == nil || mean(scores[i]) > mean(b) {
			best[t.kind.Name] = scores[i]
		}
	}
	for i, t := range trials {
		if scores[i] != nil && clearlyBehind(scores[i], best[t.kind.Name]) {
			behind = append(behind, t)
		}
	}
	return behind
}

// clearlyBehind reports whether scores of units are behind others.
func clearlyBehind(scores, others []float64) bool {
	n := float64(len(scores))
	if n < enoughUnits {
		return false
	}
	behind, squares := mean(others)-mean(scores), 0.0
	for i, v := range scores {
		squares += (others[i] - v - behind) * (others[i] - v - behind)
	}
	return behind > clearly*math.Sqrt(squares/(n-1)/n)
}

// unitsOfFold returns the mean log density of each unit of a fold.
func (s *split) unitsOfFold(t *trial, fold int) (units []float64) {
	at := map[int]int{}
	for i, target := range s.targets {
		if target.fold != fold {
			continue
		}
		k, known := at[target.unit]
		if !known {
			k, at[target.unit] = len(units), len(units)
			units = append(units, 0)
		}
		units[k] += target.share * t.logs[i]
	}
	return units
}

func mean(values []float64) (mean float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	return mean
}
