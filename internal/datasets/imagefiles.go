package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/input"
)

// imageBenchmark is where the images of a benchmark come from.
type imageBenchmark struct {
	files         []string // the publishers' names
	parts         []string // what each of them holds, for people
	height, width int
	load          func(paths []string, d config.Data) (train, test pictures, err error)
}

// shape is the height and width of the images that the model sees.
func (b imageBenchmark) shape(d config.Data) (height, width int) {
	if b.height == 0 { // omniglot
		return d.Resize, d.Resize
	}
	return b.height, b.width
}

var imageBenchmarks = map[string]imageBenchmark{
	"mnist": {
		files: []string{"train-images-idx3-ubyte.gz", "t10k-images-idx3-ubyte.gz"}, parts: split,
		height: 28, width: 28, load: each(readIDX),
	},
	"fashion-mnist": {
		files: []string{"train-images-idx3-ubyte.gz", "t10k-images-idx3-ubyte.gz"}, parts: split,
		height: 28, width: 28, load: each(readIDX),
	},
	"svhn": {
		files: []string{"train_32x32.mat", "test_32x32.mat"}, parts: split,
		height: 32, width: 32, load: each(readSVHN),
	},
	"omniglot": {
		files: []string{"images_background.zip", "images_evaluation.zip"}, parts: []string{"background images", "evaluation images"},
		load: each(readOmniglot),
	},
	"freyface": {
		files: []string{"frey_rawface.mat"}, parts: []string{"frames"},
		height: faceHeight, width: faceWidth, load: loadFaces,
	},
}

var split = []string{"training images", "test images"}

// each loads the training split and the test split, which are files of their own. The reader of one may stop at limit
// images, where that is not 0.
func each(read func(path string, d config.Data, limit int) (pictures, error)) func([]string, config.Data) (train, test pictures, err error) {
	return func(paths []string, d config.Data) (train, test pictures, err error) {
		if train, err = read(paths[0], d, d.TrainLimit); err == nil {
			test, err = read(paths[1], d, d.TestLimit)
		}
		return train, test, err
	}
}

// loadImages reads the training and the test images of an experiment.
func loadImages(e config.Experiment, dataDir string) (train, test pictures, err error) {
	b := imageBenchmarks[e.Benchmark]
	paths, err := imagePaths(filepath.Join(dataDir, e.Benchmark), e)
	if err != nil {
		return train, test, err
	}
	if train, test, err = b.load(paths, e.Data); err != nil {
		return train, test, err
	}
	train, test = train.first(e.Data.TrainLimit), test.first(e.Data.TestLimit)
	for i, p := range []pictures{train, test} {
		if p.count() == 0 {
			return train, test, &input.Error{File: paths[min(i, len(paths)-1)], Found: "no images for " + split[i], Expected: "some"}
		}
	}
	return train, test, nil
}

// imagePaths are the files to read, all of which are there.
func imagePaths(dir string, e config.Experiment) ([]string, error) {
	b, names := imageBenchmarks[e.Benchmark], e.Data.Files
	if len(names) == 0 {
		names = b.files
	}
	var paths []string
	for i, name := range names {
		path := thereIs(filepath.Join(dir, name))
		if path == "" {
			expected := e.Benchmark + "'s " + b.parts[i]
			if name == b.files[i] {
				expected += ", which come with: acqnp data fetch " + e.Benchmark
			}
			return nil, &input.Error{File: filepath.Join(dir, name), Found: "no such file", Expected: expected}
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// thereIs is the path if such a file is there, or the path of the same file unpacked; "" where neither is.
func thereIs(path string) string {
	unpacked, packed := strings.CutSuffix(path, ".gz")
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path
	}
	if _, err := os.Stat(unpacked); packed && !errors.Is(err, fs.ErrNotExist) {
		return unpacked
	}
	return ""
}

// checkImageFiles reads a benchmark's files.
func checkImageFiles(name, dataDir string) Status {
	s, b, dir := Status{Benchmark: name}, imageBenchmarks[name], filepath.Join(dataDir, name)
	s.Help = "acqnp data fetch " + name
	var there, missing []string
	for _, f := range b.files {
		if thereIs(filepath.Join(dir, f)) == "" {
			missing = append(missing, f)
		} else {
			there = append(there, f)
		}
	}
	if len(missing) > 0 {
		s.Detail = strings.Join(missing, " and ") + " not in " + dir
		if len(there) > 0 {
			s.Detail += " (" + strings.Join(there, ", ") + " is there)"
		}
		return s
	}
	e := config.Experiment{Benchmark: name, Data: config.Data{TrainFraction: 0.75, Resize: 32, Filter: "bilinear"}}
	train, test, err := loadImages(e, dataDir)
	if err != nil {
		s.Detail, s.Help = err.Error(), "remove the file, then: "+s.Help
		return s
	}
	color := ""
	if train.channels == 3 {
		color = " in colour"
	}
	return Status{Benchmark: name, Ready: true, Detail: fmt.Sprintf("%d training and %d test images of %d×%d pixels%s, in %s",
		train.count(), test.count(), train.height, train.width, color, dir)}
}
