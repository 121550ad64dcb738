package run

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models"
)

// unitsKey is the metadata entry of checkpoints and exported weights that holds their units.
const unitsKey = "units"

const unitsExpected = "names, offsets and positive scales of the columns of x and y, as training writes them"

// Units are the names of the data's columns and how the columns were converted and scaled. They are
// stored with the weights, so that predicting needs no data set.
type Units struct {
	XNames, YNames []string // of the columns
	Scaling        datasets.Scaling
}

// UnitsOf returns the units of an experiment's data, which source reads.
func UnitsOf(e config.Experiment, source *datasets.Source) Units {
	dx, dy := source.Dims()
	u := Units{Scaling: source.Scaling}
	u.XNames, u.YNames = benchmark.Names(e.Benchmark, dx, dy)
	if x, y := len(u.Scaling.XScale), len(u.Scaling.YScale); len(e.Data.XColumns) == x && len(e.Data.YColumns) == y {
		u.XNames, u.YNames = e.Data.XColumns, e.Data.YColumns
	}
	return u
}

// Dims returns the numbers of columns of x and y that the model sees. There may be more than XNames:
// a column of names is a column for each name.
func (u Units) Dims() (dx, dy int) { return u.Scaling.Dims() }

// Layout returns how files of points in these units are read. groups are the columns that may
// name the group of a row.
func (u Units) Layout(groups ...string) rows.Layout {
	return rows.Layout{X: u.XNames, Y: u.YNames, XForms: u.Scaling.XForms, YForms: u.Scaling.YForms, Groups: groups}
}

// A column is the units of one column as they are stored: model = (raw − offset)/scale, or a
// rows.Form.
type column struct {
	Name   string  `json:"name"`
	Offset float64 `json:"offset"`
	Scale  float64 `json:"scale"`
	form
}

// A form is a rows.Form with the names of its fields in files.
type form struct {
	Log        bool     `json:"log,omitempty"`
	Shift      float64  `json:"shift,omitempty"`
	Categories []string `json:"categories,omitempty"`
	Origin     string   `json:"origin,omitempty"`
	Format     string   `json:"format,omitempty"`

	rows.OfFit `json:"-"` // of columns that no run has
}

type columns struct {
	X []column `json:"x"`
	Y []column `json:"y"`
}

func (u Units) columns() columns {
	s := u.Scaling
	list := func(names []string, offset, scale []float64, forms []rows.Form) []column {
		var cs []column
		for i, name := range names {
			cs = append(cs, column{name, offset[i], scale[i], form(rows.FormAt(forms, i))})
		}
		return cs
	}
	return columns{list(u.XNames, s.XOffset, s.XScale, s.XForms), list(u.YNames, s.YOffset, s.YScale, s.YForms)}
}

// readUnits decodes the units in a file's metadata. It returns nil if there are none.
func readUnits(path string, meta map[string]string) (*Units, error) {
	text, ok := meta[unitsKey]
	if !ok {
		return nil, nil
	}
	var c columns
	bad := func(found string) error {
		return &invalid.Input{File: path, Key: unitsKey, Found: found, Expected: unitsExpected}
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields() // what they do to the units is not known
	if err := d.Decode(&c); err != nil {
		return nil, bad("unreadable text (" + err.Error() + ")")
	}
	if len(c.X) == 0 || len(c.Y) == 0 {
		return nil, bad(fmt.Sprintf("%d columns of x and %d of y", len(c.X), len(c.Y)))
	}
	for _, v := range slices.Concat(c.X, c.Y) {
		if v.Name == "" || !(v.Scale > 0) {
			return nil, bad(fmt.Sprintf("a column %s of scale %v", strconv.Quote(v.Name), v.Scale))
		}
		if err := rows.Form(v.form).Check(); err != nil {
			return nil, bad(fmt.Sprintf("a column %s with %v", strconv.Quote(v.Name), err))
		}
	}
	for _, v := range c.Y {
		if v.Shift != 0 {
			return nil, bad(fmt.Sprintf("a column %s of y with a shift", strconv.Quote(v.Name)))
		}
	}
	var u Units
	s := &u.Scaling
	u.XNames, s.XOffset, s.XScale, s.XForms = unzip(c.X)
	u.YNames, s.YOffset, s.YScale, s.YForms = unzip(c.Y)
	if rows.SameForms(s.XForms, nil) && rows.SameForms(s.YForms, nil) {
		s.XForms, s.YForms = nil, nil
	}
	return &u, nil
}

func unzip(cs []column) (names []string, offset, scale []float64, forms []rows.Form) {
	for _, c := range cs {
		names, offset, scale = append(names, c.Name), append(offset, c.Offset), append(scale, c.Scale)
		forms = append(forms, rows.Form(c.form))
	}
	return names, offset, scale, forms
}

// ReadUnits reads the units in a checkpoint or in exported weights. It returns nil if the file has
// none.
func ReadUnits(path string) (*Units, error) {
	meta, err := safetensors.ReadMetadata(path)
	if err != nil {
		return nil, err
	}
	return readUnits(path, meta)
}

// fit checks that units, if any, have the dimensions of the model whose weights they come with.
func (u *Units) fit(path string, m *models.Model) error {
	if u == nil {
		return nil
	}
	x, y := u.Dims()
	if dx, dy := m.Dims(); x != dx || y != dy {
		return &invalid.Input{File: path, Key: unitsKey, Found: fmt.Sprintf("%d columns of x and %d of y", x, y),
			Expected: fmt.Sprintf("%d and %d, as the model has", dx, dy)}
	}
	return nil
}

// CheckData compares the units of the data with those that the run in dir began with. It returns an
// *invalid.Input for other columns or another scaling. The scaling is estimated from the data, so its
// last digits may differ between machines.
func CheckData(dir string, began, now Units) error {
	const rounding = 1e-9
	a, b := began.columns(), now.columns()
	same := func(a, b column) bool {
		return a.Name == b.Name && math.Abs(a.Scale-b.Scale) <= rounding*a.Scale &&
			math.Abs(a.Offset-b.Offset) <= rounding*(math.Abs(a.Offset)+a.Scale) &&
			rows.SameForms([]rows.Form{rows.Form(a.form)}, []rows.Form{rows.Form(b.form)})
	}
	if slices.EqualFunc(a.X, b.X, same) && slices.EqualFunc(a.Y, b.Y, same) {
		return nil
	}
	return &invalid.Input{File: filepath.Join(dir, checkpointsDir), Found: "a run on data with other columns or another scaling",
		Expected: "the same data as when the run began"}
}
