package datasets

import (
	"fmt"
	"io"
	"strings"

	"github.com/acqnp/acqnp/internal/benchmark"
)

// Points are the points of one function in raw units, as read from a file.
type Points struct {
	Function string    // its name; "" if no column has names
	N        int       // number of points
	X        []float64 // [N, dx]
	Y        []float64 // [N, dy]; nil if no y was asked for
}

// ReadPoints reads a CSV file of points. The header names the columns by xCols and yCols, or by x1,
// x2, … and y1, y2, …, or, for a single column, by x and y. yCols may be empty. The first column of
// the file among functions has the name of the function of each row; without one, all rows are one
// function. The result has the functions in the order of their first rows; it is empty
// if a file of x and y has no rows. Other columns are not read. An error is an *input.Error with line
// and column.
func ReadPoints(path string, xCols, yCols []string, functions ...string) ([]Points, error) {
	t, file, err := openTable(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return t.points(xCols, yCols, functions)
}

// points reads the rest of the table; see ReadPoints.
func (t *table) points(xCols, yCols, functions []string) ([]Points, error) {
	x, err := t.columns(ways("x", xCols)...)
	if err != nil {
		return nil, err
	}
	y, err := t.columns(ways("y", yCols)...)
	if err != nil {
		return nil, err
	}
	by := -1
	for _, name := range functions {
		if i, ok := t.find([]string{name}); ok && name != "" {
			by = i[0]
			break
		}
	}
	var all []Points
	index := map[string]int{}
	for err = t.next(); err == nil; err = t.next() {
		name := ""
		if by >= 0 {
			if name = strings.TrimSpace(t.fields[by]); name == "" {
				return nil, t.refuse(by, "the name of a function")
			}
		}
		i, known := index[name]
		if !known {
			name = strings.Clone(name) // so that the rest of the row can be freed
			i, index[name] = len(all), len(all)
			all = append(all, Points{Function: name})
		}
		if err := t.addTo(&all[i], x, y); err != nil {
			return nil, err
		}
	}
	if err == io.EOF && len(yCols) > 0 {
		return all, nil
	}
	return all, t.end(err, len(all))
}

// addTo appends the current row to p. x and y are the columns to read.
func (t *table) addTo(p *Points, x, y []int) error {
	for _, c := range x {
		v, err := t.number(c)
		if err != nil {
			return err
		}
		p.X = append(p.X, v)
	}
	for _, c := range y {
		v, err := t.number(c)
		if err != nil {
			return err
		}
		p.Y = append(p.Y, v)
	}
	p.N++
	return nil
}

// ways lists the names that columns may have: the given ones, the letter with numbers, and for a
// single column the letter alone.
func ways(letter string, names []string) [][]string {
	all := [][]string{names, numbered(letter, len(names))}
	if len(names) == 1 {
		all = append(all, []string{letter})
	}
	return all
}

func numbered(letter string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s%d", letter, i+1)
	}
	return names
}

// Names returns the names of a benchmark's columns of x and y, for files, plots and messages.
func Names(name string, dx, dy int) (x, y []string) {
	switch b, _ := benchmark.Find(name); b.Kind {
	case benchmark.SpeedFlow:
		return []string{"flow"}, []string{"speed"}
	case benchmark.Images:
		if dy == 3 {
			return []string{"row", "column"}, []string{"red", "green", "blue"}
		}
		return []string{"row", "column"}, []string{"value"}
	}
	letters := func(letter string, n int) []string {
		if n == 1 {
			return []string{letter}
		}
		return numbered(letter, n)
	}
	return letters("x", dx), letters("y", dy)
}
