package simd

import "math"

// Mode says what Packed's methods do besides multiplying. Accumulate and ReLU may be combined.
type Mode uint8

const (
	// Overwrite replaces C.
	Overwrite Mode = 0
	// Accumulate adds to what C holds.
	Accumulate Mode = 1
	// ReLU stores 0 for what is below 0; NaN stays NaN.
	ReLU Mode = 2
)

// floor is what results are raised to.
func floor(mode Mode) float32 {
	if mode&ReLU != 0 {
		return 0
	}
	return float32(math.Inf(-1))
}

// Packed is a matrix B [k, n] laid out for products A·B: in panels of so many columns as a block of the product has,
// [n/panel][k][panel], zeros where the last panel sticks out. A narrow matrix, of a few long columns, is laid out as
// [k/16][n][16] instead, zeros where the last 16 stick out; one for tiles as its parts. It belongs to the set of kernels
// that it was made under.
type Packed struct {
	k, n   int
	path   path
	panel  int // columns
	last   int // columns laid out of the last panel
	narrow bool
	tiling bool // tiles are used where there is enough for them to do
	tiled  bool
	data   []float32
}

const (
	narrowColumns = 4  // at most, of a narrow matrix
	narrowRows    = 32 // at least; below that, adding up lanes takes longer than what it saves
	narrowLanes   = 16
)

// panels of a product's blocks: columns, and to what multiple the last panel is rounded up.
var panels = [...]struct{ columns, unit int }{portable: {16, 16}, avx2: {16, 16}, avx512: {32, 16}}

// NewPacked makes room for a matrix [k, n], both at least 1.
func NewPacked(k, n int) *Packed {
	p := emptyPacked()
	p.Resize(k, n)
	return p
}

// PackedSize returns how many float32 a Packed of a matrix [k, n] holds, both at least 1.
func PackedSize(k, n int) int { return emptyPacked().layout(k, n) }

func emptyPacked() *Packed {
	return &Packed{path: active, tiling: tiling, panel: panels[active].columns}
}

// Resize makes room for a matrix [k, n] instead, in the memory that there is if it is enough. What was packed is gone.
func (p *Packed) Resize(k, n int) {
	size := p.layout(k, n)
	switch {
	case p.tiled:
		p.data = room(&p.data, size)
	case size > cap(p.data):
		p.data = make([]float32, size)
	default:
		p.data = p.data[:size]
		clear(p.data)
	}
}

// layout decides how a matrix [k, n] is laid out, and returns how many float32 that takes.
func (p *Packed) layout(k, n int) int {
	if k < 1 || n < 1 {
		panic("simd: a matrix needs rows and columns")
	}
	full := (n - 1) / p.panel
	unit := panels[p.path].unit
	p.k, p.n = k, n
	p.last = (n - full*p.panel + unit - 1) / unit * unit
	p.narrow = p.path != portable && n <= narrowColumns && k >= narrowRows
	p.tiled = p.tiling && tileable(k, n)
	switch {
	case p.tiled:
		return steps(k) * steps(n) * tileParts
	case p.narrow:
		return (k + narrowLanes - 1) / narrowLanes * narrowLanes * n
	}
	return k * (full*p.panel + p.last)
}

// K is the number of B's rows, N of its columns.
func (p *Packed) K() int { return p.k }

// Memory is where B is laid out, for Ahead.
func (p *Packed) Memory() []float32 { return p.data }

// N is the number of B's columns.
func (p *Packed) N() int { return p.n }

// Pack takes B's numbers: element (i, j) is b[i*rowStride+j*colStride]. So a matrix stored in rows ld apart is packed with
// strides (ld, 1), and its transpose with (1, ld). Must not run while another goroutine multiplies.
func (p *Packed) Pack(b []float32, rowStride, colStride int) {
	if rowStride < 0 || colStride < 0 || len(b) <= (p.k-1)*rowStride+(p.n-1)*colStride {
		panic("simd: too few numbers to pack")
	}
	if p.tiled {
		p.packTiles(b, rowStride, colStride)
		return
	}
	if p.narrow {
		for i := range p.k {
			for j := range p.n {
				p.data[(i/narrowLanes*p.n+j)*narrowLanes+i%narrowLanes] = b[i*rowStride+j*colStride]
			}
		}
		return
	}
	at := 0
	for j0 := 0; j0 < p.n; j0 += p.panel {
		columns := min(p.panel, p.n-j0)
		width := p.width(j0)
		for i := range p.k {
			row := p.data[at : at+width]
			at += width
			from := i*rowStride + j0*colStride
			if colStride == 1 {
				copy(row[:columns], b[from:])
				continue
			}
			for j := range columns {
				row[j] = b[from]
				from += colStride
			}
			// What lies beyond is zero since Resize.
		}
	}
}

