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

// copyBlocks adds a launch of a kernel that copies blocks: load_blocks or store_blocks.
func (c *compiler) copyBlocks(kernel string, blocks []block, args ...any) {
	if len(blocks) == 0 {
		return
	}
	largest := 0
	for _, b := range blocks {
		largest = max(largest, b.Rows*b.Cols)
	}
	table := c.keep(len(blocks) * blockBytes / 4)
	c.tables = append(c.tables, blockTable{table, blocks})
	d := c.over(largest, threads, threads)
	d.Grid[1] = uint32(len(blocks))
	c.emit(kernel, d, append([]any{table}, args...)...)
}

// blockTable is what the kernels read of blocks, in device memory.
type blockTable struct {
	at     region
	blocks []block
}

// bytes is the table as the device has it. The places count from the start of all memory.
func (t blockTable) bytes() []byte {
	var out []byte
	word := func(n int) { out = binary.LittleEndian.AppendUint32(out, uint32(n)) }
	for _, b := range t.blocks {
		panel := b.Panel
		if panel == 0 {
			panel = b.Cols
		}
		out = binary.LittleEndian.AppendUint64(out, uint64(b.at.place()))
		for _, n := range [...]int{b.Rows, b.Cols, b.Offset, b.Stride, panel, 0} {
			word(n)
		}
	}
	return out
}
