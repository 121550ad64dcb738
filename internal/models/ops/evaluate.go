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
	kernel := plainOf[T](o.Kind)
	if kernel == nil {
		panic(fmt.Sprintf("ops: no plain kernel for %v", o))
	}
	kernel(o, e, out, in)
}

// plainOf returns the plain kernel of a kind, or nil. A map of generic functions would be built at
// every call.
func plainOf[T Float](k Kind) plain[T] {
	switch k {
	case Linear:
		return linear[T]
	case LinearGrad:
		return linearGrad[T]
	case SetMean:
		return setMean[T]
	case SetMeanGrad:
		return setMeanGrad[T]
	case Add:
		return add[T]
	case Join:
		return join[T]
	case Columns:
		return columns[T]
	case Ones:
		return ones[T]
	case Sigmoid:
		return sigmoids[T]
	case SigmoidGrad:
		return sigmoidGrad[T]
	case UniformLevel:
		return uniformLevel[T]
	case UniformLogit:
		return uniformLogit[T]
	case LayerNorm:
		return layerNorm[T]
	case LayerNormGrad:
		return layerNormGrad[T]
	case Attention:
		return attention[T]
	case AttentionGrad:
		return attentionGrad[T]
	case EnsembleAdd:
		return ensembleAdd[T]
	case EnsembleAddGrad:
		return ensembleAddGrad[T]
	case Gather:
		return gather[T]
	case Residual:
		return residual[T]
	case Perturb:
		return perturb[T]
	case GaussianLik:
		return gaussian[T]
	case GaussianLikGrad:
		return gaussianGrad[T]
	case MixtureLik:
		return mixture[T]
	case MixtureLikGrad:
		return mixtureGrad[T]
	case LogMeanExp:
		return logMeanExp[T]
	case LogMeanExpGrad:
		return logMeanExpGrad[T]
	case NegMean:
		return negMean[T]
	case NegMeanGrad:
		return negMeanGrad[T]
	}
	return nil
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