// width is how many columns are laid out of the panel that begins at column j0.
func (p *Packed) width(j0 int) int {
	if j0+p.panel >= p.n {
		return p.last
	}
	return p.panel
}

// zeros is where sums start from that start from nothing.
var zeros [32]float32

// Multiply is C[m, n] = A[m, k]·B by the mode; ahead may be nil, as in all that follow. m may be 0.
func (p *Packed) Multiply(m int, a []float32, lda int, c []float32, ldc int, mode Mode, ahead *Ahead) {
	if m == 0 {
		return
	}
	start := from{rows: zeros[:]}
	if mode&Accumulate != 0 {
		start = from{rows: c, stride: ldc, columns: true}
	}
	p.multiply(m, a, lda, c, ldc, start, floor(mode), nil, 0, ahead)
}

// MultiplyBias is C[m, n] = bias[m, n] + A[m, k]·B, with ReLU if the mode has it (it must not have Accumulate). Rows of bias
// are ldb apart; with 0 all rows share one.
func (p *Packed) MultiplyBias(m int, a []float32, lda int, bias []float32, ldb int, c []float32, ldc int, mode Mode, ahead *Ahead) {
	if m == 0 {
		return
	}
	if mode&Accumulate != 0 {
		panic("simd: a product starts from a bias or from C")
	}
	if ldb == 0 {
		check("bias", bias, 1, p.n, p.n)
	} else {
		check("bias", bias, m, p.n, ldb)
	}
	p.multiply(m, a, lda, c, ldc, from{rows: bias, stride: ldb, columns: true}, floor(mode), nil, 0, ahead)
}

// MultiplyMasked is C[m, n] = A[m, k]·B by the mode where y[m, n] is not 0, and 0 elsewhere: the gradient before a ReLU whose
// result was y. The mode must not have ReLU. c may be y, with the same stride.
func (p *Packed) MultiplyMasked(m int, a []float32, lda int, y []float32, ldy int, c []float32, ldc int, mode Mode, ahead *Ahead) {
	if m == 0 {
		return
	}
	if mode&ReLU != 0 {
		panic("simd: a masked product has no ReLU")
	}
	start := from{rows: zeros[:]}
	if mode&Accumulate != 0 {
		start = from{rows: c, stride: ldc, columns: true}
	}
	check("y", y, m, p.n, ldy)
	p.multiply(m, a, lda, c, ldc, start, floor(mode), y, ldy, ahead)
}

// from is where sums start: rows a stride apart, 0 for one row that all share; without columns, the same for every panel.
type from struct {
	rows    []float32
	stride  int
	columns bool
}

// most is about how many multiply-adds one call of a kernel does, so that the Go runtime, which cannot stop an assembly
// function, waits no more than some microseconds for one.
const most = 1 << 19

// multiply goes panel by panel, and down the rows in each.
func (p *Packed) multiply(m int, a []float32, lda int, c []float32, ldc int, start from, floor float32, y []float32, ldy int, ahead *Ahead) {
	check("A", a, m, p.k, lda)
	check("C", c, m, p.n, ldc)
	if p.tiled {
		p.multiplyTiles(m, a, lda, c, ldc, start, floor, y, ldy, ahead)
		return
	}
	tile := max(most/(p.k*p.panel)/12, 1) * 12
	t := product{k: p.k, lda: lda, ldf: start.stride, ldc: ldc, ldy: ldy, from: start.rows, floor: floor, ahead: ahead}
	for i0 := 0; i0 < m; i0 += tile {
		t.m, t.a = min(tile, m-i0), a[i0*lda:]
		for j0 := 0; j0 < p.n; j0 += p.panel {
			t.b, t.c = p.data[j0*p.k:], c[i0*ldc+j0:]
			if start.columns {
				t.from = start.rows[i0*start.stride+j0:]
			}
			if y != nil {
				t.y = y[i0*ldy+j0:]
			}
			t.columns, t.width = min(p.panel, p.n-j0), p.width(j0)
			if p.narrow {
				p.path.narrow(&t)
				continue
			}
			p.path.multiply(&t)
		}
	}
}

// product is one panel's share of a multiplication; its slices begin at the first element and were checked.
type product struct {
	m, k           int
	a              []float32 // [m, k]
	lda            int
	b              []float32 // [k, width]
	from           []float32 // [m, columns], or one row with ldf = 0
	ldf            int
	c              []float32 // [m, columns]
	ldc            int
	y              []float32 // [m, columns] or nil
	ldy            int
	floor          float32
	columns, width int
	ahead          *Ahead
}

// mask makes 0 of what y, if there is one, masks.
func (t *product) mask() {
	if t.y == nil {
		return
	}
	for i := range t.m {
		for j := range t.columns {
			if t.y[i*t.ldy+j] == 0 {
				t.c[i*t.ldc+j] = 0
			}
		}
	}
}
