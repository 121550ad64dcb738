package simd

import "math"

// Mode says what a product does besides multiplying. Accumulate and ReLU may be combined.
type Mode uint8

const (
	// Overwrite replaces C.
	Overwrite Mode = 0
	// Accumulate adds to C.
	Accumulate Mode = 1
	// ReLU stores 0 for negative results. A NaN stays a NaN.
	ReLU Mode = 2
)

// floor returns the value that results are raised to.
func floor(mode Mode) float32 {
	if mode&ReLU != 0 {
		return 0
	}
	return float32(math.Inf(-1))
}

// zeros is the initial value of a sum without a bias.
var zeros [32]float32

// Multiply computes C[m, n] = A[m, k]·B, or as the mode says. m may be 0 and ahead nil; this holds
// for all products.
func (p *Packed) Multiply(m int, a, c Matrix, mode Mode, ahead *Ahead) {
	if m == 0 {
		return
	}
	p.multiply(task{m: m, a: a, c: c, start: initial(c, mode), floor: floor(mode), ahead: ahead})
}

// MultiplyBias computes C[m, n] = bias[m, n] + A[m, k]·B, with ReLU if the mode has it. It panics
// if the mode has Accumulate. If the bias has stride 0, it is one row, which is added to all rows.
func (p *Packed) MultiplyBias(m int, a, bias, c Matrix, mode Mode, ahead *Ahead) {
	if m == 0 {
		return
	}
	if mode&Accumulate != 0 {
		panic("simd: MultiplyBias got the mode Accumulate, want Overwrite or ReLU")
	}
	if bias.Stride == 0 {
		bias.check("bias", 1, p.n)
	} else {
		bias.check("bias", m, p.n)
	}
	p.multiply(task{m: m, a: a, c: c, start: start{Matrix: bias, columns: true}, floor: floor(mode), ahead: ahead})
}

// MultiplyMasked computes C[m, n] = A[m, k]·B, or as the mode says, where y[m, n] is not 0, and
// sets C to 0 elsewhere. That is the gradient before a ReLU whose result was y. It panics if the
// mode has ReLU. C may be y.
func (p *Packed) MultiplyMasked(m int, a, y, c Matrix, mode Mode, ahead *Ahead) {
	if m == 0 {
		return
	}
	if mode&ReLU != 0 {
		panic("simd: MultiplyMasked got the mode ReLU, want Overwrite or Accumulate")
	}
	y.check("y", m, p.n)
	p.multiply(task{m: m, a: a, c: c, y: y, start: initial(c, mode), floor: floor(mode), ahead: ahead})
}

// start holds the initial values of a product's sums. If columns is true, they are a matrix [m, n],
// or with stride 0 one row [n] for all rows. Otherwise they are one row of a strip, for all rows
// and strips.
type start struct {
	Matrix
	columns bool
}

// initial returns the initial values of a product without a bias: C or zeros.
func initial(c Matrix, mode Mode) start {
	if mode&Accumulate != 0 {
		return start{Matrix: c, columns: true}
	}
	return start{Matrix: Matrix{Data: zeros[:]}}
}

// task is a whole product, without B.
type task struct {
	m       int
	a, c, y Matrix // [m, k], [m, n]; y [m, n] or no data
	start   start
	floor   float32
	ahead   *Ahead
}

// mostPerCall is about the most multiply-adds of one kernel call. The Go runtime cannot preempt an
// assembly function, so a call must take only some microseconds.
const mostPerCall = 1 << 19

// multiply computes a product by groups of rows, each group strip by strip.
func (p *Packed) multiply(t task) {
	t.a.check("A", t.m, p.k)
	t.c.check("C", t.m, p.n)
	if p.rows.Data != nil {
		p.multiplyBorrowed(t)
		return
	}
	if p.tiled {
		p.multiplyTiles(t)
		return
	}
	most := max(mostPerCall/(p.k*p.strip)/12, 1) * 12
	strip := product{k: p.k, from: t.start.Matrix, floor: t.floor, ahead: t.ahead}
	for i0 := 0; i0 < t.m; i0 += most {
		strip.m, strip.a = min(most, t.m-i0), t.a.Slice(i0, 0)
		for j0 := 0; j0 < p.n; j0 += p.strip {
			strip.b, strip.c = p.data[j0*p.k:], t.c.Slice(i0, j0)
			if t.start.columns {
				strip.from = t.start.Slice(i0, j0)
			}
			if t.y.Data != nil {
				strip.y = t.y.Slice(i0, j0)
			}
			strip.columns, strip.width = min(p.strip, p.n-j0), p.width(j0)
			if p.narrow {
				narrow(&strip)
				strip.applyMask()
				continue
			}
			multiply(&strip)
		}
	}
}

// multiplyBorrowed computes a product with a borrowed matrix.
func (p *Packed) multiplyBorrowed(t task) {
	if t.start.columns || t.y.Data != nil || t.floor != floor(Overwrite) {
		panic("simd: a product with a borrowed matrix can only overwrite")
	}
	most := max(mostPerCall/(p.k*p.strip)/12, 1) * 12
	for i0 := 0; i0 < t.m; i0 += most {
		for j0 := 0; j0 < p.n; j0 += p.strip {
			multiplyStrided(min(most, t.m-i0), p.k, min(p.strip, p.n-j0), t.a.Slice(i0, 0), p.rows.Slice(0, j0), t.c.Slice(i0, j0))
		}
	}
}

// product is the work of one kernel call: some rows times one strip. The lengths of its slices have
// been checked.
type product struct {
	m, k    int
	columns int       // of c
	width   int       // columns of b, with the zeros
	a       Matrix    // [m, k]
	b       []float32 // [k, width]
	from    Matrix    // [m, columns], or one row with stride 0: the initial values of the sums
	c       Matrix    // [m, columns]
	y       Matrix    // [m, columns], or no data: the mask
	floor   float32
	ahead   *Ahead
}

// applyMask sets c to 0 where y is 0.
func (t *product) applyMask() {
	if t.y.Data == nil {
		return
	}
	for i := range t.m {
		c, y := t.c.row(i, t.columns), t.y.row(i, t.columns)
		for j, v := range y {
			if v == 0 {
				c[j] = 0
			}
		}
	}
}
