package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
)

// A csvFunction is a function in raw units, with the place of its first row.
type csvFunction struct {
	Points
	path  string // with the row if the file has no lines
	line  int
	parts []splitPart // of its points, from data.split_column; nil without one
}

// A csvReader collects functions from files with the same header.
type csvReader struct {
	data      config.Data
	first     string // path of the first file
	header    []string
	cells     *cells
	functions []csvFunction // in the order of their first rows
	groups    grouping      // of functions, by name or by file
}

// readCSV reads data.file. w takes lines on the rows that are left out. Rows with the same function name belong together, whatever file they are
// in. Without data.group each file is one function, named after the file. The readers of the
// result know what the cells of the columns are.
func readCSV(d config.Data, dataDir string, w *warning.Record) ([]csvFunction, *cells, error) {
	paths, err := csvPaths(d.File, dataDir)
	if err != nil {
		return nil, nil, err
	}
	r := csvReader{data: d, cells: &cells{by: -1, split: -1, dropsMissing: d.Missing == config.Drop}}
	for _, name := range d.XColumns {
		r.cells.x = append(r.cells.x, learnCells(name, "data.x", d, func() string { return dayFormatOf(paths, name) }))
	}
	for _, name := range d.YColumns {
		r.cells.y = append(r.cells.y, learnCells(name, "data.y", d, func() string { return dayFormatOf(paths, name) }))
	}
	for _, path := range paths {
		if err := r.read(path); err != nil {
			return nil, nil, err
		}
	}
	if len(r.functions) == 0 {
		return nil, nil, r.cells.noRows(r.first, r.header)
	}
	r.cells.left.warn(d.File, r.header, w)
	return r.functions, r.cells, nil
}

// dayFormatOf returns the format of the dates such as 3/14/2026 in a column of files, "" if it is not clear.
func dayFormatOf(paths []string, column string) string {
	var j judge
	for _, path := range paths {
		t, file, err := openTable(path)
		if err != nil {
			return "" // reading the rows fails too, and says why
		}
		if at, ok := t.find([]string{column}); ok {
			for err = t.next(); err == nil; err = t.next() {
				j.add(t, at[0])
			}
		}
		_ = file.Close() // nothing was written
	}
	return j.column(column).Format
}

// csvPaths returns the files to read: the file of this name, or all tables of the directory of this name in
// the order of their names. It looks in the working directory, then in dataDir/csv unless dataDir is "": then
// a command names the file, and not a configuration.
func csvPaths(name, dataDir string) ([]string, error) {
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
	if err := t.checkHeader(r.header, r.first); err != nil {
		return err
	}
	if r.cells.xAt, err = t.columns(r.data.XColumns); err != nil {
		return err
	}
	if r.cells.yAt, err = t.columns(r.data.YColumns); err != nil {
		return err
	}
	if r.cells.by, err = t.optional(r.data.Group); err != nil {
		return err
	}
	if r.cells.split, err = t.optional(r.data.SplitColumn); err != nil {
		return err
	}
	rows, err := t.each(r.cells, func(name string) error {
		f := r.function(t, name)
		if err := r.cells.addTo(&f.Points, t); err != nil || r.cells.split < 0 {
			return err
		}
		p, err := readPart(t, r.cells.split)
		f.parts = append(f.parts, p)
		return err
	})
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

// function returns the function of a name that the current row belongs to, that of the file without names.
func (r *csvReader) function(t *table, name string) *csvFunction {
	key := name
	if r.cells.by < 0 {
		key = t.path
	}
	i, fresh := r.groups.of(key)
	if fresh {
		key = r.groups.names[i]
		file, line := t.where(0)
		f := csvFunction{Points: Points{Function: key}, path: file, line: line}
		if r.cells.by < 0 {
			f.Function = tabular.Stem(key)
		}
		r.functions = append(r.functions, f)
	}
	return &r.functions[i]
}

// refuse returns an error about the function.
func (f *csvFunction) refuse(found, expected string, values ...any) error {
	return &invalid.Input{File: f.path, Line: f.line, Found: "group " + strconv.Quote(f.Function) + " " + found,
		Expected: fmt.Sprintf(expected, values...)}
}
