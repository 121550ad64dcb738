package simd

// Ahead is memory that later products will read. A product that gets an Ahead fetches that memory
// into the core's second-level cache while it multiplies, one cache line for every thousand or two
// multiply-adds. This changes no result. A nil Ahead and the zero Ahead have nothing to fetch;
// plain Go and narrow products fetch nothing. An Ahead also keeps the room that products by tiles
// need. It must not be used by several goroutines at once.
type Ahead struct {
	regions [2][]float32
	tiles   tileScratch
}

// Set replaces what is still to be fetched by two regions, in this order. Either may be empty.
func (a *Ahead) Set(first, second []float32) { a.regions = [...][]float32{first, second} }

// line is the number of floats in a cache line.
const line = 16

// take hands out memory to a kernel that can fetch so many lines. The kernel fetches from and goes
// on by step bytes each time. The step is less than a line where there are fewer lines than turns,
// so that the fetches spread over the kernel's time. With nothing to fetch, take returns idle,
// which is fetched again and again, and step 0.
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
