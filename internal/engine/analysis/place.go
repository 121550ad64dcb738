package analysis

import (
	"cmp"
	"slices"
)

// Buffer is a part of an arena that is in use from time From to time To, both included.
type Buffer struct {
	Size     int
	From, To int
	Offset   int // set by Place
}

// Place sets the offset of every buffer, the largest buffer first. An offset is the lowest at which
// the buffer overlaps no placed buffer that is in use at the same time. Place returns the size of
// the arena.
func Place(buffers []*Buffer) int {
	order := slices.Clone(buffers)
	slices.SortStableFunc(order, func(x, y *Buffer) int { return cmp.Compare(y.Size, x.Size) })
	var placed []*Buffer // by offset
	total := 0
	for _, b := range order {
		b.Offset = 0
		for _, p := range placed {
			if p.To < b.From || b.To < p.From {
				continue
			}
			if b.Offset+b.Size <= p.Offset {
				break
			}
			b.Offset = max(b.Offset, p.Offset+p.Size)
		}
		i, _ := slices.BinarySearchFunc(placed, b, func(x, y *Buffer) int { return cmp.Compare(x.Offset, y.Offset) })
		placed = slices.Insert(placed, i, b)
		total = max(total, b.Offset+b.Size)
	}
	return total
}

// Align rounds a number of float32s up to whole cache lines.
func Align(n int) int { return (n + 15) &^ 15 }
