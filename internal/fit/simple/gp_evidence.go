package simple

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// An evidence computes the marginal likelihood of standardised groups. With Φ the basis at all
// points and B the block diagonal covariance of g + ε, the covariance of y is B + ΦΛΦᵀ. So only
// matrices of the size of a group and of the basis are factorised. Errors of what uses a factor are left: they
// are mat.Condition, which warns that a result has few exact digits.
type evidence struct {
	groups []Group
	basis  basis
	of     []int        // which slope and length each column has
	p      int          // how many there are
	phi    []*mat.Dense // of each group, [n, M]
	noise  [][]float64  // the variance of each point's noise, in units of the hyperparameter's variance
	shift  [][]float64  // its mean
}

// newEvidence returns an evidence for groups whose points have noise of the same scale. It presses y,
// which limits the leverage of outliers until their noise is known.
func newEvidence(groups []Group, b basis) *evidence {
	e := &evidence{groups: groups, basis: b}
	e.of, e.p = columnsOf(b)
	for _, g := range groups {
		e.phi = append(e.phi, b.evaluate(g.X))
		e.noise = append(e.noise, slices.Repeat([]float64{1}, g.Points()))
		shift := make([]float64, g.Points())
		for i, v := range g.Y {
			shift[i] = v - pressed(v)
		}
		e.shift = append(e.shift, shift)
	}
	return e
}

// likelihoodAt is the marginal likelihood at some hyperparameters.
type likelihoodAt struct {
	log      float64       // of the likelihood times the prior of the hyperparameters
	gradient []float64     // by the logarithms of the hyperparameters
	w        []float64     // the mean of the coefficients of f
	cov      *mat.SymDense // their covariance
	solved   []*solvedGroup
}

// solvedGroup is a group with what its factorised block gives.
type solvedGroup struct {
	chol          mat.Cholesky
	phi           *mat.Dense // B⁻¹Φ [n, M]
	y             *mat.VecDense
	smooth        []float64 // the smooth part of the kernel, [n, n], upper triangle
	lines, places []float64 // [n, DX]: slope·(x − centre), x/length
}

// evaluate returns the marginal likelihood for the logarithms theta of the hyperparameters, with its
// gradient if asked. It reports false if a matrix cannot be factorised.
func (e *evidence) evaluate(theta []float64, withGradient bool) (likelihoodAt, bool) {
	h := hyperOf(theta, e.of)
	for _, v := range theta {
		if math.Abs(v) > 12 {
			return likelihoodAt{}, false
		}
	}
	size := e.basis.size()
	prior := e.basis.prior(h.Spread, h.Wave, h.Ridge, h.Blend)
	precision := mat.NewSymDense(size, nil) // A = Λ⁻¹ + Σ ΦᵀB⁻¹Φ
	b := mat.NewVecDense(size, nil)         // Σ ΦᵀB⁻¹y
	log := 0.0
	for i, v := range prior.variance {
		precision.SetSym(i, i, 1/v)
		log -= math.Log(v) / 2
	}
	solved := make([]*solvedGroup, len(e.groups))
	var product mat.Dense
	var part mat.VecDense
	for k, g := range e.groups {
		y := mat.NewVecDense(g.Points(), nil)
		for i, v := range g.Y {
			y.SetVec(i, v-e.shift[k][i])
		}
		s, ok := h.solve(g, e.phi[k], e.noiseOf(k), y)
		if !ok {
			return likelihoodAt{}, false
		}
		solved[k] = s
		if !withGradient {
			s.smooth, s.lines, s.places = nil, nil, nil
		}
		product.Reset()
		product.Mul(e.phi[k].T(), s.phi)
		for i := range size {
			to, from := precision.RawSymmetric().Data[i*size:][:size], product.RawRowView(i)
			for j := i; j < size; j++ {
				to[j] += from[j]
			}
		}
		part.Reset()
		part.MulVec(s.phi.T(), y)
		b.AddVec(b, &part)
		log -= s.chol.LogDet()/2 + mat.Dot(s.y, y)/2 + float64(g.Points())/2*math.Log(2*math.Pi)
	}
	var chol mat.Cholesky
	if !chol.Factorize(precision) {
		return likelihoodAt{}, false
	}
	w := mat.NewVecDense(size, nil)
	_ = chol.SolveVecTo(w, b)
	log += mat.Dot(b, w)/2 - chol.LogDet()/2
	cov := mat.NewSymDense(size, nil)
	_ = chol.InverseTo(cov)
	out := likelihoodAt{log: log, w: w.RawVector().Data, cov: cov, solved: solved}
	if withGradient {
		out.gradient = make([]float64, len(theta))
		for k := range e.groups {
			e.addGradient(out.gradient, h, k, solved[k], w, cov)
		}
		for i, v := range prior.variance { // ½ (w² − λ + cov)/λ² · dλ
			d := (out.w[i]*out.w[i] - v + cov.At(i, i)) / (2 * v * v)
			out.gradient[3] += d * prior.bySpread[i]
			out.gradient[4] += d * prior.byWave[i]
			out.gradient[5] += d * prior.byRidge[i]
			out.gradient[6] += d * prior.byBlend[i]
		}
	}
	for i, v := range theta {
		p := priorOf(i, e.p)
		z := (v - p.Centre) / p.Width
		out.log -= z * z / 2
		if withGradient {
			out.gradient[i] -= z / p.Width
		}
	}
	return out, !math.IsNaN(out.log)
}

