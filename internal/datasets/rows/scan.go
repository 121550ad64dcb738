package rows

import (
	"hash/maphash"
	"os"
	"slices"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/invalid"
)

// A Scan says what a file of rows, or a directory of them, holds.
type Scan struct {
	Files   int
	Rows    int
	Dropped int // rows with a missing cell in a column of group, x, y or split
	Columns []Column
	Groups  []ScannedGroup // in the order of their first rows
}

// The kinds of columns.
const (
	EmptyColumn  = "empty"  // every cell is missing
	NumberColumn = "number" // finite numbers
	DateColumn   = "date"   // dates, with or without times
	TimeColumn   = "time"   // times of day
	NameColumn   = "name"   // other texts
	MixedColumn  = "mixed"  // cells of several kinds, or that are not clear
)

// A Column is a column of a Scan.
type Column struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Format  string `json:"format,omitempty"` // see Form
	Missing int    `json:"missing"`          // cells without a value: empty, NA, NaN, null and others
	// Distinct is the number of different cells that are not missing, MaxDistinct + 1 if there are
	// more than MaxDistinct.
	Distinct int      `json:"distinct"`
	Values   []string `json:"values,omitempty"` // the different cells, sorted, if they are at most MaxDistinct
	// Least and Most bound the numbers. Those of dates are days since 1970-01-01.
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
	// Skew is the skewness of the numbers, above 0 with a long tail to the right; 0 if they are
	// alike.
	Skew float64 `json:"skew"`
	// Codes is a line on numbers that look like codes for a missing value, such as -9999, far from all others; "" without.
	Codes string `json:"codes,omitempty"`
	// Stamps is a line on numbers that all look like dates without separators, such as 20240301; "" without. It is for
	// columns of x.
	Stamps string `json:"stamps,omitempty"`
	// PerGroup says that all rows of a group have the same cell. It is false if there are
	// more than 100,000 groups.
	PerGroup bool `json:"per_group"`
	// Odd is FILE:LINE, or FILE, row N, of a cell for which the column is mixed or, if it is one of names, of the first
	// name that is nearly a number, such as 3 kg. OddCell is that cell, and Wants says what it should be. They are ""
	// in other columns.
	Odd     string `json:"odd,omitempty"`
	OddCell string `json:"odd_cell,omitempty"`
	Wants   string `json:"wants,omitempty"`

	Likely kind `json:"-"` // what most cells are, by which training reads a mixed column

	Limited *Column `json:"-"` // the column if limits such as <50 are taken for numbers; nil without any, or if other cells are no numbers either
}

// Constant reports whether all cells are the same, or missing.
func (c Column) Constant() bool { return c.Distinct <= 1 }

// Span returns the least and the largest number or date, as text.
func (c Column) Span() (least, most string) {
	f := Form{Format: c.Format}
	if c.Kind == DateColumn {
		f.Origin = epoch
	}
	return f.Text(c.Least), f.Text(c.Most)
}

// A ScannedGroup is a group of a Scan.
type ScannedGroup struct {
	Name string
	Used int // rows without those that Scan.Dropped counts
}

// MaxDistinct is the largest number of different cells of a column that a Scan keeps.
const MaxDistinct = maxNames

// longestValue is the length of the longest name, in bytes. A Scan keeps one byte more, which says that a cell is longer.
const longestValue = 200

// maxFollowed is the number of groups up to which a scan compares the cells of their rows.
const maxFollowed = 100_000

// ScanFile reads the file or the directory that d.File names. It judges the columns of d.XColumns and d.YColumns, and all
// if there are none; then no row counts as dropped for them. d.Group may be "". The memory does not depend on the number
// of rows. An error is an *invalid.Input.
func ScanFile(d config.Data, dataDir string) (Scan, error) { return ScanOthers(d, dataDir, nil) }

