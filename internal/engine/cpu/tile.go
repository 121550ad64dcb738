package cpu

import "github.com/acqnp/acqnp/internal/models/ops"

const (
	tileRows      = 256 // rows of a tile: points, context points, or their levels
	groupTile     = 16  // groups of a tile, in the domain of groups
	chunkTokens   = 512 // points and context points of a chunk of such tiles, at least, if there are more than two chunks
	maxChunks     = 32  // chunks of a stage
	tilesPerChunk = 4   // at least, if there is more than one chunk; 1 with attention, whose tiles take longer
)

// tile is a run of rows of a domain, with the rows of other spaces that belong to them or that they
// belong to: points with all their levels and their groups. A chunk is a run of tiles. One
// worker runs a chunk from its first tile to its last, and adds to the chunk's partial sums.
type tile struct {
	chunk  int
	domain ops.Space
	lo, hi int // rows of the domain's space
	e      *ops.Extents
}

// span returns the range of rows of a space that the tile reads or writes.
func (t *tile) span(s ops.Space) (lo, hi int) {
	if s <= ops.Scalar {
		return 0, t.e.Rows(s)
	}
	own := t.domain
	switch {
	case s == own:
		return t.lo, t.hi
	case own.Contains(s):
		r := t.e.Ratio(s, own)
		return t.lo * r, t.hi * r
	case t.lo == t.hi: // no context points
		return 0, 0
	case s.Contains(own):
		r := t.e.Ratio(own, s)
		return t.lo / r, (t.hi-1)/r + 1
	}
	// Neither above nor below the domain: all rows of the groups that the tile has rows of.
	lo, hi = t.span(ops.Group)
	r := t.e.Ratio(s, ops.Group)
	return lo * r, hi * r
}

// shape says what a stage has values of besides the rows of its domain.
type shape struct {
	domain ops.Space
	levels bool // several levels for each of these rows
	layers bool // of an attention or a transformer: every tile has a lot of work
	tokens int  // points or context points of a tile that holds several groups, in the domain of groups; otherwise 0
}

// rowsPerTile returns the number of rows of the domain in a tile.
func (s shape) rowsPerTile(e ops.Extents) int {
	n := tileRows
	switch {
	case s.tokens > 0:
		n = max(1, s.tokens/max(e.Context, e.Points))
	case s.domain == ops.Group:
		n = groupTile
	}
	if s.levels {
		n = max(1, n/max(1, e.Levels))
	}
	return n
}

// chunksOf returns how many chunks a stage has. The number follows from the extents, never from the
// number of workers, so that sums have the same bits on any machine. A chunk has enough tiles that
// they take much longer than clearing and adding its partial sums. With whole groups in tiles, a
// chunk takes some hundred points through all layers; there are at least two, and a power of two.
func (s shape) chunksOf(total, perTile int, e ops.Extents) int {
	tiles := (total + perTile - 1) / perTile
	switch {
	case s.tokens == 0 && s.layers:
		return max(1, min(maxChunks, tiles))
	case s.tokens == 0:
		return max(1, min(maxChunks, tiles/tilesPerChunk))
	}
	n := min(2, total)
	for n < maxChunks && n*chunkTokens <= total*(e.Context+e.Points)/2 {
		n *= 2
	}
	return n
}

// tokens returns the tokens of a tile. Wide layers have large weights, which more tokens must share.
func (c *compiler) tokens() int {
	if c.widest.token < 128 {
		return tileRows / 2
	}
	return tileRows
}

// fits reports whether whole groups fit in a tile.
func fits(e ops.Extents) bool { return max(e.Context, e.Points) <= tileRows }

// chunkStart returns the first row of chunk c of k.
func chunkStart(total, c, k int) int { return total * c / k }
