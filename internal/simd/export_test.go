package simd

// Sets are the names of all sets of kernels, the best first.
var Sets = Names()

// Use makes a set of kernels run and returns what makes the old one run again; false where the
// machine lacks it.
func Use(name string) (restore func(), ok bool) {
	vectors, tiles := active, tiling
	active, tiling = choose(name)
	return func() { active, tiling = vectors, tiles }, Name() == name
}

// Choose is the set that a value of the environment variable stands for.
func Choose(value string) string {
	restore, _ := Use(value)
	defer restore()
	return Name()
}
