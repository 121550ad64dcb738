package simd

import "math"

// negligible is the size below which results become 0, in the kernels that say so.
const negligible = 1e-30

// block holds the sums that plain Go keeps in registers. amd64 has no registers for more.
type block [4][2]float32

// portable computes a product in plain Go. Blocks and portableRows add in the same order.
func (t *product) portable() {
	if t.k < 8 {
		t.portableRows()
		return
	}
	for i := 0; i < t.m; i += 4 {
		rows := min(4, t.m-i)
		// A last block of fewer than four rows repeats its last row.
		row := func(r int) []float32 { return t.a.row(i+min(r, rows-1), t.k) }
		for j := 0; j < t.columns; j += 2 {
			var s block
			columns := min(2, t.columns-j)
			for r := range rows {
				copy(s[r][:columns], t.from.Data[(i+r)*t.from.Stride+j:])
			}
			s.add(row(0), row(1), row(2), row(3), t.b[j:], t.width)
			for r := range rows {
				t.store(i+r, j, s[r][:columns])
			}
		}
	}
}

// portableRows computes a product row by row, with the sums in memory. That is faster for a small
// k.
func (t *product) portableRows() {
	var sums [16]float32
	row := sums[:t.columns]
	for i := range t.m {
		copy(row, t.from.Data[i*t.from.Stride:])
		for l, x := range t.a.row(i, t.k) {
			portableAxpy(x, t.b[l*t.width:l*t.width+t.columns], row)
		}
		t.store(i, 0, row)
	}
}

// add adds the products of four rows of A and two columns of B over k.
func (s *block) add(a0, a1, a2, a3, b []float32, ldb int) {
	s00, s01, s10, s11, s20, s21, s30, s31 := s[0][0], s[0][1], s[1][0], s[1][1], s[2][0], s[2][1], s[3][0], s[3][1]
	a1, a2, a3 = a1[:len(a0)], a2[:len(a0)], a3[:len(a0)]
	at := 0
	for l, x0 := range a0 {
		y := b[at : at+2 : at+2]
		y0, y1 := y[0], y[1]
		at += ldb
		x1, x2, x3 := a1[l], a2[l], a3[l]
		s00 += x0 * y0
		s01 += x0 * y1
		s10 += x1 * y0
		s11 += x1 * y1
		s20 += x2 * y0
		s21 += x2 * y1
		s30 += x3 * y0
		s31 += x3 * y1
	}
	*s = block{{s00, s01}, {s10, s11}, {s20, s21}, {s30, s31}}
}

// store stores sums of row i from column j on.
func (t *product) store(i, j int, sums []float32) {
	c := t.c.Data[i*t.c.Stride+j:]
	for d, s := range sums {
		switch {
		case t.y.Data == nil && s < t.floor:
			s = t.floor
		case t.y.Data != nil && t.y.Data[i*t.y.Stride+j+d] == 0:
			s = 0
		}
		c[d] = s
	}
}

// portable computes at most 32 columns. It takes four rows of c at a time, over all rows of a and
// b.
func (t *transposed) portable() {
	for l := 0; l < t.k; l += 4 {
		var sums [4][32]float32
		few := min(4, t.k-l)
		for i := range t.m {
			y := t.b.row(i, t.n)
			for r, x := range t.a.row(i, t.k)[l : l+few] {
				portableAxpy(x, y, sums[r][:t.n])
			}
		}
		for r := range few {
			portableAxpy(1, sums[r][:t.n], t.c.row(l+r, t.n))
		}
	}
}

