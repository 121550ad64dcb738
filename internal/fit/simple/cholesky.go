package simple

import "math"

// Matrices here are small, a dozen rows at most, and there are many of them. A matrix [d, d] is a
// slice of its rows, of which only the lower triangle is read.

// factorise replaces a positive definite matrix by its Cholesky factor L. It returns false if a
// pivot is not positive.
func factorise(a []float64, d int) bool {
	for j := range d {
		for i := j; i < d; i++ {
			sum := a[i*d+j]
			for k := range j {
				sum -= a[i*d+k] * a[j*d+k]
			}
			if i > j {
				a[i*d+j] = sum / a[j*d+j]
				continue
			}
			if !(sum > 0) {
				return false
			}
			a[j*d+j] = math.Sqrt(sum)
		}
	}
	return true
}

// forward replaces v [d] by L⁻¹v.
func forward(l, v []float64) {
	d := len(v)
	for i, sum := range v {
		row := l[i*d:][:i+1]
		for j, z := range v[:i] {
			sum -= row[j] * z
		}
		v[i] = sum / row[i]
	}
}

// backward replaces v [d] by L⁻ᵀv.
func backward(l, v []float64) {
	d := len(v)
	for i := d - 1; i >= 0; i-- {
		for j := i + 1; j < d; j++ {
			v[i] -= l[j*d+i] * v[j]
		}
		v[i] /= l[i*d+i]
	}
}

// logDet returns log det(L·Lᵀ).
func logDet(l []float64, d int) float64 {
	sum := 0.0
	for i := range d {
		sum += 2 * math.Log(l[i*d+i])
	}
	return sum
}
