package datasets

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/acqnp/acqnp/internal/input"
)

// Benchmark is a process or data set to train on.
type Benchmark struct{ Name, Description string }

// List is every benchmark there is, in the paper's order, and csv.
func List() []Benchmark {
	return []Benchmark{
		{"sawtooth", "Fourier series of a sawtooth wave: discontinuous functions of one variable"},
		{"rbf", "Gaussian process with a squared-exponential kernel"},
		{"matern52", "Gaussian process with a Matérn 5/2 kernel"},
		{"double-sine", "each point from one of two sine waves: two values for most x"},
		{"circle", "circles of random size and place: two values for most x"},
		{"lissajous", "Lissajous curves: several values for most x"},
		{"speed-flow", "traffic speed by flow on two lanes of a Californian motorway (real data)"},
		{"mnist", "handwritten digits, 28×28 pixels"},
		{"fashion-mnist", "pieces of clothing, 28×28 pixels"},
		{"svhn", "house numbers from street views, 32×32 pixels in colour"},
		{"omniglot", "handwritten characters of 50 alphabets, resized to 32×32 pixels; those of the test are new ones"},
		{"freyface", "frames of a film of one face, 28×20 pixels"},
		{"csv", "your own functions, from CSV files"},
	}
}

// Status says whether a benchmark can be trained on.
type Status struct {
	Benchmark string
	Ready     bool
	Detail    string // what is there, or what is wrong with it
	Help      string // how to get what is missing; "" where nothing is
}

// Check looks at the files of every benchmark below dataDir under their default names, and reads them.
func Check(dataDir string) []Status {
	var all []Status
	for _, b := range List() {
		s := Status{Benchmark: b.Name, Ready: true, Detail: "drawn at random, needs no files"}
		if b.Name == "speed-flow" {
			s = checkSpeedFlow(filepath.Join(dataDir, b.Name))
		} else if _, ok := imageBenchmarks[b.Name]; ok {
			s = checkImageFiles(b.Name, dataDir)
		} else if b.Name == "csv" {
			s.Detail = "reads the file or directory that data.file of a configuration names"
		}
		all = append(all, s)
	}
	return all
}

func checkSpeedFlow(dir string) Status {
	s := Status{Benchmark: "speed-flow"}
	lanes, err := readLanes(dir, nil)
	if err != nil {
		s.Detail, s.Help = err.Error(), "acqnp data fetch speed-flow, or put into "+dir+": "+howToGetLanes
		var bad *input.Error
		if errors.As(err, &bad) && bad.Expected == howToGetLanes { // no need to say it twice
			s.Detail = bad.File + ": " + bad.Found
		}
		return s
	}
	s.Ready = true
	s.Detail = fmt.Sprintf("%d rows in each of %d lanes, in %s", len(lanes[0].flow), len(lanes), dir)
	return s
}
