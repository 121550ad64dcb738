package simd

// Packed is a matrix B [k, n] laid out for products A·B. It can be used only with the kernel set
// that was active when it was made. There are three layouts:
//
//   - strips: [n/strip][k][strip], where a strip is the columns that a kernel multiplies at a
//     time. The last strip is filled up with zeros.
//   - narrow, for a few long columns: [k/16][n][16], filled up with zeros.
//   - tiled, for AMX: every number split into parts (tiles.go).
//
// A matrix that is used only once or twice can also stay where it is: see Borrow.
type Packed struct {
	k, n   int
	tiling bool // the layout is tiled where the matrix is large enough
	strip  int  // columns of a strip
	last   int  // columns of the last strip, with the zeros
	narrow bool
	tiled  bool
	data   []float32
	rows   Matrix // [k, n]: a borrowed matrix, in place of data
}

const (
	narrowColumns = 4  // the most columns of a narrow matrix
	narrowRows    = 32 // the fewest rows; with fewer, adding up lanes takes longer than it saves
	narrowLanes   = 16
	unit          = 16 // the multiple to which the last strip's columns are filled up
)

// NewPacked returns a Packed with memory for a matrix [k, n], both at least 1.
func NewPacked(k, n int) *Packed {
	p := emptyPacked()
	p.Resize(k, n)
	return p
}

// PackedSize returns the number of float32s of a Packed for a matrix [k, n], both at least 1.
func PackedSize(k, n int) int { return emptyPacked().setLayout(k, n) }

func emptyPacked() *Packed {
	return &Packed{tiling: tiling, strip: active.strip}
}

// Resize changes the size of the matrix to [k, n] and drops its elements. It allocates only if its
// memory is too small.
func (p *Packed) Resize(k, n int) {
	size := p.setLayout(k, n)
	p.rows = Matrix{}
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

// setLayout chooses the layout of a matrix [k, n] and returns its size in float32s.
func (p *Packed) setLayout(k, n int) int {
	if k < 1 || n < 1 {
		panic("simd: a matrix needs rows and columns")
	}
	full := (n - 1) / p.strip
	p.k, p.n = k, n
	p.last = (n - full*p.strip + unit - 1) / unit * unit
	p.narrow = active != portable && n <= narrowColumns && k >= narrowRows
	p.tiled = p.tiling && tileable(k, n)
	switch {
	case p.tiled:
		return steps(k) * steps(n) * tileParts
	case p.narrow:
		return (k + narrowLanes - 1) / narrowLanes * narrowLanes * n
	}
	return k * (full*p.strip + p.last)
}

// Memory returns the memory of the layout, for Ahead; nil for nil.
func (p *Packed) Memory() []float32 {
	if p == nil {
		return nil
	}
	return p.data
}

// Pack copies B into the layout: element (i, j) is b[i*rowStride+j*colStride]. A row-major matrix
// of stride ld is packed with strides (ld, 1), its transpose with (1, ld). Pack must not run while
// another goroutine multiplies by p.
func (p *Packed) Pack(b []float32, rowStride, colStride int) {
	if rowStride < 0 || colStride < 0 || len(b) <= (p.k-1)*rowStride+(p.n-1)*colStride {
		panic("simd: too few numbers to pack")
	}
	switch {
	case p.tiled:
		p.packTiles(b, rowStride, colStride)
	case p.narrow:
		p.packNarrow(b, rowStride, colStride)
	default:
		p.packStrips(b, rowStride, colStride)
	}
}

// Borrow makes p the row-major matrix b [k, n]. Products give the same bits as if b were packed. p
// refers to b's memory, which must not change while p is used, unless another layout than strips is
// faster for this size; then Borrow packs b. A borrowed matrix is only for products that overwrite,
// with neither bias nor mask.
func (p *Packed) Borrow(b Matrix, k, n int) {
	b.check("B", k, n)
	size := p.setLayout(k, n)
	if p.narrow || p.tiled || active == portable {
		p.Resize(k, n)
		p.Pack(b.Data, b.Stride, 1)
		return
	}
	if size > cap(p.data) {
		p.data = make([]float32, size) // as in Resize, so that memory does not depend on the sizes' order
	}
	p.rows = b
}

func (p *Packed) packNarrow(b []float32, rowStride, colStride int) {
	for i := range p.k {
		for j := range p.n {
			p.data[(i/narrowLanes*p.n+j)*narrowLanes+i%narrowLanes] = b[i*rowStride+j*colStride]
		}
	}
}

func (p *Packed) packStrips(b []float32, rowStride, colStride int) {
	if rowStride == 1 && active != portable {
		p.packTurned(Rows(b, colStride))
		return
	}
	at := 0
	for j0 := 0; j0 < p.n; j0 += p.strip {
		columns := min(p.strip, p.n-j0)
		width := p.width(j0)
		for i := range p.k {
			row := p.data[at : at+width] // zero beyond the columns, since Resize
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
		}
	}
}

// packTurned packs the transpose of b [n, k] into strips, 8 rows of b at a time.
func (p *Packed) packTurned(b Matrix) {
	for j0 := 0; j0 < p.n; j0 += p.strip {
		width := p.width(j0)
		for j := j0; j < min(j0+p.strip, p.n); j += turnRows {
			turn(min(turnRows, p.n-j), p.k, b.Slice(j, 0), Rows(p.data[j0*p.k+j-j0:], width))
		}
	}
}

// turnRows is the number of rows that are transposed at a time.
const turnRows = 8

// width returns the number of columns of the strip that begins at column j0, with the zeros.
func (p *Packed) width(j0 int) int {
	if j0+p.strip >= p.n {
		return p.last
	}
	return p.strip
}
