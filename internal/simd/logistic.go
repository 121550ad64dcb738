package simd

import "math"

func portableExps(dst, x []float64) {
	for i, v := range x {
		dst[i] = math.Exp(v)
	}
}

func portableLogistic(exps, logs, x []float64) {
	for i, v := range x {
		exps[i] = math.Exp(-math.Abs(v))
		logs[i] = math.Log1p(exps[i])
	}
}
