package ops

import "fmt"

// Float is the element type of a plain kernel.
type Float interface{ ~float32 | ~float64 }

// plain evaluates one operation at the extents e. The matrices in and out are packed row-major; out
// is overwritten.
type plain[T Float] func(o *Op, e Extents, out []T, in [][]T)

// Evaluate runs the plain kernel of an operation at the extents e. The matrices in and out are
// packed row-major; out is overwritten. Plain kernels are simple and slow: faster engines are
// tested against them. Evaluate panics if the kind has no kernel.
func Evaluate[T Float](o *Op, e Extents, out []T, in [][]T) {
	kernel, known := plainKernels[T]()[o.Kind]
	if !known {
		panic(fmt.Sprintf("ops: no plain kernel for %v", o))
	}
	kernel(o, e, out, in)
}

func plainKernels[T Float]() map[Kind]plain[T] {
	return map[Kind]plain[T]{
		Linear:          linear[T],
		LinearGrad:      linearGrad[T],
		SetMean:         setMean[T],
		SetMeanGrad:     setMeanGrad[T],
		Add:             add[T],
		Join:            join[T],
		Columns:         columns[T],
		Ones:            ones[T],
		Sigmoid:         sigmoids[T],
		SigmoidGrad:     sigmoidGrad[T],
		UniformLevel:    uniformLevel[T],
		UniformLogit:    uniformLogit[T],
		LayerNorm:       layerNorm[T],
		LayerNormGrad:   layerNormGrad[T],
		Attention:       attention[T],
		AttentionGrad:   attentionGrad[T],
		EnsembleAdd:     ensembleAdd[T],
		EnsembleAddGrad: ensembleAddGrad[T],
		Gather:          gather[T],
		Residual:        residual[T],
		Perturb:         perturb[T],
		GaussianLik:     gaussian[T],
		GaussianLikGrad: gaussianGrad[T],
		MixtureLik:      mixture[T],
		MixtureLikGrad:  mixtureGrad[T],
		LogMeanExp:      logMeanExp[T],
		LogMeanExpGrad:  logMeanExpGrad[T],
		NegMean:         negMean[T],
		NegMeanGrad:     negMeanGrad[T],
	}
}

// row returns row i of the matrix m [rows, width].
func row[T Float](m []T, i, width int) []T { return m[i*width : (i+1)*width] }

// dot returns the scalar product of two vectors of equal length.
func dot[T Float](x, y []T) T {
	var s T
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

// accumulate adds a·x to y.
func accumulate[T Float](y []T, a T, x []T) {
	for i, v := range x {
		y[i] += a * v
	}
}
