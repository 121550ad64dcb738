package simple

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/points"
)

// A covariance is that of the points of a context: of their function, plus the variances of their noise.
type covariance interface {
	factorise(noise []float64) bool // false if the sum is too close to singular for float64
	inverseTimes(a mat.Matrix) *mat.Dense
	inverseDiagonal() []float64
	logDet() float64
}

// mostCond is the condition number from which a matrix is too close to singular.
const mostCond = 1e14

// covarianceOf returns what makes covariances for the points of a context. They share what noise does not change.
func covarianceOf(f field, c points.Points) func() covariance {
	if root := f.root(c); root != nil {
		if n, rank := root.Dims(); 2*rank < n {
			return func() covariance { return &ofLowRank{root: root} }
		}
	}
	prior := symmetric(covariancesOf(f, c, c))
	return func() covariance { return &ofFullRank{prior: prior} }
}

// symmetric returns the upper triangle of a square matrix as a symmetric one.
func symmetric(a *mat.Dense) *mat.SymDense {
	raw := a.RawMatrix()
	return mat.NewSymDense(raw.Rows, raw.Data)
}

// An ofFullRank is a covariance with any covariance of the function.
type ofFullRank struct {
	prior *mat.SymDense
	chol  mat.Cholesky
}

func (c *ofFullRank) factorise(noise []float64) bool {
	sum := mat.NewSymDense(len(noise), nil)
	sum.CopySym(c.prior)
	for i, v := range noise {
		sum.SetSym(i, i, sum.At(i, i)+v)
	}
	return c.chol.Factorize(sum) && c.chol.Cond() <= mostCond
}

func (c *ofFullRank) inverseTimes(a mat.Matrix) *mat.Dense {
	out := new(mat.Dense)
	_ = c.chol.SolveTo(out, a)
	return out
}

// inverseDiagonal of UᵀU has the squares of the rows of U⁻¹.
func (c *ofFullRank) inverseDiagonal() []float64 {
	u := new(mat.TriDense)
	c.chol.UTo(u)
	n, _ := u.Dims()
	diagonal := make([]float64, n)
	lapack64.Trtri(u.RawTriangular())
	for i := range n {
		row := u.RawTriangular().Data[i*n:][i:n]
		diagonal[i] = dot(row, row)
	}
	return diagonal
}

func (c *ofFullRank) logDet() float64 { return c.chol.LogDet() }

// An ofLowRank is a covariance RRᵀ + D. By the formula of Woodbury, its inverse is D⁻¹ − D⁻¹R(I + RᵀD⁻¹R)⁻¹RᵀD⁻¹.
type ofLowRank struct {
	root  *mat.Dense // R [n, rank]
	noise []float64  // of D
	white *mat.Dense // D^−½R
	chol  mat.Cholesky
}

func (c *ofLowRank) factorise(noise []float64) bool {
	_, rank := c.root.Dims()
	c.noise, c.white = slices.Clone(noise), mat.DenseCopyOf(c.root)
	for i, v := range noise {
		blas64.Scal(1/math.Sqrt(v), blas64.Vector{N: rank, Data: c.white.RawRowView(i), Inc: 1})
	}
	inner := mat.NewSymDense(rank, nil)
	inner.SymOuterK(1, c.white.T())
	for j := range rank {
		inner.SetSym(j, j, inner.At(j, j)+1)
	}
	return c.chol.Factorize(inner) && c.chol.Cond() <= mostCond
}

func (c *ofLowRank) inverseTimes(a mat.Matrix) *mat.Dense {
	out := mat.DenseCopyOf(a)
	c.whiten(out)
	var seen, part mat.Dense
	seen.Mul(c.white.T(), out)
	_ = c.chol.SolveTo(&seen, &seen)
	part.Mul(c.white, &seen)
	out.Sub(out, &part)
	c.whiten(out)
	return out
}

// whiten divides rows by the deviations of the noise.
func (c *ofLowRank) whiten(a *mat.Dense) {
	_, columns := a.Dims()
	for i, v := range c.noise {
		blas64.Scal(1/math.Sqrt(v), blas64.Vector{N: columns, Data: a.RawRowView(i), Inc: 1})
	}
}

func (c *ofLowRank) inverseDiagonal() []float64 {
	shares := mat.DenseCopyOf(c.white)
	blas64.Trsm(blas.Right, blas.NoTrans, 1, c.chol.RawU().(*mat.TriDense).RawTriangular(), shares.RawMatrix())
	diagonal := make([]float64, len(c.noise))
	for i, v := range c.noise {
		row := shares.RawRowView(i)
		diagonal[i] = (1 - dot(row, row)) / v
	}
	return diagonal
}

func (c *ofLowRank) logDet() float64 {
	log := c.chol.LogDet()
	for _, v := range c.noise {
		log += math.Log(v)
	}
	return log
}
