package simd

// Ahead is memory that will be needed soon. Products that are given it fetch it into the core's second-level cache while they
// multiply, a line every thousand multiply-adds or two, so that a product after them finds it there. It changes no result.
// nil and the zero Ahead are nothing to fetch; plain Go and narrow products fetch nothing. It also keeps the room that products
// by tiles need, for the next ones of the same goroutine. Not for several goroutines at once.
type Ahead struct {
	regions [2][]float32
	tiles   tileScratch
}

// Set has these regions fetched from now on, in this order, instead of what was not fetched yet. Either may be empty.
func (a *Ahead) Set(first, second []float32) { a.regions = [...][]float32{first, second} }

// line is how many floats a line of the cache has.
const line = 16

// take gives a kernel that can fetch up to so many lines the first and the bytes to go on for each: 0 where there is
// nothing to fetch, and less than a line where there are fewer lines than turns, so that they are spread over the kernel's
// time. Without anything to fetch, from is there to be fetched over and over.
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
