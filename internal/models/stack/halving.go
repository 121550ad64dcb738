package stack

import "math"

// All scales are tried on the first fold. A scale that is clearly behind there is not fitted to the other
// folds: the fold has at least enoughUnits units, and the scale's best model is behind that of the best
// scale by more than clearly standard errors of the paired difference over units.
const (
	clearly     = 4
	enoughUnits = 20
)

// halve returns the trials of the scales that are clearly behind on the first fold.
func (s *split) halve(trials []*trial) (behind []*trial) {
	scores := map[scale][]float64{} // of units, by the best trial of each scale
	var best []float64
	for _, t := range trials {
		if t.models[0] == nil {
			continue
		}
		of := s.unitsOfFold(t, 0)
		if known := scores[t.scale]; known == nil || mean(of) > mean(known) {
			scores[t.scale] = of
		}
		if best == nil || mean(of) > mean(best) {
			best = of
		}
	}
	for _, t := range trials {
		if of := scores[t.scale]; of != nil && clearlyBehind(of, best) {
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
