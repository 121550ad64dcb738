package fetch

import (
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/invalid"
)

// Set is a data set as its publishers offer it.
type Set struct {
	Name  string // of the benchmark and of its folder below the data directory
	Files []File
}

// File is one file of a set.
type File = catalogue.File

// Sets returns the sets that can be downloaded, in the order of the catalogue.
func Sets() []Set {
	var sets []Set
	for _, b := range catalogue.All() {
		if files := b.Downloads(); len(files) > 0 {
			sets = append(sets, Set{Name: b.Name, Files: files})
		}
	}
	return sets
}

// Names returns the names of all sets.
func Names() []string {
	var names []string
	for _, s := range Sets() {
		names = append(names, s.Name)
	}
	return names
}

// Find returns the sets with these names, in the same order. A name without a set is an
// *invalid.Input.
func Find(names []string) ([]Set, error) {
	all := Sets()
	var sets []Set
	for _, name := range names {
		i := slices.IndexFunc(all, func(s Set) bool { return s.Name == name })
		if i < 0 {
			return nil, &invalid.Input{File: "BENCHMARK", Found: strconv.Quote(name),
				Expected: "a benchmark that has files: " + strings.Join(Names(), ", ")}
		}
		sets = append(sets, all[i])
	}
	return sets, nil
}
