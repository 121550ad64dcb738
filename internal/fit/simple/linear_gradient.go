package simple

import "math"

// gradient sets grad to the derivatives of the deviance by θ. With V = I + ZΛΛᵀZᵀ of a group, P its block of the matrix
// that takes β out of V⁻¹, and r = V⁻¹(y − Xβ), the derivative by Λ is
//
//	2·Σ_g (ZᵀPZ − Zᵀr·rᵀZ/σ²)·Λ
//
// and with A = L_X·L_Xᵀ that by log τ of a crossing is 2·Σ (1 − (A⁻¹_jj + β_j²/σ²)/τ²) over its cells j.
func (f *linearFit) gradient(grad, theta []float64) {
	p, q := f.p, f.q
	s, ok := f.solve(theta, -1)
	if !ok {
		clear(grad)
		return
	}
	var k [2][]float64 // the sum above, of each level
	for level := range k {
		k[level] = make([]float64, q*q)
	}
	ridge, sigma, rows := s.byTrace(p), math.Sqrt(s.sigma2), make([]float64, q*(p+1))
	f.eliminate(s, -1, func(*elimination) {}, func(left *sums, level int) {
		for i := range q { // rows of L⁻¹XᵀV⁻¹Z and Zᵀr/σ
			row := rows[i*(p+1):][:p+1]
			for c := range row {
				row[c] = left.xz[c*q+i]
			}
			for j := range i + 1 {
				sum := left.zz[i*q+j]
				for c, v := range row[:p] {
					sum -= ridge * v * left.xz[c*q+j]
				}
				k[level][i*q+j] += sum
			}
			row[p] = (row[p] - dot(row[:p], s.beta)) / sigma
			forward(s.lx, row[:p])
			for j := range i + 1 {
				k[level][i*q+j] -= dot(row, rows[j*(p+1):][:p+1])
			}
		}
	})
	at := byLambda(grad, k[0], s.lambda, q, q)
	if f.outers != nil {
		byLambda(grad[at:], k[1], s.outer, q, f.common)
	}
	at = len(theta) - len(f.Form.Crossings)
	f.byCells(grad[at:], theta[at:], s)
}

// byCells writes the derivatives by the log τ of crossings, of which theta are the values.
func (f *linearFit) byCells(grad, theta []float64, s solution) {
	j, e := f.flat, make([]float64, f.p)
	for k, c := range f.Form.Crossings {
		grad[k] = 0
		for range c.size() {
			clear(e)
			e[j] = 1
			forward(s.lx, e)
			grad[k] += 2 * (1 - (dot(e, e)+s.beta[j]*s.beta[j]/s.sigma2)*s.cells[j-f.flat])
			j++
		}
		if theta[k] < leastLog || theta[k] > mostLog {
			grad[k] = 0
		}
	}
}

// byLambda writes the lower triangle of 2KΛ in its first rows, of a symmetric K of which the lower triangle is there. It
// returns how many numbers it wrote.
func byLambda(grad, k, lambda []float64, q, rows int) (n int) {
	for i := range rows {
		for j := range i + 1 {
			sum := 0.0
			for l := j; l < q; l++ {
				sum += k[max(i, l)*q+min(i, l)] * lambda[l*q+j]
			}
			grad[n] = 2 * sum
			n++
		}
	}
	return n
}

// byTrace returns the derivative of the deviance by the trace of XᵀV⁻¹X, to which the ridge is relative.
func (s solution) byTrace(p int) float64 {
	sum, e := dot(s.beta, s.beta)/s.sigma2, make([]float64, p)
	for j := range p {
		clear(e)
		e[j] = 1
		forward(s.lx, e)
		sum += dot(e, e)
	}
	return ridge / float64(p) * sum
}
