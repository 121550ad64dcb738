package stack

import "math"

// weigh returns the weights w ≥ 0 with Σw = 1 that maximise Σ_i share_i·log Σ_j w_j·exp(logs_ij),
// by expectation and maximisation. logs are log densities [targets, models]. A prior of one unit at
// equal weights keeps few data from trusting one model alone.
func weigh(logs [][]float64, share []float64, units int) []float64 {
	models := len(logs[0])
	w, next := make([]float64, models), make([]float64, models)
	for j := range w {
		w[j] = 1 / float64(models)
	}
	densities, total := relative(logs), 0.0
	for _, s := range share {
		total += s
	}
	prior := total / float64(units) / float64(models)
	for range 500 {
		clear(next)
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
			v := (next[j] + prior) / (total + prior*float64(models))
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

// leastWeight is the weight below which a model is left out.
const leastWeight = 0.02

// drop sets weights below leastWeight to 0 and scales the rest to sum to 1. Of many models of equal
// weights it keeps all.
func drop(w []float64) {
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
