package simple

// An elimination takes the deviations of groups out of XᵀV⁻¹X, one group at a time. Where groups are in others, the second
// level is the same computation, with V of the groups in place of the unit matrix.
type elimination struct {
	q      int
	lambda []float64
	l      []float64 // L of the last group, [q, q]
	lzx    []float64 // L⁻¹ΛᵀZᵀ[X, y] of it, [p+1, q]: a row for each column of [X, y]
	lzz    []float64 // L⁻¹ΛᵀZᵀZ of the last part, [q, q]: a row for each column of Z
}

func newElimination(lambda []float64, p, q int) *elimination {
	return &elimination{q, lambda, make([]float64, q*q), make([]float64, (p+1)*q), make([]float64, q*q)}
}

// group reads the sums of a group. It returns false if a matrix is singular.
func (e *elimination) group(part *sums) bool {
	q := e.q
	if !part.factor(e.l, e.lambda, q) {
		return false
	}
	for at := 0; at < len(e.lzx); at += q {
		e.solve(e.lzx[at:][:q], part.xz[at:][:q])
	}
	return true
}

// solve sets dst to L⁻¹Λᵀv.
func (e *elimination) solve(dst, v []float64) {
	transposed(dst, e.lambda, v)
	forward(e.l, dst)
}

// takeFrom takes the group's deviation out of total [p+1, p+1]: XᵀV⁻¹X with y as the last column of X, in the lower
// triangle.
func (e *elimination) takeFrom(total []float64) {
	q := e.q
	columns := len(e.lzx) / q
	for r := range columns {
		row, to := e.lzx[r*q:][:q], total[r*columns:][:r+1]
		for c := range to {
			to[c] -= dot(row, e.lzx[c*q:][:q])
		}
	}
}

// rest sets to to what is left of the sums of a part of the last group, weighted with V⁻¹: ZᵀV⁻¹Z and ZᵀV⁻¹[X, y].
func (e *elimination) rest(to, part *sums) {
	q := e.q
	for k := range q {
		e.solve(e.lzz[k*q:][:q], part.zz[k*q:][:q])
	}
	for k := range q {
		w := e.lzz[k*q:][:q]
		for m := range q {
			to.zz[k*q+m] = part.zz[k*q+m] - dot(w, e.lzz[m*q:][:q])
		}
		for at := 0; at < len(e.lzx); at += q {
			to.xz[at+k] = part.xz[at+k] - dot(e.lzx[at:][:q], w)
		}
	}
}

// eliminate calls each after each group has been read: those of the first level and then, with their rest, those of the
// second. rest, which may be nil, is called with what is left of each group, and with the level. The group of index out
// is left out, unless that is negative. It returns false if a matrix is singular.
func (f *linearFit) eliminate(s solution, out int, each func(*elimination), rest func(left *sums, level int)) bool {
	inner := newElimination(s.lambda, f.p, f.q)
	if f.outers == nil {
		left := newSums(f.p, f.q)
		for i := range f.parts {
			if i == out {
				continue
			}
			if !inner.group(&f.parts[i]) {
				return false
			}
			if each(inner); rest != nil {
				inner.rest(left, &f.parts[i])
				rest(left, 0)
			}
		}
		return true
	}
	outer := newElimination(s.outer, f.p, f.q)
	var lefts []*sums // of the groups of an outer one
	whole, left := newSums(f.p, f.q), newSums(f.p, f.q)
	for _, groups := range f.outers {
		clear(whole.zz)
		clear(whole.xz)
		for k, i := range groups {
			if k == len(lefts) {
				lefts = append(lefts, newSums(f.p, f.q))
			}
			if i == out {
				continue
			}
			if !inner.group(&f.parts[i]) {
				return false
			}
			each(inner)
			inner.rest(lefts[k], &f.parts[i])
			whole.add(lefts[k])
		}
		if !outer.group(whole) {
			return false
		}
		if each(outer); rest == nil {
			continue
		}
		outer.rest(left, whole)
		rest(left, 1)
		for k := range groups { // none is left out
			outer.rest(left, lefts[k])
			rest(left, 0)
		}
	}
	return true
}

// newSums returns sums of 0, without [X, y]ᵀ[X, y].
func newSums(p, q int) *sums {
	return &sums{zz: make([]float64, q*q), xz: make([]float64, (p+1)*q)}
}

// add adds other sums.
func (s *sums) add(other *sums) {
	for i, v := range other.zz {
		s.zz[i] += v
	}
	for i, v := range other.xz {
		s.xz[i] += v
	}
}

// outerLambda returns Λ of outer groups [q, q] from θ. Coefficients that are not common have rows of 0.
func (f *linearFit) outerLambda(theta []float64) []float64 {
	outer, few := make([]float64, f.q*f.q), lower(theta[f.q*(f.q+1)/2:], f.common)
	for i := range f.common {
		copy(outer[i*f.q:][:f.common], few[i*f.common:][:f.common])
	}
	return outer
}

// lower returns the lower triangular matrix [q, q] with the given numbers, row by row.
func lower(theta []float64, q int) []float64 {
	m := make([]float64, q*q)
	for i := range q {
		theta = theta[copy(m[i*q:][:i+1], theta):]
	}
	return m
}

// factor sets l [q, q] to L, with LLᵀ = I + ΛᵀZᵀZΛ. It returns false if that is singular.
func (s *sums) factor(l, lambda []float64, q int) bool {
	for i := range q {
		for j := range i + 1 {
			sum := 0.0
			for k := i; k < q; k++ {
				inner := 0.0
				for m := j; m < q; m++ {
					inner += s.zz[k*q+m] * lambda[m*q+j]
				}
				sum += lambda[k*q+i] * inner
			}
			l[i*q+j] = sum
		}
		l[i*q+i]++
	}
	return factorise(l, q)
}

// transposed sets dst to Λᵀv.
func transposed(dst, lambda, v []float64) {
	q := len(v)
	for i := range dst {
		dst[i] = 0
		for k := i; k < q; k++ {
			dst[i] += lambda[k*q+i] * v[k]
		}
	}
}