// priorOf returns the normal prior of hyperparameter i, of which P are slopes. The priors are weak: they
// only bound what few data do not determine. Lengths grow with √P, as distances do.
func priorOf(i, p int) scaling {
	switch {
	case i >= plainHypers+2*p:
		return scaling{0, 1}
	case i >= plainHypers+p:
		return scaling{math.Log(0.8 * math.Sqrt(float64(p))), 1}
	case i == 4:
		return scaling{0, 0.7}
	case i == 6:
		return scaling{math.Log(0.1), 1}
	}
	return scaling{math.Log(0.4), 1.5}
}

// solve factorises the block of a group.
func (h *hyper) solve(g Group, phi *mat.Dense, noise []float64, y *mat.VecDense) (*solvedGroup, bool) {
	n, dx := g.Points(), g.DX
	block, smooth := mat.NewSymDense(n, nil), make([]float64, n*n)
	lines, places := make([]float64, n*dx), make([]float64, n*dx)
	for i, v := range g.X {
		p := h.Of[i%dx]
		lines[i], places[i] = h.Slopes[p]*(v-h.Centres[p]), v/h.Lengths[p]
	}
	for i := range n {
		row := block.RawSymmetric().Data[i*n:][:n]
		for j := i; j < n; j++ {
			line, distance := h.Level*h.Level, 0.0
			for c := range dx {
				line += lines[i*dx+c] * lines[j*dx+c]
				z := places[i*dx+c] - places[j*dx+c]
				distance += z * z
			}
			smooth[i*n+j] = h.Curve * h.Curve * math.Exp(-distance/2)
			row[j] = line + smooth[i*n+j]
		}
		row[i] += h.Noise * h.Noise * noise[i]
	}
	s := &solvedGroup{smooth: smooth, lines: lines, places: places, phi: mat.NewDense(n, phi.RawMatrix().Cols, nil), y: mat.NewVecDense(n, nil)}
	if !s.chol.Factorize(block) {
		return nil, false
	}
	_, _ = s.chol.SolveTo(s.phi, phi), s.chol.SolveVecTo(s.y, y)
	return s, true
}

// inverse returns a group's part of K⁻¹: α = K⁻¹y at its points, and its block of K⁻¹.
func (s *solvedGroup) inverse(w *mat.VecDense, cov *mat.SymDense) (alpha *mat.VecDense, block *mat.SymDense) {
	alpha = new(mat.VecDense)
	alpha.MulVec(s.phi, w)
	alpha.SubVec(s.y, alpha)
	block = new(mat.SymDense)
	_ = s.chol.InverseTo(block)
	var left, share mat.Dense
	left.Mul(s.phi, cov)
	share.Mul(&left, s.phi.T())
	n := block.SymmetricDim()
	for i := range n {
		to, from := block.RawSymmetric().Data[i*n:][:n], share.RawRowView(i)
		for j := i; j < n; j++ {
			to[j] -= from[j]
		}
	}
	return alpha, block
}

// noiseOf returns the variance of the noise of each point of a group, less where it counts more than once.
func (e *evidence) noiseOf(k int) []float64 {
	times := e.groups[k].Times
	if times == nil {
		return e.noise[k]
	}
	all := slices.Clone(e.noise[k])
	for i := range all {
		all[i] /= times[i]
	}
	return all
}

// misses returns the leave-one-out error of each point, which is left out as often as it counts.
func (e *evidence) misses(theta []float64, r likelihoodAt) [][]miss {
	all := make([][]miss, len(e.groups))
	w := mat.NewVecDense(len(r.w), r.w)
	noise := math.Exp(2 * theta[0])
	for k, s := range r.solved {
		alpha, block := s.inverse(w, r.cov)
		for i, v := range e.noiseOf(k) {
			c := block.At(i, i)
			all[k] = append(all[k], miss{alpha.AtVec(i)/c + e.shift[k][i], max(1/c-noise*v, 0), e.groups[k].times(i) - 1})
		}
	}
	return all
}

// addGradient adds a group's part of the gradient by noise, level, curve, slopes, lengths and centres:
// ½ Σ_ij (αᵢαⱼ − Cᵢⱼ) ∂Bᵢⱼ, where α = K⁻¹y and C is the group's block of K⁻¹.
func (e *evidence) addGradient(gradient []float64, h hyper, k int, s *solvedGroup, w *mat.VecDense, cov *mat.SymDense) {
	alpha, block := s.inverse(w, cov)
	n, dx := len(e.noise[k]), len(e.of)
	slopes, lengths, centres := gradient[plainHypers:][:e.p], gradient[plainHypers+e.p:][:e.p], gradient[plainHypers+2*e.p:]
	for i := range n {
		inverse := block.RawSymmetric().Data[i*n:][:n]
		for j := i; j < n; j++ {
			d := alpha.AtVec(i)*alpha.AtVec(j) - inverse[j]
			if i == j {
				d /= 2
				gradient[0] += d * 2 * h.Noise * h.Noise * e.noise[k][i]
			}
			smooth := d * s.smooth[i*n+j]
			gradient[1] += d * 2 * h.Level * h.Level
			gradient[2] += 2 * smooth
			for c := range dx {
				p := e.of[c]
				z := s.places[i*dx+c] - s.places[j*dx+c]
				lengths[p] += smooth * z * z
				u, v := s.lines[i*dx+c], s.lines[j*dx+c]
				slopes[p] += d * 2 * u * v
				centres[p] -= d * h.Slopes[p] * (u + v)
			}
		}
	}
}
