package cuda

import (
	"encoding/binary"

	"github.com/acqnp/acqnp/internal/engine/plan"
	"github.com/acqnp/acqnp/internal/ops"
)

// table is what kernels read that never changes.
type table struct {
	at    region
	bytes []byte
}

// keepTable keeps a table on the device.
func (c *compiler) keepTable(bytes []byte) region {
	at := c.keep(len(bytes) / 4)
	c.tables = append(c.tables, table{at, bytes})
	return at
}

// packed are blocks whose elements do not lie together in the flat vector, one behind the other as packed matrices.
type packed struct {
	at     region
	blocks []ops.Block
}

// keepPacked keeps packed matrices for those of the blocks that need any.
func (c *compiler) keepPacked(blocks []ops.Block) *packed {
	p, n := &packed{}, 0
	for _, b := range blocks {
		if !contiguous(b) {
			p.blocks = append(p.blocks, b)
			n += plan.Align(b.Rows * b.Cols)
		}
	}
	p.at = c.keep(n)
	return p
}

// contiguous reports whether the block's elements lie together in the flat vector, in order.
func contiguous(b ops.Block) bool { return b.Rows == 1 || b.Stride == b.Cols && b.Panel == 0 }

// of is where the matrix of a block lies: in the flat vector, or packed.
func (p *packed) of(block ops.Block, flat region) region {
	at := p.at
	for _, b := range p.blocks {
		if b.Node == block.Node {
			return at
		}
		at = at.plus(plan.Align(b.Rows * b.Cols))
	}
	return flat.plus(block.Offset)
}

// copyBlocks adds a launch of load_blocks, from a flat vector to packed matrices, or of store_blocks back.
func (c *compiler) copyBlocks(kernel string, p *packed, from, to region) {
	if len(p.blocks) == 0 {
		return
	}
	largest := 0
	var bytes []byte
	for _, b := range p.blocks {
		largest = max(largest, b.Rows*b.Cols)
		bytes = appendBlock(bytes, b, p.of(b, p.at).offset)
	}
	d := c.over(largest, threads, threads)
	d.Grid[1] = uint32(len(p.blocks))
	c.emit(kernel, d, c.keepTable(bytes), from, to)
}

// appendBlock adds a struct Block of kernels/blocks.cu.
func appendBlock(bytes []byte, b ops.Block, place int) []byte {
	panel := b.Panel
	if panel == 0 {
		panel = b.Cols
	}
	bytes = binary.LittleEndian.AppendUint64(bytes, uint64(place))
	for _, n := range [...]int{b.Rows, b.Cols, b.Offset, b.Stride, panel, 0} {
		bytes = binary.LittleEndian.AppendUint32(bytes, uint32(n))
	}
	return bytes
}