// ScanOthers is ScanFile without some rows of groups: held has their numbers among the rows that are used.
func ScanOthers(d config.Data, dataDir string, held map[string][]int) (Scan, error) {
	paths, err := Paths(d.File, dataDir)
	if err != nil {
		return Scan{}, err
	}
	s := scanner{data: d, seed: maphash.MakeSeed(), held: held, names: grouping{byFile: true, outer: -1}}
	s.Files = len(paths)
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			return Scan{}, &invalid.Input{File: path, Found: "a pipe or a device", Expected: "a regular file, which can be read more than once"}
		}
	}
	if err := each(paths, s.start, s.row); err != nil {
		return Scan{}, err
	}
	for _, i := range s.judged {
		s.Columns[i] = s.judges[i].column(s.Columns[i].Name)
		s.Columns[i].PerGroup = !s.varies[i] && len(s.Groups) <= maxFollowed
	}
	return s.Scan, nil
}

// Column returns the column of this name, and whether there is one.
func (s Scan) Column(name string) (Column, bool) {
	i := slices.IndexFunc(s.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return Column{}, false
	}
	return s.Columns[i], true
}

// A scanner makes a Scan.
type scanner struct {
	Scan
	data   config.Data
	seed   maphash.Seed
	judged []int   // the columns that are judged
	judges []judge // of each column
	varies []bool  // of each column: within a group
	names  grouping
	needed []int      // the columns whose missing cells drop a row
	first  [][]uint64 // [groups, columns]: the hash of the first cell of each

	held map[string][]int // rows of groups that are left out, among those that are used
	used []int            // of each group: used rows so far, left out or not
}

// start finds the columns of a file.
func (s *scanner) start(t *table) (err error) {
	if s.Columns == nil {
		only := slices.Concat(s.data.XColumns, s.data.YColumns)
		for _, name := range t.header {
			if only == nil || slices.Contains(only, name) {
				s.judged = append(s.judged, len(s.Columns))
			}
			s.Columns = append(s.Columns, Column{Name: name})
		}
		s.judges, s.varies = make([]judge, len(t.header)), make([]bool, len(t.header))
	}
	for i := range s.judges {
		s.judges[i].decimals = decimals{} // each file has its own
	}
	if s.names.by, err = t.optional(s.data.Group); err != nil {
		return err
	}
	s.needed, err = t.columns(s.usedColumns())
	return err
}

// usedColumns returns the columns whose missing cells drop a row.
func (s *scanner) usedColumns() (names []string) {
	for _, name := range slices.Concat(s.data.XColumns, s.data.YColumns, []string{s.data.Group, s.data.SplitColumn}) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// row adds the current row of t.
func (s *scanner) row(t *table) error {
	dropped := slices.ContainsFunc(s.needed, func(c int) bool { return isMissing(t.cell(c)) })
	g := -1
	if by := s.names.by; by < 0 || !isMissing(t.cell(by)) {
		var fresh bool
		if g, fresh = s.names.row(t); fresh {
			s.Groups, s.used = append(s.Groups, ScannedGroup{Name: s.names.names[g]}), append(s.used, 0)
		}
		if s.leavesOut(g, dropped) {
			return nil
		}
	}
	s.Rows++
	if dropped {
		s.Dropped++
	} else if g >= 0 {
		s.Groups[g].Used++
	}
	for _, i := range s.judged {
		s.judges[i].add(t, i)
		if g >= 0 && g < maxFollowed && !s.varies[i] {
			s.follow(g, i, t.cell(i))
		}
	}
	return nil
}

// leavesOut counts a row of group f and reports whether it is left out. A dropped row is left out if
// the whole group is.
func (s *scanner) leavesOut(f int, dropped bool) bool {
	held := s.held[s.Groups[f].Name]
	if dropped {
		return len(held) > 0 && s.data.SplitBy != "point"
	}
	s.used[f]++
	return slices.Contains(held, s.used[f]-1)
}

// follow compares a cell of column i with the first one of its group.
func (s *scanner) follow(f, i int, cell string) {
	for len(s.first) <= f {
		s.first = append(s.first, make([]uint64, len(s.judges)))
	}
	hash := max(maphash.String(s.seed, cell), 1) // 0 stands for no cell yet
	switch s.first[f][i] {
	case 0:
		s.first[f][i] = hash
	case hash:
	default:
		s.varies[i] = true
	}
}
