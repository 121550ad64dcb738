package stack

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// weigh returns the weights w ≥ 0 with Σw = 1 that maximise Σ_i share_i·log Σ_j w_j·exp(logs_ij) plus
// Σ_j prior_j·log w_j, by expectation and maximisation. logs are log densities [targets, models].
func weigh(logs [][]float64, share, prior []float64) []float64 {
	models := len(prior)
	w, next := make([]float64, models), make([]float64, models)
	densities, total := relative(logs), 0.0
	for _, s := range share {
		total += s
	}
	priors := floats.Sum(prior)
	for j, p := range prior {
		w[j] = p / priors // a weight of 0 stays 0
	}
	total += priors
	for range 500 {
		copy(next, prior)
		for i, s := range share {
			row, sum := densities[i*models:][:models], 0.0
			for j, d := range row {
				sum += w[j] * d
			}
			if sum == 0 {
				continue
			}
			for j, d := range row {
				next[j] += s * w[j] * d / sum
			}
		}
		moved := 0.0
		for j := range w {
			v := next[j] / total
			moved = max(moved, math.Abs(v-w[j]))
			w[j] = v
		}
		if moved < 1e-6 {
			break
		}
	}
	return w
}

// relative returns the densities of each target divided by the largest of them, [targets, models].
// They are 0 where all are.
func relative(logs [][]float64) []float64 {
	var all []float64
	for _, row := range logs {
		most := math.Inf(-1)
		for _, l := range row {
			most = max(most, l)
		}
		for _, l := range row {
			if math.IsInf(most, -1) {
				all = append(all, 0)
			} else {
				all = append(all, math.Exp(l-most))
			}
		}
	}
	return all
}

// scaled returns v times each weight.
func scaled(v float64, w []float64) []float64 {
	return floats.ScaleTo(make([]float64, len(w)), v, w)
}

// leastWeight is the weight below which a model is left out.
const leastWeight = 0.02

// dropSmall sets weights below leastWeight to 0 and scales the rest to sum to 1. Of many models of equal
// weights it keeps all.
func dropSmall(w []float64) {
	sum := 0.0
	for j, v := range w {
		if v < min(leastWeight, 1/float64(len(w))) {
			w[j] = 0
		}
		sum += w[j]
	}
	for j := range w {
		w[j] /= sum
	}
}

// logMix returns log Σ_j w_j·exp(logs_j).
func logMix(logs, w []float64) float64 {
	most := math.Inf(-1)
	for j, l := range logs {
		if w[j] > 0 {
			most = max(most, l)
		}
	}
	if math.IsInf(most, -1) {
		return most
	}
	sum := 0.0
	for j, l := range logs {
		if w[j] > 0 {
			sum += w[j] * math.Exp(l-most)
		}
	}
	return most + math.Log(sum)
}

// Each kind is tried on all scales on the first fold. A scale on which it is behind there is not tried on
// the other folds: the fold has at least enoughUnits units, the kind is behind itself on its best scale
// by more than clearly standard errors of the paired difference over units, or by any with Kind.FirstFoldChoosesScale, and for
// contexts of no span it is the best of all.
const (
	clearly     = 2.0
	enoughUnits = 5
)

// halve returns the trials that have no model of the first fold, or are behind the best one of their kind there.
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
	somewhere := s.bestOfSpans(trials, 0)
	for i, t := range trials {
		errors := clearly
		if t.kind.FirstFoldChoosesScale {
			errors = 0
		}
		if scores[i] == nil || isBehind(scores[i], best[t.kind.Name], errors) && !slices.Contains(somewhere, t) {
			behind = append(behind, t)
		}
	}
	return behind
}

// bestOfSpans returns the trial with the greatest mean log density on a fold, for contexts of each span that is asked.
func (s *split) bestOfSpans(trials []*trial, fold int) (all []*trial) {
	var sums [len(spans)]map[*trial]float64
	for i, target := range s.targets {
		if target.fold != fold {
			continue
		}
		if sums[target.span] == nil {
			sums[target.span] = map[*trial]float64{}
		}
		for _, t := range trials {
			sums[target.span][t] += target.share * t.logs[i]
		}
	}
	for _, sum := range sums {
		most, best := math.Inf(-1), (*trial)(nil)
		for _, t := range trials {
			if v, asked := sum[t]; asked && t.models[fold] != nil && v > most {
				most, best = v, t
			}
		}
		if best != nil {
			all = append(all, best)
		}
	}
	return all
}

// isBehind reports whether scores of units are behind others by more than so many standard errors.
func isBehind(scores, others []float64, errors float64) bool {
	n := float64(len(scores))
	if n < enoughUnits {
		return false
	}
	behind, squares := mean(others)-mean(scores), 0.0
	for i, v := range scores {
		squares += (others[i] - v - behind) * (others[i] - v - behind)
	}
	return behind > errors*math.Sqrt(squares/(n-1)/n)
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
