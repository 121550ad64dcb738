package stack

import "math"

// Both scales are tried on the first fold. One that is behind there is not fitted to the others: if its best
// model is behind the other scale's by more than clearly standard errors of the paired difference over
// units, of which the fold has enoughUnits or more.
const (
	clearly     = 4
	enoughUnits = 20
)

// halve returns the trials of the scale that is clearly behind on the first fold, none if neither is.
func (s *split) halve(trials []*trial) (behind []*trial) {
	scores := map[bool][]float64{} // of units, by the best trial of each scale
	for _, t := range trials {
		if t.models[0] == nil {
			continue
		}
		of := s.unitsOfFold(t, 0)
		if best, known := scores[t.log]; !known || mean(of) > mean(best) {
			scores[t.log] = of
		}
	}
	if len(scores) < 2 || len(scores[true]) < enoughUnits {
		return nil
	}
	n, difference := float64(len(scores[true])), make([]float64, len(scores[true]))
	for i := range difference {
		difference[i] = scores[true][i] - scores[false][i]
	}
	ahead, squares := mean(difference), 0.0
	for _, d := range difference {
		squares += (d - ahead) * (d - ahead)
	}
	if !(math.Abs(ahead) > clearly*math.Sqrt(squares/(n-1)/n)) {
		return nil
	}
	for _, t := range trials {
		if t.log != (ahead > 0) {
			behind = append(behind, t)
		}
	}
	return behind
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
