package draft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
)

// Found is what the files hold.
type Found struct {
	File        string        `json:"file"`
	Files       int           `json:"files"`
	Rows        int           `json:"rows"`
	Dropped     int           `json:"dropped"` // rows with a missing cell in a column that is used
	Groups      int           `json:"groups"`  // with at least one row that is used
	Points      [3]int        `json:"points"`  // of each: least, median, most
	Columns     []rows.Column `json:"columns"` // those of x and y
	Categories  []string      `json:"categories"`
	Dates       []string      `json:"dates"`
	Skewed      []string      `json:"skewed"`      // skewed and nowhere negative: the model sees their logarithm
	PerGroup    []string      `json:"per_group"`   // the same in all rows of a group
	Calibration int           `json:"calibration"` // groups, or rows, that are held back and not in the other numbers
	SplitBy     string        `json:"split"`       // what is held out: group or point
}

// used returns the number of rows that are used.
func (f Found) used() int { return f.Rows - f.Dropped }

const (
	leastRows   = 10 // fewer cannot be split
	leastGroups = 6  // with fewer, points are held out, not groups
	leastShort  = 4  // the same where groups are short
	short       = 30 // points; a group with fewer is short
)

// look scans the files and settles the section data of the configuration.
func look(o Options) (Found, config.Data, error) {
	d := config.Data{File: o.File, Group: o.Group, XColumns: o.X, YColumns: o.Y}
	if err := checkNames(d); err != nil {
		return Found{}, d, err
	}
	scan, err := rows.ScanFile(d, o.DataDir)
	if err != nil {
		return Found{}, d, err
	}
	f, err := foundIn(scan, d)
	if err != nil {
		return f, d, err
	}
	d.Scale, d.Missing, d.TrainFraction = "standard", config.Refuse, 1
	if f.Dropped > 0 {
		d.Missing = config.Drop
	}
	d.SplitBy = "point"
	if withTwo := count(scan, 2); withTwo >= leastGroups || withTwo >= leastShort && f.Points[1] < short {
		d.SplitBy = "group"
	}
	if o.HoldBack {
		if f, err = f.holdBack(&d, o.DataDir, scan); err != nil {
			return f, d, err
		}
	}
	f.SplitBy, d.Categories, d.Log = d.SplitBy, f.Categories, o.Log
	for _, name := range f.Skewed {
		if !slices.Contains(d.Log, name) {
			d.Log = append(d.Log, name)
		}
	}
	return f, d, nil
}

// foundIn returns what a scan found of the columns of x and y. It refuses what cannot be used.
func foundIn(scan rows.Scan, d config.Data) (Found, error) {
	f := Found{File: d.File, Files: scan.Files, Rows: scan.Rows, Dropped: scan.Dropped}
	var sizes []int
	for _, g := range scan.Groups {
		if g.Used > 0 {
			sizes = append(sizes, g.Used)
		}
	}
	slices.Sort(sizes)
	if f.Groups = len(sizes); f.Groups > 0 {
		f.Points = [3]int{sizes[0], sizes[len(sizes)/2], sizes[len(sizes)-1]}
	}
	if err := f.checkRows(d, scan); err != nil {
		return f, err
	}
	for _, name := range slices.Concat(d.XColumns, d.YColumns) {
		c, _ := scan.Column(name)
		if err := f.add(c, slices.Contains(d.YColumns, name)); err != nil {
			return f, err
		}
	}
	return f, nil
}

// checkNames refuses a column that is named twice.
func checkNames(d config.Data) error {
	all := slices.Concat(d.XColumns, d.YColumns)
	if d.Group != "" {
		all = append(all, d.Group)
	}
	for i, name := range all {
		if slices.Contains(all[:i], name) {
			return &invalid.Input{File: "--x, --y, --group", Found: fmt.Sprintf("the column %q twice", name), Expected: "each column once"}
		}
	}
	return nil
}

// count returns the number of groups with at least the given number of used rows.
func count(s rows.Scan, rows int) (n int) {
	for _, f := range s.Groups {
		if f.Used >= rows {
			n++
		}
	}
	return n
}

// checkRows refuses files with too few rows, and groups of one row each.
func (f Found) checkRows(d config.Data, s rows.Scan) error {
	switch {
	case f.used() == 0:
		return &invalid.Input{File: d.File, Found: "a missing cell in every row", Expected: "rows with a value in each of " +
			strings.Join(slices.Concat(d.XColumns, d.YColumns), ", ") + " (leave out a column that is mostly empty)"}
	case f.used() < leastRows:
		return &invalid.Input{File: d.File, Found: invalid.Plural(f.used(), "row", "rows") + " without missing cells",
			Expected: fmt.Sprintf("at least %d: fewer cannot be split for training and validation", leastRows)}
	case d.Group != "" && f.Points[2] == 1:
		return &invalid.Input{File: d.File, Key: d.Group, Found: "one row for each group",
			Expected: "groups of several rows (without --group, all rows are one group)"}
	case d.Group == "" && f.Points[2] == 1:
		return &invalid.Input{File: d.File, Found: "one row in each file", Expected: "files of several rows, or --group COL in one file"}
	}
	return nil
}

// add adds a column of x or y to what was found. It refuses one that cannot be used.
func (f *Found) add(c rows.Column, y bool) error {
	form, err := c.Form(f.File, y)
	switch {
	case err != nil:
		return err
	case form.Categories != nil:
		f.Categories = append(f.Categories, c.Name)
	case form.Origin != "":
		f.Dates = append(f.Dates, c.Name)
	case c.Kind == rows.NumberColumn && form.Format == "" && skewed(c, y):
		f.Skewed = append(f.Skewed, c.Name)
	}
	if c.PerGroup && !y && f.Groups > 1 {
		f.PerGroup = append(f.PerGroup, c.Name)
	}
	f.Columns = append(f.Columns, c)
	return nil
}

// skewed reports whether a network sees the logarithm of numbers: all are positive, spread over more
// than a factor of 3, with a long tail to the right. Those of x may be 0.
func skewed(c rows.Column, y bool) bool {
	return (c.Least > 0 || c.Least == 0 && !y && c.Distinct > 2) && c.Most > 3*c.Least && c.Skew > 0.7
}
