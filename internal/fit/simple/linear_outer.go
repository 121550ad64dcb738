package simple

// outerLambda returns Λ of outer groups [q, q] from θ. Coefficients that are not common have rows of 0.
func (f *linearFit) outerLambda(theta []float64) []float64 {
	outer, few := make([]float64, f.q*f.q), lower(theta[f.q*(f.q+1)/2:], f.common)
	for i := range f.common {
		copy(outer[i*f.q:][:f.common], few[i*f.common:][:f.common])
	}
	return outer
}

// eliminateOuter takes the deviations of outer groups out of what is left after those of the groups, which were the
// first level: with V of the groups in place of the unit matrix, the second level is the same computation.
func (f *linearFit) eliminateOuter(e *elimination, s solution, out int) bool {
	p, q := f.p, f.q
	inner := elimination{total: make([]float64, len(e.total)), m: make([]float64, q*q), u: make([]float64, (p+1)*q), q: q}
	w := make([]float64, q*q)
	for _, groups := range f.outers {
		rest := sums{qq: make([]float64, q*q), qp: make([]float64, (p+1)*q)}
		for _, i := range groups {
			if i == out {
				continue
			}
			part := f.parts[i]
			if !inner.group(part, s.lambda) {
				return false
			}
			for k := range q { // w = L⁻¹Λᵀ Σ q·qᵀ, a row for each column
				transposed(w[k*q:][:q], s.lambda, part.qq[k*q:][:q])
				forward(inner.m, w[k*q:][:q])
			}
			for k := range q {
				for l := range q {
					rest.qq[k*q+l] += part.qq[k*q+l] - dot(w[k*q:][:q], w[l*q:][:q])
				}
				for r := range p + 1 {
					rest.qp[r*q+k] += part.qp[r*q+k] - dot(inner.u[r*q:][:q], w[k*q:][:q])
				}
			}
		}
		if !e.group(rest, s.outer) {
			return false
		}
	}
	return true
}
