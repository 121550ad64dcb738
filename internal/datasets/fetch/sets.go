package fetch

import (
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/invalid"
)

// Names returns the names of the benchmarks with files to download, in the order of the catalogue.
func Names() []string {
	return catalogue.Names(func(b catalogue.Benchmark) bool { return len(b.Downloads()) > 0 })
}

// Find returns the benchmarks with these names, in the same order. A name without files is an
// *invalid.Input.
func Find(names []string) (sets []catalogue.Benchmark, err error) {
	for _, name := range names {
		b, _ := catalogue.Find(name)
		if len(b.Downloads()) == 0 {
			return nil, &invalid.Input{File: "BENCHMARK", Found: strconv.Quote(name),
				Expected: "a benchmark that has files: " + strings.Join(Names(), ", ")}
		}
		sets = append(sets, b)
	}
	return sets, nil
}
