// Package benchmark is the catalogue of the benchmarks that models train on: the paper's twelve,
// and csv, which is a person's own data.
//
// An entry states what a benchmark is, once, for the whole program: its name and description, its
// files and where their publishers offer them, the shape of its images, the paper's
// hyper-parameters and the paper's results. Package config turns entries into keys, defaults and
// checks; datasets makes the batches; fetch downloads the files; tables prints the results beside a
// run's.
//
//	b, ok := benchmark.Find("lissajous")
//	b.Kind                    // benchmark.Synthetic
//	b.Rates["acqnp"].Learning // 1e-3
//
// A new benchmark of a kind that is there is one more entry in the list of its group (unimodal,
// multimodal, images), a function that draws or reads it in datasets, and its files in
// configs/NAME.
package benchmark

import "slices"

// Kind groups benchmarks that share a source of batches, configuration keys and an evaluation
// protocol.
type Kind string

// The kinds of benchmarks.
const (
	Synthetic Kind = "synthetic"  // functions of one variable, drawn from a random process
	SpeedFlow Kind = "speed-flow" // traffic on two lanes of a motorway
	Images    Kind = "images"     // image completion: a function maps a pixel's place to its value
	CSV       Kind = "csv"        // functions in a person's CSV files
)

// Benchmark is an entry of the catalogue.
type Benchmark struct {
	Name        string // in configurations and commands, and of the folder below the data directory
	Printed     string // as the paper prints it
	Description string // one line
	Kind        Kind
	Unimodal    bool // y has one mode for each x: plots show a fit by its mean, as the paper's supplement does

	// MaxPoints is the most points of a function, 0 for the limit of the kind.
	MaxPoints int

	// Image is the shape of the images that the model sees; zero for other kinds.
	Image Shape

	// Files are what training reads. Published are the files that publishers offer where these are
	// others; they hold the same data.
	Files, Published []File

	// Settings are the configuration keys that this benchmark has besides those of its kind, and
	// those whose default is not its kind's, with the paper's values. A value has its key's Go
	// type.
	Settings map[string]any

	// Rates are the optimiser's settings for each model, AdaptorDepth the number of hidden layers
	// of ACQNP's adaptor ψ: the supplement's tables of hyper-parameters and architectures.
	Rates        map[string]Rate
	AdaptorDepth int

	// Table is the paper's table with the results of each model; both are empty for what the paper
	// does not have.
	Table   Table
	Results map[string]Result
}

// Shape is the shape of an image, in pixels. Height and Width are 0 where the configuration sets
// them (data.resize).
type Shape struct{ Height, Width, Channels int }

// Rate is Adam's learning rate and the L2 regulariser λ.
type Rate struct{ Learning, Decay float64 }

// catalogue has the synthetic benchmarks first, unimodal ones before multimodal ones; then those on
// real data.
var catalogue = slices.Concat(unimodal, multimodal, []Benchmark{speedFlow}, images, []Benchmark{csv})

// All returns every benchmark, in the order in which lists show them.
func All() []Benchmark { return slices.Clone(catalogue) }

// Names returns the names of the benchmarks that fit, in the order of All. A nil fits takes all.
func Names(fits func(Benchmark) bool) []string {
	var names []string
	for _, b := range catalogue {
		if fits == nil || fits(b) {
			names = append(names, b.Name)
		}
	}
	return names
}

// Find returns the benchmark of this name, and whether there is one.
func Find(name string) (Benchmark, bool) {
	i := slices.IndexFunc(catalogue, func(b Benchmark) bool { return b.Name == name })
	if i < 0 {
		return Benchmark{}, false
	}
	return catalogue[i], true
}
