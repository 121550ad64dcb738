package simd

import "math"

// Exps sets dst[i] to exp(x[i]), with the bits of math.Exp on a processor with FMA. No x is above 700.
// The lengths are equal and a multiple of DoubleLanes; dst may be x.
func Exps(dst, x []float64) {
	doubles(dst, x)
	if len(x) > 0 {
		active.exps(dst, x)
	}
}

// Logistic sets exps[i] to exp(−|x[i]|) and logs[i] to log(1 + exps[i]), with the bits of math.Exp and
// math.Log1p on a processor with FMA: softplus(x) is max(x, 0) + log, and sigmoid(|x|) is 1/(1 + exp).
// The lengths are equal and a multiple of DoubleLanes.
func Logistic(exps, logs, x []float64) {
	doubles(exps, x)
	doubles(logs, x)
	if len(x) > 0 {
		active.logistic(exps, logs, x)
	}
}

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
