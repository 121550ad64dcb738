package simd

// Sets are the names of all sets of kernels, the best first.
var Sets = []string{names[avx512], names[avx2], names[portable]}

// Use makes a set of kernels run and returns what makes the old one run again; false where the machine lacks it.
func Use(name string) (restore func(), ok bool) {
	old := active
	active = choose(name)
	return func() { active = old }, Name() == name
}

// Choose is the set that a value of the environment variable stands for.
func Choose(value string) string { return names[choose(value)] }
