package tables

import (
	"cmp"
	"encoding/base64"
	"html/template"
	"slices"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/likelihood/score"
)

// drawnRows is the largest number of rows whose calibration is drawn.
const drawnRows = 20

// A Drawing is a picture for the page, and what it shows in words.
type Drawing struct {
	Title, Alt    string
	Width, Height int // in pixels
	SVG           []byte
}

// URI returns the drawing as a data URI. Browsers run no scripts in such an image and load nothing
// from it. page.html calls it.
func (d Drawing) URI() template.URL {
	return template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(d.SVG))
}

// Drawings are the pictures of a row's calibration.
type Drawings struct {
	Title, Seed string
	Drawings    []Drawing
}

// An Artist draws the pictures of a page.
type Artist struct {
	Likelihoods func(rows []Row) (Drawing, error) // of one benchmark, beside the paper's
	Calibration func(means score.Means, functions []score.Function) ([]Drawing, error)
}

// Draw adds drawings to the page: the likelihoods of the paper's benchmarks, and the scores of the rows' first
// runs. A limit bounds the number of rows.
func (s *Summary) Draw(a Artist) error {
	s.plots = map[string][]Drawing{}
	for _, t := range s.Tables {
		for _, rows := range rowsBesidePaper(t) {
			d, err := a.Likelihoods(rows)
			if err != nil {
				return err
			}
			d.Title = printedBenchmark(rows[0].Benchmark)
			s.plots[t.Title] = append(s.plots[t.Title], d)
		}
		for _, row := range t.Rows {
			r := row.scored()
			if r == nil {
				continue
			}
			if len(s.drawings) == drawnRows {
				s.undrawn++
				continue
			}
			list, err := a.Calibration(*r.Eval.Means, r.Eval.PerFunction)
			if err != nil {
				return err
			}
			s.drawings = append(s.drawings, Drawings{row.title(), used([]Run{*r}).Seeds[0], list})
		}
	}
	return nil
}

// rowsBesidePaper returns the rows of each benchmark of a table that has runs, and of all the paper's models, in the
// order of the models.
func rowsBesidePaper(t Table) (all [][]Row) {
	if !t.besidePaper() {
		return nil
	}
	var names []string
	for _, row := range t.Rows {
		if len(row.Runs) > 0 {
			names = addNew(names, row.Benchmark)
		}
	}
	for _, name := range names {
		rows := slices.DeleteFunc(slices.Clone(t.Rows), func(r Row) bool { return r.Benchmark != name })
		for _, model := range models {
			_, known := catalogue.Paper(name, model)
			if known && !slices.ContainsFunc(rows, func(r Row) bool { return r.Model == model }) {
				rows = append(rows, newRow(subject{benchmark: name, model: model}, nil))
			}
		}
		slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(slices.Index(models, a.Model), slices.Index(models, b.Model)) })
		all = append(all, rows)
	}
	return all
}

// Label returns the model and, in a second line, what tells its rows apart, for a picture.
func (r Row) Label() string {
	label := Shortened(printable(config.Label(r.Model, "")), 12)
	if more := joined(r.Variant, r.label); more != "" {
		label += "\n" + Shortened(printable(more), 26)
	}
	return label
}

// Shortened cuts a name to at most most letters.
func Shortened(name string, most int) string {
	if letters := []rune(name); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return name
}

// Bar returns the ± of the mean in the tables, or 0 if it has none.
func (p Part) Bar() float64 {
	switch {
	case p.SD != nil:
		return *p.SD
	case p.StdError != nil:
		return *p.StdError
	}
	return 0
}
