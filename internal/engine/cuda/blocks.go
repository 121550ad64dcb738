package cuda

import (
	"encoding/binary"

	"github.com/acqnp/acqnp/internal/ops"
)

// block is a block of a flat vector and the place of its packed matrix.
type block struct {
	ops.Block
	at region
}

// blockBytes is the size of struct Block of kernels/blocks.cu.
const blockBytes = 32

// table is what kernels read that never changes: its bytes are known once all memory has its place.
type table struct {
	at    region
	bytes func() []byte
}

// copyBlocks adds a launch of a kernel that copies blocks: load_blocks or store_blocks.
func (c *compiler) copyBlocks(kernel string, blocks []block, args ...any) {
	if len(blocks) == 0 {
		return
	}
	largest := 0
	for _, b := range blocks {
		largest = max(largest, b.Rows*b.Cols)
	}
	at := c.keep(len(blocks) * blockBytes / 4)
	c.tables = append(c.tables, table{at, func() []byte { return tableOf(blocks) }})
	d := c.over(largest, threads, threads)
	d.Grid[1] = uint32(len(blocks))
	c.emit(kernel, d, append([]any{at}, args...)...)
}

// tableOf is an array of struct Block. The places count from the start of all memory.
func tableOf(blocks []block) (out []byte) {
	for _, b := range blocks {
		panel := b.Panel
		if panel == 0 {
			panel = b.Cols
		}
		out = binary.LittleEndian.AppendUint64(out, uint64(b.at.place()))
		for _, n := range [...]int{b.Rows, b.Cols, b.Offset, b.Stride, panel, 0} {
			out = binary.LittleEndian.AppendUint32(out, uint32(n))
		}
	}
	return out
}
