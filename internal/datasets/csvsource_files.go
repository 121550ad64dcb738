package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/input"
)

// A csvFunction is a function in raw units, with the place of its first row.
type csvFunction struct {
	Points
	path  string
	line  int
	parts []splitPart // of its points, from data.split_column; nil without one
}

// A csvReader collects functions from files with the same header.
type csvReader struct {
	data      config.Data
	first     string // path of the first file
	header    []string
	functions []csvFunction // in the order of their first rows
	index     map[string]int
}

// readCSV reads data.file. Rows with the same function name belong together, whatever file they are
// in. Without data.function each file is one function, named after the file.
func readCSV(d config.Data, dataDir string) ([]csvFunction, error) {
	paths, err := csvPaths(d.File, dataDir)
	if err != nil {
		return nil, err
	}
	r := csvReader{data: d, index: map[string]int{}}
	for _, path := range paths {
		if err := r.read(path); err != nil {
			return nil, err
		}
	}
	return r.functions, nil
}

// csvPaths returns the files to read: the file of this name, or all .csv files of the directory of
// this name in the order of their names. It looks in the working directory, then in dataDir/csv.
func csvPaths(name, dataDir string) ([]string, error) {
	path := name
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(name) {
		path = filepath.Join(dataDir, "csv", name)
		info, err = os.Stat(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &input.Error{File: name, Key: "data.file", Found: "no such file",
			Expected: "a CSV file or a directory of them, here or in " + filepath.Join(dataDir, "csv")}
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
	for _, e := range entries {
		if strings.EqualFold(filepath.Ext(e.Name()), ".csv") && !e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			paths = append(paths, filepath.Join(path, e.Name()))
		}
	}
	if len(paths) == 0 {
		return nil, &input.Error{File: path, Key: "data.file", Found: "a directory without a .csv file", Expected: "one or more"}
	}
	return paths, nil
}

// read adds the rows of a file.
func (r *csvReader) read(path string) error {
	t, file, err := openTable(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if r.header == nil {
		r.first, r.header = path, t.header
	}
	if !slices.Equal(r.header, t.header) {
		return &input.Error{File: path, Line: 1, Found: "the columns " + quote(strings.Join(t.header, ", "), 200),
			Expected: quote(strings.Join(r.header, ", "), 200) + ", as in " + r.first}
	}
	x, err := t.columns(r.data.XColumns)
	if err != nil {
		return err
	}
	y, err := t.columns(r.data.YColumns)
	if err != nil {
		return err
	}
	by, err := t.optional(r.data.Function)
	if err != nil {
		return err
	}
	split, err := t.optional(r.data.SplitColumn)
	if err != nil {
		return err
	}
	rows := 0
	for err = t.next(); err == nil; err = t.next() {
		f, err := r.function(t, by)
		if err != nil {
			return err
		}
		if err := t.addTo(&f.Points, x, y); err != nil {
			return err
		}
		if split >= 0 {
			p, err := readPart(t, split)
			if err != nil {
				return err
			}
			f.parts = append(f.parts, p)
		}
		rows++
	}
	return t.end(err, rows)
}

// optional returns the column of this name, or −1 if the name is "".
func (t *table) optional(name string) (int, error) {
	if name == "" {
		return -1, nil
	}
	columns, err := t.columns([]string{name})
	if err != nil {
		return -1, err
	}
	return columns[0], nil
}

// function returns the function that the current row belongs to. by is the column with its name, or
// −1.
func (r *csvReader) function(t *table, by int) (*csvFunction, error) {
	key := t.path
	if by >= 0 {
		if key = strings.TrimSpace(t.fields[by]); key == "" {
			return nil, t.refuse(by, "the name of a function")
		}
	}
	i, known := r.index[key]
	if !known {
		key = strings.Clone(key) // so that the rest of the row can be freed
		i, r.index[key] = len(r.functions), len(r.functions)
		line, _ := t.csv.FieldPos(0)
		f := csvFunction{Points: Points{Function: key}, path: t.path, line: line}
		if by < 0 {
			f.Function = strings.TrimSuffix(filepath.Base(key), filepath.Ext(key))
		}
		r.functions = append(r.functions, f)
	}
	return &r.functions[i], nil
}

// refuse returns an error about the function.
func (f *csvFunction) refuse(found, expected string, values ...any) error {
	return &input.Error{File: f.path, Line: f.line, Found: "function " + strconv.Quote(f.Function) + " " + found,
		Expected: fmt.Sprintf(expected, values...)}
}
