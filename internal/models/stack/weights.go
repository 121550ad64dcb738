package stack

import "math"

// weigh returns the weights w ≥ 0 with Σw = 1 that maximise Σ_i share_i·log Σ_j w_j·exp(logs_ij),
// by expectation and maximisation. logs are log densities [points, models]. A prior of one group at
// equal weights keeps few data from trusting one model alone.
func weigh(logs [][]float64, share []float64, groups int) []float64 {
	models := len(logs[0])
	w := make([]float64, models)
	for j := range w {
		w[j] = 1 / float64(models)
	}
	total := 0.0
	for _, s := range share {
		total += s
	}
	prior := total / float64(groups) / float64(models)
	next := make([]float64, models)
	for range 500 {
		clear(next)
		for i, row := range logs {
			most := math.Inf(-1)
			for _, l := range row {
				most = max(most, l)
			}
			if math.IsInf(most, -1) {
				continue
			}
			sum := 0.0
			for j, l := range row {
				sum += w[j] * math.Exp(l-most)
			}
			for j, l := range row {
				next[j] += share[i] * w[j] * math.Exp(l-most) / sum
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

// leastWeight is the weight below which a model is left out.
const leastWeight = 0.02

// drop sets weights below leastWeight to 0 and scales the rest to sum to 1.
func drop(w []float64) {
	sum := 0.0
	for j, v := range w {
		if v < leastWeight {
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
	sum := 0.0
	for j, l := range logs {
		if w[j] > 0 {
			sum += w[j] * math.Exp(l-most)
		}
	}
	return most + math.Log(sum)
}
