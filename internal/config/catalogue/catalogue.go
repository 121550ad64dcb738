// Package catalogue is the catalogue of the benchmarks that models train on: the paper's twelve, two
// on which transformer neural processes are measured, groups, a prior over data sets of groups, and
// csv and tasks, for your own data and your own simulator.
//
// An entry states what a benchmark is, once, for the whole program: its name and description, its
// files and where their publishers offer them, the shape of its images, the paper's
// hyper-parameters and the paper's results. Package config turns entries into keys, defaults and
// checks; datasets makes the batches; fetch downloads the files; tables prints the results beside a
// run's.
//
//	b, ok := catalogue.Find("lissajous")
//	b.Kind                    // catalogue.Synthetic
//	b.Rates["acqnp"].Learning // 1e-3
//
// To add a benchmark of an existing kind, add an entry to the list of its group (unimodal,
// multimodal or images), a function in datasets that draws or reads it, and its configurations in
// configs/NAME.
package catalogue

import "slices"

// Kind groups benchmarks that share a source of batches, configuration keys and an evaluation
// protocol.
type Kind string

// The kinds of benchmarks.
const (
	Synthetic Kind = "synthetic"  // functions of one variable, drawn from a random process
	SpeedFlow Kind = "speed-flow" // traffic on two lanes of a motorway
	Images    Kind = "images"     // image completion: a group maps a pixel's place to its value
	Groups    Kind = "groups"     // data sets of groups, drawn from a prior
	CSV       Kind = "csv"        // groups in your own tables
	Tasks     Kind = "tasks"      // batches of your own simulator
)

// Benchmark is an entry of the catalogue.
type Benchmark struct {
	Name        string // in configurations and commands; also its folder below the data directory
	Printed     string // as the paper prints it
	Description string // one line
	Kind        Kind
	Unimodal    bool // y has one mode for each x; plots then show the mean of a fit, as the paper's supplement does

	// MaxPoints is the largest number of points of a group; 0 means the limit of the kind.
	MaxPoints int

	// Image is the shape of the images that the model sees; zero for other kinds.
	Image Shape

	// Files are the files that training reads. Published are the publishers' files if they differ
	// from Files; they hold the same data.
	Files, Published []File

	// Folders are the publishers' folders of Files, in the order to try.
	Folders []string

	// Settings maps configuration keys to the paper's values. It adds keys that the kind does
	// not have, and replaces defaults of the kind. A value has the Go type of its
	// key.
	Settings map[string]any

	// Rates are the optimiser's settings for each model, of the supplement's tables.
	Rates map[string]Rate

	// Table is the paper's table that has the results, "" if the paper has none.
	Table Table
}

// The names of the models.
const (
	CNP   = "cnp"
	CANP  = "canp"
	BNP   = "bnp"
	CQNP  = "cqnp"
	ACQNP = "acqnp"
)

// Models are the names of the models, in the order of the paper's tables.
var Models = []string{CNP, CANP, BNP, CQNP, ACQNP}

// byModel returns the values of Models by the models' names.
func byModel[T any](values []T) map[string]T {
	all := map[string]T{}
	for i, v := range values {
		all[Models[i]] = v
	}
	return all
}

// Shape is the shape of an image, in pixels. Height and Width are 0 where the configuration sets
// them (data.resize).
type Shape struct{ Height, Width, Channels int }

// Rate is Adam's learning rate and the L2 regulariser λ.
type Rate struct{ Learning, Decay float64 }

// catalogue lists the synthetic benchmarks first, unimodal before multimodal, then those on real
// data.
var catalogue = slices.Concat(unimodal, multimodal, []Benchmark{speedFlow}, images, transformers, []Benchmark{groups, csv, tasks})

// All returns every benchmark, in the order in which lists show them.
func All() []Benchmark { return slices.Clone(catalogue) }

// Names returns the names of the benchmarks for which fits returns true, in the order of All. A nil
// fits accepts all.
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