func portableSumRows(m, n int, a Matrix, dst []float32) {
	for j := range n {
		var s float32
		for i := range m {
			s += a.Data[i*a.Stride+j]
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

func portableAdd(m, n int, a, b, c Matrix) {
	for i := range m {
		x, y := a.row(i, n), b.row(i, n)
		for j := range c.row(i, n) {
			c.Data[i*c.Stride+j] = x[j] + y[j]
		}
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

func portableGreatest(x []float32) float32 {
	greatest := float32(math.Inf(-1))
	for _, v := range x {
		if v > greatest {
			greatest = v
		}
	}
	return greatest
}

func portableExpSum(dst, x []float32, scale, shift float32) float32 {
	total := 0.0
	for i, v := range x {
		y := float32(math.Exp(float64(float32(scale*v) - shift)))
		if y < negligible {
			y = 0
		}
		dst[i] = y
		total += float64(y)
	}
	return float32(total)
}

func portableSoftmaxRows(m, n int, x Matrix, scale float32, inverse []float32) {
	for i := range m {
		row := x.row(i, n)
		greatest := scale * portableGreatest(row)
		if math.IsInf(float64(greatest), -1) {
			greatest = 0
		}
		inverse[i] = 1 / portableExpSum(row, row, scale, greatest)
	}
}

func portableSoftmaxGradRows(m, n int, x, terms Matrix, scale float32, inverse []float32) {
	for i := range m {
		row, a, factor := x.row(i, n), terms.row(i, n), scale*inverse[i]
		mean := portableDot(a, row) * inverse[i]
		for j, v := range row {
			row[j] = a[j] * (v - mean) * factor
		}
		portableFlush(row, row)
	}
}

func portableScaleRows(m, n int, factors []float32, x, y Matrix) {
	for i := range m {
		to := y.row(i, n)
		for j, v := range x.row(i, n) {
			to[j] = v * factors[i]
		}
	}
}

func portableFlush(dst, x []float32) {
	for i, v := range x {
		if v < negligible && v > -negligible {
			v = 0
		}
		dst[i] = v
	}
}

func portableLayerNorm(m, n int, norm Norm, x, y Matrix) {
	for i := range m {
		row, to := x.row(i, n), y.row(i, n)
		mean, inverse := statistics(row, norm.Epsilon)
		for j, v := range row {
			to[j] = (v-mean)*inverse*norm.Gain[j] + norm.Shift[j]
		}
	}
}

// statistics returns the mean of a row and 1/√(variance+epsilon).
func statistics(row []float32, epsilon float32) (mean, inverse float32) {
	var squares float32
	for _, v := range row {
		mean += v
	}
	mean /= float32(len(row))
	for _, v := range row {
		squares += (v - mean) * (v - mean)
	}
	return mean, 1 / float32(math.Sqrt(float64(squares/float32(len(row))+epsilon)))
}

func portableLayerNormGrad(m, n int, norm Norm, g, x Matrix, to NormGrad) {
	for i := range m {
		gradient, row, dx := g.row(i, n), x.row(i, n), to.X.row(i, n)
		mean, inverse := statistics(row, norm.Epsilon)
		var sum, slope float32
		for j, v := range gradient {
			z := (row[j] - mean) * inverse
			sum += v * norm.Gain[j]
			slope += v * norm.Gain[j] * z
			to.Gain[j] += v * z
			to.Shift[j] += v
		}
		sum, slope = sum/float32(n), slope/float32(n)
		for j, v := range gradient {
			dx[j] = (v*norm.Gain[j] - sum - (row[j]-mean)*inverse*slope) * inverse
		}
	}
}

// portablePeak is FMAPeak in plain Go, with twelve independent sums. All are 0, which the compiler
// cannot know.
func portablePeak(n int) float64 {
	x := float32(min(n, 0))
	s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11 := x, x, x, x, x, x, x, x, x, x, x, x
	for range n {
		s0 = s0*x + x
		s1 = s1*x + x
		s2 = s2*x + x
		s3 = s3*x + x
		s4 = s4*x + x
		s5 = s5*x + x
		s6 = s6*x + x
		s7 = s7*x + x
		s8 = s8*x + x
		s9 = s9*x + x
		s10 = s10*x + x
		s11 = s11*x + x
	}
	return float64(n)*24 + float64(s0+s1+s2+s3+s4+s5+s6+s7+s8+s9+s10+s11)
}

// portableRound copies x to dst, rounded to bfloat16.
func portableRound(dst, x []float32) {
	const signed, normal, kept = 1 << 31, 1 << 23, 0xffff0000
	for i, v := range x {
		b := math.Float32bits(v)
		switch {
		case v != v:
			b = b&kept | 1<<22 // quiet
		case b&^signed < normal:
			b &= signed
		default:
			b = (b + 0x7fff + b>>16&1) & kept
		}
		dst[i] = math.Float32frombits(b)
	}
}
