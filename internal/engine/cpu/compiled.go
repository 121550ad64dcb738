package cpu

import "github.com/acqnp/acqnp/internal/ops"

// kernel runs one unit on one tile.
type kernel func(w *worker, t *tile)

// compiled is a stage ready to run.
type compiled struct {
	program *Program
	domain  domain
	rows    bool // has values of several levels a unit
	kernels []kernel
	sums    []*sum

	total, perTile, chunks int // of the current run

	runChunk, finish func(worker, task int) // made once: method values would be allocated at every use
}

func (s *compiled) begin(e *ops.Extents) {
	s.total = e.Rows(s.domain.unitSpace())
	s.perTile = unitsPerTile(s.domain, *e, s.rows)
	s.chunks = chunks(s.total, s.perTile)
}

// chunk takes the tiles of one chunk through all the stage's kernels.
func (s *compiled) chunk(workerID, c int) {
	w := s.program.workers[workerID]
	t := &w.tile
	*t = tile{chunk: c, domain: s.domain, e: &s.program.e}
	from, to := chunkStart(s.total, c, s.chunks), chunkStart(s.total, c+1, s.chunks)
	t.lo, t.hi = from, to
	for _, r := range s.sums {
		clear(r.at(t))
	}
	for lo := from; lo < to; lo += s.perTile {
		t.lo, t.hi = lo, min(lo+s.perTile, to)
		for _, k := range s.kernels {
			k(w, t)
		}
	}
}

// operand is where a kernel finds a value.
type operand struct {
	space  ops.Space
	width  int
	stride int       // from row to row; width but for layers within a tile
	data   []float32 // the whole value, packed; nil for a tile-local one
	slot   int       // of a tile-local value, in the worker's scratch
	sum    *sum      // where a kernel adds its share of a sum over tiles
}

// rows is how many rows the operand has in a tile.
func (o *operand) rows(t *tile) int {
	lo, hi := t.span(o.space)
	return hi - lo
}

// at is the operand's part for a tile: its rows, or the chunk's partial sum.
func (o *operand) at(w *worker, t *tile) []float32 {
	if o.sum != nil {
		return o.sum.at(t)
	}
	lo, hi := t.span(o.space)
	if o.data == nil {
		return w.scratch[o.slot : o.slot+(hi-lo)*o.stride]
	}
	return o.data[lo*o.width : hi*o.width]
}

// sum is a value that adds up over tiles: one partial per chunk, or, below functions, one for every function and chunk
// that has part of it. Functions are in order and so are chunks, so place function+chunk is unique to the pair.
type sum struct {
	stage   *compiled
	space   ops.Space
	width   int // columns; of a parameter, all its elements
	partial []float32
	result  []float32
}

// size is the length of a partial at the extents.
func (s *sum) size(e *ops.Extents) int {
	if s.space <= ops.Scalar {
		return s.width
	}
	return s.width * e.Ratio(s.space, ops.Function)
}

// at is the partial of the tile's chunk, for all the functions that the tile has part in.
func (s *sum) at(t *tile) []float32 {
	size := s.size(t.e)
	if s.space <= ops.Scalar {
		return s.partial[t.chunk*size : (t.chunk+1)*size]
	}
	lo, hi := t.span(ops.Function)
	return s.partial[(lo+t.chunk)*size : (hi+t.chunk)*size]
}

// finish adds the partials in the order of the chunks.
func (s *sum) finish() {
	st := s.stage
	t := tile{domain: st.domain, e: &st.program.e}
	size := s.size(t.e)
	total := size
	if s.space > ops.Scalar {
		total *= t.e.Functions
	}
	clear(s.result[:total])
	for c := range st.chunks {
		t.chunk = c
		t.lo, t.hi = chunkStart(st.total, c, st.chunks), chunkStart(st.total, c+1, st.chunks)
		from := 0
		if s.space > ops.Scalar {
			lo, _ := t.span(ops.Function)
			from = lo * size
		}
		part := s.at(&t)
		add(s.result[from:from+len(part)], part)
	}
}
