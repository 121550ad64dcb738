package cuda

import (
	"cmp"
	"encoding/binary"

	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// table is data that kernels read and that never changes: bytes, or tasks once regions have addresses.
type table struct {
	at    region
	bytes []byte
	tasks []task
}

// keepTable reserves memory for a table. Tasks have addresses of inputs.
func (c *compiler) keepTable(bytes []byte, tasks ...task) region {
	at := c.keepEach((len(bytes) + len(tasks)*taskBytes) / 4)
	c.tables = append(c.tables, table{at, bytes, tasks})
	return at
}

// packed is memory for copies of the blocks whose columns lie in strips of the flat vector. The
// copies are matrices, one after the other.
type packed struct {
	at     region
	blocks []ops.Block
}

// inStrips reports whether kernels need a copy of a block, because its rows are not contiguous in the
// flat vector.
func inStrips(b ops.Block) bool { return b.Strip != 0 && b.Strip != b.Cols }

// stride returns the distance between the rows of a block's matrix, as kernels read or write it.
func stride(b ops.Block) int {
	if b.Rows == 1 || inStrips(b) {
		return b.Cols
	}
	return b.Stride
}

// keepPacked reserves memory for the blocks in strips.
func (c *compiler) keepPacked(blocks []ops.Block) *packed {
	p, n := &packed{}, 0
	for _, b := range blocks {
		if inStrips(b) {
			p.blocks = append(p.blocks, b)
			n += analysis.Align(b.Rows * b.Cols)
		}
	}
	p.at = c.keep(n)
	return p
}

// region returns the memory of a block's matrix: its copy, or its part of the flat vector.
func (p *packed) region(block ops.Block, flat region) region {
	at := p.at
	for _, b := range p.blocks {
		if b.Node == block.Node {
			return at
		}
		at = at.plus(analysis.Align(b.Rows * b.Cols))
	}
	return flat.plus(block.Offset)
}

// copyBlocks adds a launch of load_blocks, which copies from a flat vector to packed matrices, or
// of store_blocks, which copies back.
func (c *compiler) copyBlocks(kernel string, p *packed, from, to region) {
	if len(p.blocks) == 0 {
		return
	}
	largest := 0
	var bytes []byte
	for _, b := range p.blocks {
		largest = max(largest, b.Rows*b.Cols)
		bytes = appendBlock(bytes, b, p.region(b, p.at).offset)
	}
	d := c.grid(largest, threads, threads)
	d.Grid[1] = uint32(len(p.blocks))
	c.emit(kernel, d, c.keepTable(bytes), from, written{to})
}

// appendBlock appends a struct Block of kernels/blocks.cu.
func appendBlock(bytes []byte, b ops.Block, place int) []byte {
	bytes = binary.LittleEndian.AppendUint64(bytes, uint64(place))
	for _, n := range [...]int{b.Rows, b.Cols, b.Offset, b.Stride, cmp.Or(b.Strip, b.Cols), 0} {
		bytes = binary.LittleEndian.AppendUint32(bytes, uint32(n))
	}
	return bytes
}
