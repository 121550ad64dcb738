package simd

// An Ahead is memory that later products will read. A product with an Ahead fetches that memory
// into the core's second-level cache while it multiplies, one cache line for every one or two
// thousand multiply-adds. This changes no result. A nil Ahead and the zero Ahead have nothing to
// fetch; plain Go and narrow products fetch nothing. An Ahead also keeps the scratch memory of
// products by tiles. It must not be used by several goroutines at once.
type Ahead struct {
	regions [2][]float32
	tiles   tileScratch
}

// Set replaces the memory to fetch by two regions, in this order. Either may be empty.
func (a *Ahead) Set(first, second []float32) { a.regions = [...][]float32{first, second} }

// line is the number of floats in a cache line.
const line = 16

// take returns memory for a kernel that makes the given number of fetches (turns). The kernel
// fetches the line at from and advances from by step bytes, each turn. If there are fewer lines
// than turns, the step is less than a line, so that the fetches spread over the kernel's time. With
// nothing to fetch, take returns idle, which is then fetched every time, and step 0.
func (a *Ahead) take(turns int, idle *float32) (from *float32, step int) {
	if a == nil || turns < 1 {
		return idle, 0
	}
	for i, r := range a.regions {
		lines := min(len(r)/line, turns)
		if lines > 0 {
			a.regions[i] = r[lines*line:]
			return &r[0], lines * line * 4 / turns
		}
	}
	return idle, 0
}

// turns returns the number of cache lines that a kernel can fetch while it computes a strip of the
// given rows, each element a sum of the given number of products.
func (s *set) turns(rows, sums int) int {
	block := s.lanes / 4 * 3
	return (rows + block - 1) / block * (sums / 4)
}
