package cpu

import (
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// A kernel runs one unit on one tile.
type kernel func(w *worker, t *tile)

// compiledStage is a stage that is ready to run.
type compiledStage struct {
	program *Program
	shape
	kernels []kernel
	context []bool // by kernel: it computes nothing if there are no context points
	sums    []*sum

	total, perTile, chunks int // of the current run: rows of the domain, rows of a tile, chunks

	runChunk, finish func(worker, task int) // made once, because each use of a method value allocates it
}

// begin fixes tiles and chunks for a run.
func (s *compiledStage) begin(e *ops.Extents) {
	s.total = e.Rows(s.domain)
	s.perTile = s.rowsPerTile(*e)
	s.chunks = s.chunksOf(s.total, s.perTile, *e)
}

// chunk takes the tiles of one chunk through all kernels of the stage.
func (s *compiledStage) chunk(workerID, c int) {
	w := s.program.workers[workerID]
	t := &w.tile
	*t = tile{chunk: c, domain: s.domain, e: &s.program.e}
	from, to := chunkStart(s.total, c, s.chunks), chunkStart(s.total, c+1, s.chunks)
	t.lo, t.hi = from, to
	for _, r := range s.sums {
		clear(r.slice(t))
	}
	for lo := from; lo < to; lo += s.perTile {
		t.lo, t.hi = lo, min(lo+s.perTile, to)
		for i, k := range s.kernels {
			if t.e.Context > 0 || !s.context[i] {
				k(w, t)
			}
		}
	}
}

// operand is the place of a value that a kernel reads or writes.
type operand struct {
	space  ops.Space
	width  int
	stride int       // distance of two rows: the width, or more for values that only row kernels use
	data   []float32 // the whole value; nil for a tile-local one
	slot   int       // of a tile-local value: its offset in the worker's scratch
	halves bool      // of a tile-local value: it is stored in bfloat16
	sum    *sum      // of a result that is summed over tiles: where kernels add their share
}

// rows returns how many rows the operand has in a tile.
func (o *operand) rows(t *tile) int {
	lo, hi := t.span(o.space)
	return hi - lo
}

// slice returns the operand's rows in a tile, or the partial sum of the tile's chunk.
func (o *operand) slice(w *worker, t *tile) []float32 {
	if o.sum != nil {
		return o.sum.slice(t)
	}
	lo, hi := t.span(o.space)
	if o.data == nil {
		return w.scratch[o.slot : o.slot+(hi-lo)*o.stride]
	}
	return o.data[lo*o.stride : hi*o.stride]
}

// sums returns the matrix for a kernel that adds to it. It is cleared first, if clears is true and if
// it is no partial sum, to which other tiles add too.
func (o *operand) sums(w *worker, t *tile, clears bool) simd.Matrix {
	y := o.slice(w, t)
	if clears && o.sum == nil {
		clear(y)
	}
	return simd.Rows(y, o.stride)
}

// groupRows returns the operand's rows of all groups that the tile has rows of. They are more
// than slice's if a tile of the operand's space ends within a group.
func (o *operand) groupRows(w *worker, t *tile) simd.Matrix {
	if o.data == nil {
		return o.matrix(w, t)
	}
	lo, hi := t.span(ops.Group)
	perGroup := t.e.Ratio(o.space, ops.Group) * o.stride
	return simd.Rows(o.data[lo*perGroup:hi*perGroup], o.stride)
}

// matrix returns what slice returns as a matrix.
func (o *operand) matrix(w *worker, t *tile) simd.Matrix { return simd.Rows(o.slice(w, t), o.stride) }

// sum is a value that adds up over tiles. Every chunk has its own partial sum, and these are added
// in the order of the chunks, so the bits do not depend on which worker ran which chunk. A partial
// sum of a parameter is the whole value. In any other space there is one for each group: its
// rows. Chunk c keeps the partial sum of group f at place f+c. No other pair has that place,
// because groups and chunks are both in order.
type sum struct {
	stage   *compiledStage
	space   ops.Space
	width   int       // columns; for a parameter, the number of its elements
	partial []float32 // all partial sums
	result  []float32
}

// size returns the length of a partial sum at the extents.
func (s *sum) size(e *ops.Extents) int {
	if s.space <= ops.Scalar {
		return s.width
	}
	return s.width * e.Ratio(s.space, ops.Group)
}

// slice returns the partial sums of the tile's chunk, for all groups with rows in the tile.
func (s *sum) slice(t *tile) []float32 {
	size := s.size(t.e)
	if s.space <= ops.Scalar {
		return s.partial[t.chunk*size : (t.chunk+1)*size]
	}
	lo, hi := t.span(ops.Group)
	return s.partial[(lo+t.chunk)*size : (hi+t.chunk)*size]
}

// finish adds the partial sums in the order of the chunks.
func (s *sum) finish() {
	st := s.stage
	t := tile{domain: st.domain, e: &st.program.e}
	size := s.size(t.e)
	if s.space <= ops.Scalar {
		s.addChunks(size)
		return
	}
	clear(s.result[:size*t.e.Groups])
	for c := range st.chunks {
		t.chunk = c
		t.lo, t.hi = chunkStart(st.total, c, st.chunks), chunkStart(st.total, c+1, st.chunks)
		lo, _ := t.span(ops.Group)
		part := s.slice(&t)
		add(s.result[lo*size:lo*size+len(part)], part)
	}
}

// addChunks adds the partial sums of a parameter's gradient.
func (s *sum) addChunks(size int) {
	part := func(c int) []float32 { return s.partial[c*size : (c+1)*size] }
	if s.stage.chunks == 1 {
		copy(s.result, part(0))
		return
	}
	simd.Add(1, size, simd.Rows(part(0), size), simd.Rows(part(1), size), simd.Rows(s.result, size))
	for c := 2; c < s.stage.chunks; c++ {
		add(s.result[:size], part(c))
	}
}
