package fetch

import "github.com/acqnp/acqnp/internal/benchmark"

// Set is a data set as its publishers offer it.
type Set struct {
	Name  string // of the benchmark, and of the folder below the data directory
	Files []File
}

// File is one file of a set.
type File = benchmark.File

// Sets returns all that can be fetched, in the catalogue's order.
func Sets() []Set {
	var sets []Set
	for _, b := range benchmark.All() {
		if files := b.Downloads(); len(files) > 0 {
			sets = append(sets, Set{Name: b.Name, Files: files})
		}
	}
	return sets
}
