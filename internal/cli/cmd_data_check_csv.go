package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
)

// ownDataCheck is the result of data check csv --config.
type ownDataCheck struct {
	File string `json:"file"`
	rows.Scan
	DX int `json:"dx"` // columns of x that the model sees, one-hot columns included
	DY int `json:"dy"`
	// Split has the functions of each part, or the rows if points are held out.
	Split    []datasets.PartCount `json:"split"`
	TooSmall int                  `json:"too_small"` // functions with too few points for the model
	data     config.Data
	scaling  datasets.Scaling
}

// runOwnDataCheck reads the file twice: all its columns, to say what it holds, and as training does.
func runOwnDataCheck(a *app, o dataCheckOptions) error {
	e, err := config.Load(o.config, config.Overrides{Env: os.Environ})
	if err != nil {
		return err
	}
	if e.Benchmark != "csv" || slices.ContainsFunc(o.names, func(name string) bool { return name != "csv" }) {
		return &invalid.Input{File: o.config, Key: "benchmark", Found: strings.Join(append([]string{e.Benchmark}, o.names...), " and "),
			Expected: "csv; the files of other benchmarks are checked without --config"}
	}
	c := ownDataCheck{File: e.Data.File, data: e.Data}
	if c.Scan, err = rows.ScanFile(e.Data, o.dataDir); err != nil {
		return err
	}
	source, err := datasets.Open(e, o.dataDir)
	if err != nil {
		return err
	}
	c.DX, c.DY = source.Dims()
	split := datasets.SplitOf(source)
	c.Split, c.TooSmall = split.Counts(), split.TooSmall()
	c.scaling = datasets.ScalingOf(source, c.DX, c.DY)
	return a.result(c, c.print)
}

// print writes what was found for people.
func (c ownDataCheck) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	more := invalid.Plural(c.Files, "file", "files")
	if separators, ok := map[string]string{",": "commas", ";": "semicolons", "\t": "tabs"}[c.Delimiter]; ok {
		more += ", columns separated by " + separators
	}
	if c.DecimalComma {
		more += ", decimal commas"
	}
	fmt.Fprintf(t, "file\t%s\t(%s)\n", c.File, more)
	fmt.Fprintf(t, "rows\t%d\t%s\n", c.Rows, c.missing())
	least, median, most := c.Sizes()
	fmt.Fprintf(t, "groups\t%d\tpoints of each: least %d, median %d, most %d\n", len(c.Groups), least, median, most)
	fmt.Fprintf(t, "split\t%s\t%s\n", c.data.SplitBy, c.parts())
	fmt.Fprintf(t, "model\t%d x, %d y\tcolumns that it sees\n\n", c.DX, c.DY)
	fmt.Fprint(t, "column\tuse\tcells\n")
	for _, column := range c.Columns {
		fmt.Fprintf(t, "%s\t%s\t%s\n", column.Name, c.use(column.Name), c.cells(column))
	}
	return t.Flush()
}

func (c ownDataCheck) missing() string {
	if c.Dropped == 0 {
		return "no missing cell in the columns that are used"
	}
	return fmt.Sprintf("%d left out, with a missing cell in a column that is used (data.missing: drop)", c.Dropped)
}

// parts says how many functions, or rows, each part has.
func (c ownDataCheck) parts() string {
	var parts []string
	for _, p := range c.Split {
		parts = append(parts, fmt.Sprintf("%s %d", p.Part, p.Count))
	}
	text := strings.Join(parts, ", ")
	if c.TooSmall > 0 {
		text += fmt.Sprintf("; %s left out: bnp needs a context point", invalid.Plural(c.TooSmall, "group", "groups"))
	}
	return text
}

// use says what a column is used for.
func (c ownDataCheck) use(name string) string {
	switch {
	case slices.Contains(c.data.XColumns, name):
		return "x"
	case slices.Contains(c.data.YColumns, name):
		return "y"
	case name == c.data.Group:
		return "group"
	case name == c.data.SplitColumn:
		return "split"
	}
	return "not used"
}

// form returns what becomes of a column of x or y.
func (c ownDataCheck) form(name string) rows.Form {
	x, y := slices.Index(c.data.XColumns, name), slices.Index(c.data.YColumns, name)
	switch {
	case x >= 0 && c.scaling.XForms != nil:
		return c.scaling.XForms[x]
	case y >= 0 && c.scaling.YForms != nil:
		return c.scaling.YForms[y]
	}
	return rows.Form{}
}

// cells says what the cells of a column are, and what becomes of those of x and y.
func (c ownDataCheck) cells(column rows.Column) string {
	form := c.form(column.Name)
	text := column.What()
	switch {
	case form.Categories != nil:
		text = fmt.Sprintf("%s in the training part, one-hot: %s", invalid.Plural(len(form.Categories), "name", "names"), invalid.First(form.Categories))
	case form.Origin != "":
		text += ", as days since " + form.Origin
	}
	switch {
	case form.Shift > 0:
		text += fmt.Sprintf("; the model sees the logarithm of the number + %g", form.Shift)
	case form.Log:
		text += "; the model sees the logarithm"
	}
	if column.PerGroup && len(c.Groups) > 1 && column.Name != c.data.Group {
		text += "; the same in all rows of a group"
	}
	if column.Missing > 0 {
		text += fmt.Sprintf("; %d missing", column.Missing)
	}
	return text
}
