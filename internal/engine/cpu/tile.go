package cpu

import "github.com/acqnp/acqnp/internal/ops"

const (
	tileRows      = 256 // rows, points or context points of a tile
	functionTile  = 16  // functions of a tile where a stage runs over functions
	maxChunks     = 32  // partial sums of a stage
	tilesPerChunk = 4   // at least, where there is more than one chunk
)

// tile is a run of a domain's units. Tiles belong to chunks: a chunk is run by one worker from its first tile to its
// last and has partial sums of its own.
type tile struct {
	chunk  int
	domain domain
	lo, hi int // in units of the domain
	e      *ops.Extents
}

// span is the range of rows of a space that the tile reads or writes.
func (t *tile) span(s ops.Space) (lo, hi int) {
	if s <= ops.Scalar {
		return 0, t.e.Rows(s)
	}
	unit := t.domain.unitSpace()
	switch {
	case s == unit:
		return t.lo, t.hi
	case unit.Contains(s):
		r := t.e.Ratio(s, unit)
		return t.lo * r, t.hi * r
	case s.Contains(unit):
		r := t.e.Ratio(unit, s)
		return t.lo / r, (t.hi-1)/r + 1
	}
	// Beside the unit: all rows of the functions that the tile has part in.
	lo, hi = t.span(ops.Function)
	r := t.e.Ratio(s, ops.Function)
	return lo * r, hi * r
}

// unitsPerTile is how many units of a domain make a tile; rows tells that the tile has rows below its units.
func unitsPerTile(d domain, e ops.Extents, rows bool) int {
	n := tileRows
	if d == functions {
		n = functionTile
	}
	if rows {
		n = max(1, n/max(1, e.Levels))
	}
	return n
}

// chunks is how many chunks a stage has at the extents: fixed by them alone, never by the number of workers, so that
// sums come out to the same bits on any machine. A chunk has so many tiles that clearing and adding its partial sums is
// little beside them.
func chunks(total, perTile int) int {
	return max(1, min(maxChunks, (total+perTile-1)/perTile/tilesPerChunk))
}

// chunkStart is the first unit of chunk c of k.
func chunkStart(total, c, k int) int { return total * c / k }
