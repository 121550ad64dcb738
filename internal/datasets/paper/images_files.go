package paper

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/invalid"
)

// An imageFile is a file of images of one shape, with the configuration for reading it.
type imageFile struct {
	path  string
	shape catalogue.Shape // of the images as the model sees them
	data  config.Data
}

// imageLoaders are the functions that read the files of an image benchmark. They get the files in
// the order of the catalogue.
var imageLoaders = map[string]func(files []imageFile) (train, test pictures, err error){
	"mnist":         splits(readIDX),
	"fashion-mnist": splits(readIDX),
	"svhn":          splits(readSVHN),
	"omniglot":      splits(readOmniglot),
	"freyface":      loadFaces,
}

// splits returns a loader for a training split and a test split with a file each. read may stop
// after limit images; 0 is no limit.
func splits(read func(f imageFile, limit int) (pictures, error)) func([]imageFile) (train, test pictures, err error) {
	return func(files []imageFile) (train, test pictures, err error) {
		if train, err = read(files[0], files[0].data.TrainLimit); err == nil {
			test, err = read(files[1], files[1].data.TestLimit)
		}
		return train, test, err
	}
}

// loadImages reads the training and the test images of an experiment on benchmark b.
func loadImages(e config.Experiment, b catalogue.Benchmark, dataDir string) (train, test pictures, err error) {
	paths, err := imagePaths(filepath.Join(dataDir, b.Name), b, e.Data.Files)
	if err != nil {
		return train, test, err
	}
	var files []imageFile
	for _, path := range paths {
		files = append(files, imageFile{path: path, shape: e.ImageShape(), data: e.Data})
	}
	if train, test, err = imageLoaders[b.Name](files); err != nil {
		return train, test, err
	}
	train, test = train.first(e.Data.TrainLimit), test.first(e.Data.TestLimit)
	for i, p := range []pictures{train, test} {
		if p.count() == 0 {
			split := []string{"training", "test"}[i]
			return train, test, &invalid.Input{File: paths[min(i, len(paths)-1)], Found: "no " + split + " images", Expected: "one or more"}
		}
	}
	return train, test, nil
}

// imagePaths returns the paths of the named files. It refuses a file that does not exist.
func imagePaths(dir string, b catalogue.Benchmark, names []string) ([]string, error) {
	var paths []string
	for i, name := range names {
		path := filepath.Join(dir, name)
		if missing(path) {
			expected := "the " + b.Files[i].Holds + " of " + b.Name
			if name == b.Files[i].Name {
				expected += ", which come with: acqnp data fetch " + b.Name
			}
			return nil, &invalid.Input{File: path, Found: "no such file", Expected: expected}
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// missing reports whether there is no file at path.
func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}
