package simple

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// An evidence computes the marginal likelihood of standardised groups. With Φ the basis at all
// points and B the block diagonal covariance of g + ε, the covariance of y is B + ΦΛΦᵀ. So only
// matrices of the size of a group and of the basis are factorised.
type evidence struct {
	groups []Group
	basis  basis
	phi    []*mat.Dense // of each group, [n, M]
}

func newEvidence(groups []Group, b basis) *evidence {
	e := &evidence{groups: groups, basis: b}
	for _, g := range groups {
		e.phi = append(e.phi, b.at(g.X, g.DX))
	}
	return e
}

// likelihoodAt is the marginal likelihood at some hyperparameters.
type likelihoodAt struct {
	log      float64       // of the likelihood times the prior of the hyperparameters
	gradient []float64     // by the logarithms of the hyperparameters
	w        []float64     // the mean of the coefficients of f
	cov      *mat.SymDense // their covariance
}

// solvedGroup is a group with what its factorised block gives.
type solvedGroup struct {
	chol mat.Cholesky
	phi  *mat.Dense // B⁻¹Φ [n, M]
	y    *mat.VecDense
}

// at returns the marginal likelihood for the logarithms theta of the hyperparameters, with its
// gradient if asked. It reports false if a matrix cannot be factorised.
func (e *evidence) at(theta []float64, withGradient bool) (likelihoodAt, bool) {
	h := hyperOf(theta)
	for _, v := range theta {
		if math.Abs(v) > 12 {
			return likelihoodAt{}, false
		}
	}
	size := e.basis.size()
	lambda, bySpread, byWave := e.basis.prior(h)
	precision := mat.NewSymDense(size, nil) // A = Λ⁻¹ + Σ ΦᵀB⁻¹Φ
	b := mat.NewVecDense(size, nil)         // Σ ΦᵀB⁻¹y
	log := 0.0
	for i, v := range lambda {
		precision.SetSym(i, i, 1/v)
		log -= math.Log(v) / 2
	}
	solved := make([]*solvedGroup, len(e.groups))
	var product mat.Dense
	var part mat.VecDense
	for k, g := range e.groups {
		s, ok := h.solve(g, e.phi[k])
		if !ok {
			return likelihoodAt{}, false
		}
		solved[k] = s
		product.Reset()
		product.Mul(e.phi[k].T(), s.phi)
		for i := range size {
			for j := range i + 1 {
				precision.SetSym(i, j, precision.At(i, j)+(product.At(i, j)+product.At(j, i))/2)
			}
		}
		part.Reset()
		part.MulVec(s.phi.T(), mat.NewVecDense(g.Points(), g.Y))
		b.AddVec(b, &part)
		log -= s.chol.LogDet()/2 + mat.Dot(s.y, mat.NewVecDense(g.Points(), g.Y))/2 + float64(g.Points())/2*math.Log(2*math.Pi)
	}
	var chol mat.Cholesky
	if !chol.Factorize(precision) {
		return likelihoodAt{}, false
	}
	w := mat.NewVecDense(size, nil)
	if err := chol.SolveVecTo(w, b); err != nil && !isCondition(err) {
		return likelihoodAt{}, false
	}
	log += mat.Dot(b, w)/2 - chol.LogDet()/2
	cov := mat.NewSymDense(size, nil)
	if err := chol.InverseTo(cov); err != nil && !isCondition(err) {
		return likelihoodAt{}, false
	}
	out := likelihoodAt{log: log, w: w.RawVector().Data, cov: cov}
	if withGradient {
		out.gradient = make([]float64, len(theta))
		for k := range e.groups {
			e.addGradient(out.gradient, h, k, solved[k], w, cov)
		}
		for i, v := range lambda { // ½ (w² − λ + cov)/λ² · dλ
			d := (out.w[i]*out.w[i] - v + cov.At(i, i)) / (2 * v * v)
			out.gradient[4] += d * bySpread[i]
			out.gradient[5] += d * byWave[i]
		}
	}
	for i, v := range theta {
		z := (v - priorOf(i).Centre) / priorOf(i).Width
		out.log -= z * z / 2
		if withGradient {
			out.gradient[i] -= z / priorOf(i).Width
		}
	}
	return out, !math.IsNaN(out.log)
}

// isCondition reports whether an error only says that a result has few digits.
func isCondition(err error) bool { _, is := err.(mat.Condition); return is }

// priorOf returns the normal prior of the logarithm of hyperparameter i. They are weak, and keep
// what few data do not determine within reason.
func priorOf(i int) scaling {
	switch {
	case i >= firstLength:
		return scaling{math.Log(0.8), 1}
	case i == 5:
		return scaling{0, 0.7}
	}
	return scaling{math.Log(0.4), 1.5}
}

// solve factorises the block of a group.
func (h hyper) solve(g Group, phi *mat.Dense) (*solvedGroup, bool) {
	n := g.Points()
	block := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			block.SetSym(i, j, h.kernel(g.row(i), g.row(j)))
		}
		block.SetSym(i, i, block.At(i, i)+h.Noise*h.Noise)
	}
	s := &solvedGroup{phi: mat.NewDense(n, phi.RawMatrix().Cols, nil), y: mat.NewVecDense(n, nil)}
	if !s.chol.Factorize(block) {
		return nil, false
	}
	if err := s.chol.SolveTo(s.phi, phi); err != nil && !isCondition(err) {
		return nil, false
	}
	if err := s.chol.SolveVecTo(s.y, mat.NewVecDense(n, g.Y)); err != nil && !isCondition(err) {
		return nil, false
	}
	return s, true
}

// addGradient adds a group's part of the gradient by noise, level, slope, curve and the lengths:
// ½ Σ_ij (αᵢαⱼ − Cᵢⱼ) ∂Bᵢⱼ, where α = K⁻¹y and C is the group's block of K⁻¹.
func (e *evidence) addGradient(gradient []float64, h hyper, k int, s *solvedGroup, w *mat.VecDense, cov *mat.SymDense) {
	g := e.groups[k]
	n, dx := g.Points(), g.DX
	var alpha mat.VecDense
	alpha.MulVec(s.phi, w)
	alpha.SubVec(s.y, &alpha)
	var inverse mat.SymDense
	if err := s.chol.InverseTo(&inverse); err != nil && !isCondition(err) {
		return
	}
	var left, share mat.Dense
	left.Mul(s.phi, cov)
	share.Mul(&left, s.phi.T())
	for i := range n {
		for j := range i + 1 {
			d := alpha.AtVec(i)*alpha.AtVec(j) - inverse.At(i, j) + share.At(i, j)
			if i == j {
				d /= 2
				gradient[0] += d * 2 * h.Noise * h.Noise
			}
			a, b := g.row(i), g.row(j)
			dot, distance := 0.0, 0.0
			for c, v := range a {
				dot += v * b[c]
				z := (v - b[c]) / h.Lengths[c]
				distance += z * z
			}
			smooth := h.Curve * h.Curve * math.Exp(-distance/2)
			gradient[1] += d * 2 * h.Level * h.Level
			gradient[2] += d * 2 * h.Slope * h.Slope * dot
			gradient[3] += d * 2 * smooth
			for c := range dx {
				z := (a[c] - b[c]) / h.Lengths[c]
				gradient[firstLength+c] += d * smooth * z * z
			}
		}
	}
}
