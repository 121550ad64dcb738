package simd

// Sets holds the names of all kernel sets, the best first.
var Sets = Names()

// Use switches to a kernel set and returns a function that switches back. ok is false if the
// machine lacks the set.
func Use(name string) (restore func(), ok bool) {
	vectors, tiles, pairs := active, tiling, halves
	active, tiling = choose(name)
	halves = active.name == "avx512" && hasHalves
	return func() {
		active, tiling = vectors, tiles
		halves = pairs
	}, Name() == name
}

// Rounded switches to products of rounded float32 numbers, and returns a function that switches back.
func Rounded() (restore func()) {
	pairs := halves
	halves = false
	return func() { halves = pairs }
}
