package simple

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/points"
)

// sharesTried is how many shares, evenly spaced from 0 to just below 1, are tried.
const sharesTried = 20

// share returns the share of g that groups in an outer group have in common: the likeliest one, given all other
// numbers of the model.
func (e *evidence) share(m *GP, outers [][]int) float64 {
	best, most := 0.0, math.Inf(-1)
	blocks := make([]*outerBlock, len(outers))
	for k, groups := range outers {
		blocks[k] = e.outerBlock(m, groups)
	}
	for n := range sharesTried {
		share, log := float64(n)/sharesTried, 0.0
		for _, b := range blocks {
			log += b.logLikelihood(share)
		}
		if log > most {
			best, most = share, log
		}
	}
	return best
}

// An outerBlock is some points of all groups in an outer one.
type outerBlock struct {
	own    *mat.SymDense // the covariance without what groups have in common
	common *mat.SymDense // k of points of different groups
	left   *mat.VecDense // y less its mean
}

// outerBlock returns the points of groups, evenly spread if they are many.
func (e *evidence) outerBlock(m *GP, groups []int) *outerBlock {
	var all points.Points
	var noise []float64
	each := max(1, 2*MostOfOuter/len(groups))
	for _, k := range groups {
		g := e.groups[k]
		for _, i := range points.Spread(g.Len(), each) {
			all.Append(points.Points{X: g.Row(i), Y: []float64{g.Y[i] - e.shift[k][i]}, DX: g.DX, DY: 1, Sibling: []int{k}})
			noise = append(noise, e.noise[k][i])
		}
	}
	n := all.Len()
	b := &outerBlock{mat.NewSymDense(n, nil), mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)}
	for i, v := range m.mean(all) {
		b.left.SetVec(i, all.Y[i]-v)
		for j := range i + 1 {
			k := m.Hyper.kernel(all.Row(i), all.Row(j))
			if all.Sibling[i] != all.Sibling[j] {
				b.common.SetSym(i, j, k)
				continue
			}
			if i == j {
				k += m.Hyper.Noise * m.Hyper.Noise * noise[i]
			}
			b.own.SetSym(i, j, k)
		}
	}
	return b
}

// logLikelihood returns the log density of the points at a share, less a constant.
func (b *outerBlock) logLikelihood(share float64) float64 {
	var cov mat.SymDense
	cov.ScaleSym(share, b.common)
	cov.AddSym(&cov, b.own)
	var chol mat.Cholesky
	if !chol.Factorize(&cov) {
		return math.Inf(-1)
	}
	var solved mat.VecDense
	_ = chol.SolveVecTo(&solved, b.left)
	return -(chol.LogDet() + mat.Dot(&solved, b.left)) / 2
}
