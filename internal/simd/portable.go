package simd

import "math"

// portable is the product in plain Go: a row of sums for one panel, so that the inner loop has no dependencies.
func (t *product) portable() {
	var sums [16]float32
	for i := range t.m {
		row := sums[:t.columns]
		copy(row, t.from[i*t.ldf:])
		for l, x := range t.a[i*t.lda : i*t.lda+t.k] {
			for j, b := range t.b[l*t.width : l*t.width+len(row)] {
				row[j] += x * b
			}
		}
		c := t.c[i*t.ldc : i*t.ldc+len(row)]
		if t.y == nil {
			for j, s := range row {
				if s < t.floor {
					s = t.floor
				}
				c[j] = s
			}
			continue
		}
		for j, y := range t.y[i*t.ldy : i*t.ldy+len(row)] {
			if y == 0 {
				row[j] = 0
			}
		}
		copy(c, row)
	}
}

// portableTransposeMultiply sums four rows of c at a time over all rows of a and b.
func portableTransposeMultiply(m, k, columns int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int) {
	const rows = 4
	for l0 := 0; l0 < k; l0 += rows {
		var sums [rows][32]float32
		few := min(rows, k-l0)
		for i := range m {
			y := b[i*ldb : i*ldb+columns]
			for r, x := range a[i*lda+l0 : i*lda+l0+few] {
				s := sums[r][:len(y)]
				for j, v := range y {
					s[j] += x * v
				}
			}
		}
		for r := range few {
			portableAxpy(1, sums[r][:columns], c[(l0+r)*ldc:(l0+r)*ldc+columns])
		}
	}
}

func portableSumRows(dst, a []float32, m, n, lda int) {
	for j := range n {
		var s float32
		for i := range m {
			s += a[i*lda+j]
		}
		dst[j] += s
	}
}

func portableAxpy(alpha float32, x, y []float32) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += alpha * v
	}
}

func portableDot(x, y []float32) float32 {
	y = y[:len(x)]
	var s [4]float32
	for len(x) >= 4 {
		s[0] += x[0] * y[0]
		s[1] += x[1] * y[1]
		s[2] += x[2] * y[2]
		s[3] += x[3] * y[3]
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		s[i] += v * y[i]
	}
	return (s[0] + s[2]) + (s[1] + s[3])
}

func portableExp(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(math.Exp(float64(v)))
	}
}

func portableLog(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(math.Log(float64(v)))
	}
}

func portableSoftplusSigmoid(dst, slope, x []float32) {
	for i, f := range x {
		v := float64(f)
		e := math.Exp(-math.Abs(v))
		above := 1.0
		if v < 0 {
			above = e
		}
		dst[i] = float32(math.Max(v, 0) + math.Log1p(e))
		slope[i] = float32(above / (1 + e))
	}
}

// portablePeak keeps eight independent sums. All are zero, which the compiler cannot know.
func portablePeak(n int) float64 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float32
	x := float32(n >> 62)
	y := x
	for range n {
		s0 += x * y
		s1 += x * y
		s2 += x * y
		s3 += x * y
		s4 += x * y
		s5 += x * y
		s6 += x * y
		s7 += x * y
	}
	return float64(n)*16 + float64(s0+s1+s2+s3+s4+s5+s6+s7)
}
