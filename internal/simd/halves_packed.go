package simd

// PackedHalves is a matrix B [k, n] of bfloat16 numbers, laid out for products A·B. It can be used only
// with the kernel set that was active when it was made.
type PackedHalves struct {
	k, n   int
	pairs  []float32 // [n/32][k/2][32] pairs of rows, filled up with zeros
	floats *Packed   // without AVX512_BF16: rounded numbers
}

// NewPackedHalves returns a PackedHalves with memory for a matrix [k, n], both at least 1.
func NewPackedHalves(k, n int) *PackedHalves {
	if !halves {
		return &PackedHalves{k: k, n: n, floats: NewPacked(k, n)}
	}
	return &PackedHalves{k: k, n: n, pairs: make([]float32, PackedHalvesSize(k, n))}
}

// PackedHalvesSize returns the number of float32s of a PackedHalves for a matrix [k, n].
func PackedHalvesSize(k, n int) int {
	if !halves {
		return PackedSize(k, n)
	}
	return (k + 1) / 2 * ((n + halfStrip - 1) / halfStrip * halfStrip)
}

// Memory returns the memory of the layout, for Ahead; nil for nil.
func (p *PackedHalves) Memory() []float32 {
	switch {
	case p == nil:
		return nil
	case p.floats != nil:
		return p.floats.Memory()
	}
	return p.pairs
}

// Pack copies B [k, n] into the layout.
func (p *PackedHalves) Pack(b Halves) {
	if p.floats != nil {
		p.floats.Pack(b.rows.Data, b.rows.Stride, 1)
		return
	}
	b.check(p.k, p.n)
	rows := (p.k + 1) / 2
	for j0 := 0; j0 < p.n; j0 += halfStrip {
		strip, columns := p.pairs[j0*rows:], min(halfStrip, p.n-j0)
		for i := range rows {
			copy(strip[i*halfStrip:][:columns], b.pairs.Slice(i, j0).Data)
		}
	}
}

// PackTransposed copies the transpose of b [n, k] into the layout.
func (p *PackedHalves) PackTransposed(b Halves) {
	if p.floats != nil {
		p.floats.Pack(b.rows.Data, 1, b.rows.Stride)
		return
	}
	b.check(p.n, p.k)
	rows := (p.k + 1) / 2
	for j0 := 0; j0 < p.n; j0 += halfStrip {
		strip := Rows(p.pairs[j0*rows:], halfStrip)
		for j := j0; j < min(j0+halfStrip, p.n); j += turnRows {
			turn(min(turnRows, p.n-j), rows, b.rows.Slice(j, 0), strip.Slice(0, j-j0))
		}
	}
}

// HalfProduct is a product A·B with a PackedHalves B [k, n], and what becomes of its result.
type HalfProduct struct {
	M     int    // rows of A; may be 0
	A     Halves // [m, k]
	Start Matrix // [m, n], added to the product; with stride 0 one row for all rows; no data for zeros
	Where Halves // [m, n]: the result is 0 where this is 0; the zero Halves for no mask; not with ReLU
	ReLU  bool   // negative results become 0
	C     Matrix // [m, n]: the result in float32, or
	To    Halves // [m, n]: the result rounded to bfloat16; may be Where
	Ahead *Ahead // what to fetch meanwhile; may be nil
}

// Multiply computes a product. Sums are float32 numbers.
func (p *PackedHalves) Multiply(t HalfProduct) {
	switch {
	case t.M == 0:
		return
	case t.ReLU && t.Where.exists():
		panic("simd: a product with both a ReLU and a mask")
	case p.floats != nil:
		p.multiplyFloats(t)
		return
	}
	p.check(&t)
	p.multiplyPairs(&t)
}

func (p *PackedHalves) check(t *HalfProduct) {
	t.A.rows.check("A", t.M, (p.k+1)/2)
	if t.Start.Data != nil && t.Start.Stride == 0 {
		t.Start.check("start", 1, p.n)
	} else if t.Start.Data != nil {
		t.Start.check("start", t.M, p.n)
	}
	if t.Where.exists() {
		t.Where.rows.check("mask", t.M, (p.n+1)/2)
	}
	if t.To.exists() {
		t.To.check(t.M, p.n)
	} else {
		t.C.check("C", t.M, p.n)
	}
}

// multiplyFloats computes a product of rounded float32 numbers.
func (p *PackedHalves) multiplyFloats(t HalfProduct) {
	c, mode := t.C, Overwrite
	if t.To.exists() {
		c = t.To.rows
	}
	if t.ReLU {
		mode = ReLU
	}
	switch {
	case t.Where.exists() && t.Start.Data != nil:
		panic("simd: a product with both a start and a mask")
	case t.Where.exists():
		p.floats.MultiplyMasked(t.M, t.A.rows, t.Where.rows, c, mode, t.Ahead)
	case t.Start.Data != nil:
		p.floats.MultiplyBias(t.M, t.A.rows, t.Start, c, mode, t.Ahead)
	default:
		p.floats.Multiply(t.M, t.A.rows, c, mode, t.Ahead)
	}
	if t.To.exists() {
		for i := range t.M {
			round(c.row(i, p.n), c.row(i, p.n))
		}
	}
}

// multiplyPairs computes a product by groups of rows, each group strip by strip.
func (p *PackedHalves) multiplyPairs(t *HalfProduct) {
	k := (p.k + 1) / 2
	most := max(mostPerCall/(k*halfStrip)/12, 1) * 12
	for i0 := 0; i0 < t.M; i0 += most {
		for j0 := 0; j0 < p.n; j0 += halfStrip {
			p.strip(t, i0, min(most, t.M-i0), j0, k)
		}
	}
}

// strip computes m rows from i0 on of the strip that begins at column j0. i0 is even. Operands that the
// product does not have are nil.
func (p *PackedHalves) strip(t *HalfProduct, i0, m, j0, k int) {
	from, least := Rows(zeros[:], 0), floor(Overwrite)
	if t.ReLU {
		least = 0
	}
	if t.Start.Data != nil {
		from = t.Start.Slice(i0, j0)
	}
	var y, c, pairs *float32
	if t.Where.exists() {
		y = &t.Where.rows.Slice(i0, j0/2).Data[0]
	}
	ldc := t.C.Stride
	if t.To.exists() {
		c, ldc, pairs = &t.To.rows.Slice(i0, j0/2).Data[0], t.To.rows.Stride, &t.To.pairs.Slice(i0/2, j0).Data[0]
	} else {
		c = &t.C.Slice(i0, j0).Data[0]
	}
	a, columns := &t.A.rows.Slice(i0, 0).Data[0], min(halfStrip, p.n-j0)
	next, step := t.Ahead.take(active.turns(m, k), a)
	multiplyHalves(m, a, t.A.rows.Stride, &p.pairs[j0*k], k, &from.Data[0], from.Stride, c, ldc, pairs, t.To.pairs.Stride,
		y, t.Where.rows.Stride, least, mask(columns), endHalf(columns), next, step)
}
