package rows

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/invalid"
)

// Paths returns the files to read: the file of this name, or all tables of the directory of this name in
// the order of their names. It looks in the working directory, then in dataDir/csv unless dataDir is "": then
// a command names the file, and not a configuration.
func Paths(name, dataDir string) ([]string, error) {
	path, key := name, "data.file"
	info, err := files.Stat(path)
	if dataDir == "" {
		key = ""
	} else if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(name) {
		path = filepath.Join(dataDir, "csv", name)
		info, err = os.Stat(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && dataDir == "":
		return nil, &invalid.Input{File: name, Found: "no such file", Expected: "a file of rows"}
	case errors.Is(err, fs.ErrNotExist):
		return nil, &invalid.Input{File: name, Key: key, Found: "no such file",
			Expected: "a table or a directory of them, here or in " + filepath.Join(dataDir, "csv")}
	case err != nil:
		return nil, unreadable(path, err)
	case !info.IsDir():
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	var paths []string
	stems := map[string]string{}
	for _, e := range entries {
		if !tabular.IsName(e.Name()) || e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		paths = append(paths, filepath.Join(path, e.Name()))
		stem := tabular.Stem(e.Name())
		if other, twice := stems[stem]; twice {
			return nil, &invalid.Input{File: path, Key: key, Found: "both " + other + " and " + e.Name(), Expected: "one of them"}
		}
		stems[stem] = e.Name()
	}
	if len(paths) == 0 {
		return nil, &invalid.Input{File: path, Key: key, Found: "a directory without a .csv file", Expected: "one or more, or ." + strings.Join(tabular.Endings[1:], ", .")}
	}
	return paths, nil
}
