package simd

// Sets holds the names of all kernel sets, the best first.
var Sets = Names()

// Use switches to a kernel set and returns a function that switches back. ok is false if the
// machine lacks the set.
func Use(name string) (restore func(), ok bool) {
	vectors, tiles := active, tiling
	active, tiling = choose(name)
	return func() { active, tiling = vectors, tiles }, Name() == name
}

// Choose returns the kernel set for a value of the environment variable.
func Choose(value string) string {
	restore, _ := Use(value)
	defer restore()
	return Name()
}
