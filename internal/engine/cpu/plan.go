package cpu

import (
	"cmp"
	"slices"
)

// buffer is a stretch of an arena that is in use from one moment to another, both included.
type buffer struct {
	size     int
	from, to int
	offset   int // set by place
}

// place gives every buffer the lowest offset at which it overlaps no buffer that lives at the same time, the largest
// first, and returns the size of the arena.
func place(buffers []*buffer) int {
	order := slices.Clone(buffers)
	slices.SortStableFunc(order, func(x, y *buffer) int { return cmp.Compare(y.size, x.size) })
	var placed []*buffer // by offset
	total := 0
	for _, b := range order {
		b.offset = 0
		for _, p := range placed {
			if p.to < b.from || b.to < p.from {
				continue
			}
			if b.offset+b.size <= p.offset {
				break
			}
			b.offset = max(b.offset, p.offset+p.size)
		}
		i, _ := slices.BinarySearchFunc(placed, b, func(x, y *buffer) int { return cmp.Compare(x.offset, y.offset) })
		placed = slices.Insert(placed, i, b)
		total = max(total, b.offset+b.size)
	}
	return total
}

// align rounds a size up to a whole number of cache lines of float32.
func align(n int) int { return (n + 15) &^ 15 }
