package rows_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/test/must"
)

// csvMissing are texts that only CSV takes for missing cells: JSON has null.
var csvMissing = []string{"NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "None", "."}

// judged scans a column of cells, as CSV and as JSON lines, and checks that both say the same.
func judged(t *testing.T, cells []string) rows.Column {
	t.Helper()
	csv, lines := "c;n\n", ""
	for i, cell := range cells {
		csv += fmt.Sprintf("%q;%d\n", cell, i)
		value := any(cell)
		if slices.Contains(csvMissing, cell) {
			value = nil
		}
		text, _ := json.Marshal(map[string]any{"c": value, "n": i})
		lines += string(text) + "\n"
	}
	csv = strings.ReplaceAll(csv, ";", ",")
	var all []rows.Column
	for _, text := range []string{csv, lines} {
		path := datatest.CSV(t, text)
		scan := must.Get(rows.ScanFile(config.Data{File: path}, ""))(t)
		c, _ := scan.Column("c")
		c.Odd = strings.Replace(c.Odd, path, "FILE", 1)
		all = append(all, c)
	}
	// JSON lines have no header, so that their lines are one less.
	all[0].Odd, all[1].Odd = "", ""
	if diff := gocmp.Diff(all[0], all[1]); diff != "" {
		t.Errorf("%v: CSV and JSON lines differ: %s", cells, diff)
	}
	return all[0]
}

// What people write is read as what it is, and the form reads it back.
func TestFormsThatPeopleWrite(t *testing.T) {
	for _, c := range []struct {
		cells  []string
		kind   string
		format string
		least  float64
		most   float64
	}{
		{[]string{"1,040", "960", "-12,345,678.5", "1e3"}, rows.NumberColumn, "", -12345678.5, 1040},
		{[]string{"12%", "7.5 %", "NA"}, rows.NumberColumn, rows.Percent, 7.5, 12},
		{[]string{"13:00", "9:30", "12:15 am", "23:59:30"}, rows.TimeColumn, rows.Clock, 0.25, 24 - 1./120},
		{[]string{"1/2/2026", "3/14/2026", "12/31/2025"}, rows.DateColumn, rows.MonthFirst, 20453, 20526},
		{[]string{"1-2-2026", "14-3-2026", "2026-03-20"}, rows.DateColumn, rows.DayFirst, 20485, 20532},
		{[]string{"True", "false", "TRUE"}, rows.NameColumn, rows.Boolean, 0, 0},
		{[]string{"Yes", "no", "YES"}, rows.NameColumn, rows.Boolean, 0, 0},
		{[]string{"yes", "no", "1,5 or so"}, rows.NameColumn, "", 0, 0},
		{[]string{"N/A", "None", "#N/A", ".", "", "null"}, rows.EmptyColumn, "", 0, 0},
		{[]string{"7", "None", "8", "."}, rows.NumberColumn, "", 7, 8},
	} {
		got := judged(t, c.cells)
		if got.Kind != c.kind || got.Format != c.format || math.Abs(got.Least-c.least) > 1e-9 || math.Abs(got.Most-c.most) > 1e-9 {
			t.Errorf("%v: found %s, %q, %v to %v, expected %s, %q, %v to %v", c.cells, got.Kind, got.Format, got.Least, got.Most, c.kind, c.format, c.least, c.most)
		}
		form, err := got.Form("f", false)
		if c.kind == rows.EmptyColumn {
			if err == nil {
				t.Errorf("%v: an empty column is used", c.cells)
			}
			continue
		}
		if err != nil || form.Check() != nil {
			t.Errorf("%v: %v, %v", c.cells, err, form.Check())
			continue
		}
		for _, cell := range c.cells {
			if cell == "NA" || cell == "None" || cell == "." || strings.ContainsAny(cell, ", ") {
				continue
			}
			v, ok := form.Number(cell)
			if again, back := form.Number(form.Text(v)); !ok || !back || math.Abs(again-v) > 1e-9 {
				t.Errorf("%v: %s is %v, %v, and comes back as %v", c.cells, cell, v, ok, again)
			}
		}
	}
}

// A column of names that are nearly numbers is one of names, and as y it is refused with the first of them.
func TestNamesThatAreNearlyNumbers(t *testing.T) {
	for cells, want := range map[string]string{
		"<0.5 <0.7 <1": `found "<0.5", expected 0.5, the limit itself`,
		"$5 $1,250 $7": `found "$5", expected 5, without $`,
		"7kg 3kg 1kg":  `found "7kg", expected 7, without kg`,
		"a b 12mm":     `found "12mm", expected 12, without mm`,
		"a b c":        "found names: a, b, c, expected numbers in a column of y",
		"a-1 1-b 2-c":  "found names: 1-b, 2-c, a-1, expected",
	} {
		c := judged(t, strings.Fields(cells))
		if c.Kind != rows.NameColumn {
			t.Errorf("%s: found %s, expected names", cells, c.Kind)
		}
		must.Get(c.Form("f", false))(t)
		must.Refuse(t, must.Err(c.Form("f", true)), "c: "+want)
	}
}

// A text of a typed form is a name, also one that a CSV file has where a cell is missing. Null and NaN are missing.
func TestNamesThatCSVTakesForMissing(t *testing.T) {
	type arm struct {
		Arm  *string  `parquet:"arm,optional" json:"arm"`
		Dose *float64 `parquet:"dose,optional" json:"dose"`
	}
	name := func(text string) *string { return &text }
	dose, nan := 1.5, math.NaN()
	all := []arm{{nil, &dose}, {name("drug A"), nil}}
	for _, word := range csvMissing {
		all = append(all, arm{name(word), &dose})
	}
	lines := ""
	for _, a := range all {
		lines += string(must.Get(json.Marshal(a))(t)) + "\n"
	}
	all[1].Dose = &nan
	file := filepath.Join(t.TempDir(), "arms.parquet")
	must.Do(t, parquet.WriteFile(file, all))
	for _, path := range []string{datatest.CSV(t, lines), file} {
		scan := must.Get(rows.ScanFile(config.Data{File: path}, ""))(t)
		c, _ := scan.Column("arm")
		if c.Kind != rows.NameColumn || c.Missing != 1 || c.Distinct != len(csvMissing)+1 {
			t.Errorf("%s: found %s with %d names, %d missing, expected names, %d, 1", path, c.Kind, c.Distinct, c.Missing, len(csvMissing)+1)
		}
		if c, _ = scan.Column("dose"); c.Kind != rows.NumberColumn || c.Missing != 1 {
			t.Errorf("%s: found %s, %d missing, expected numbers, 1", path, c.Kind, c.Missing)
		}
		layout := rows.Layout{X: []string{"dose"}, XForms: []rows.Form{{OfFit: rows.OfFit{Gaps: true}}}, Groups: []string{"arm"}, DropMissing: true}
		if groups := must.Get(layout.ReadX(path))(t); len(groups) != len(csvMissing)+1 {
			t.Errorf("%s: found %d groups, expected %d", path, len(groups), len(csvMissing)+1)
		}
	}
}

// What is no number, date or name is refused with the cell and what it should be.
func TestColumnsOfSeveralKinds(t *testing.T) {
	for cells, want := range map[string]string{
		"1 2 3 many 5":                  `found "many", expected numbers, as in 4 of 5 cells`,
		"a b 3 c":                       `found "3", expected names, as in 3 of 4 cells`,
		"1 1e39 3":                      `found "1e39", expected a finite number of at most 3.4e38`,
		"1e400":                         `found "1e400", expected a finite number of at most 3.4e38`,
		"-inf 1":                        `found "-inf", expected a finite number`,
		"1,5 2,5":                       `found "1,5", expected a number with a decimal point`,
		"12% 13% 14":                    `found "14", expected percentages, as in 2 of 3 cells`,
		"2024-03-01 5 2024-03-02":       `found "5", expected dates, as in 2 of 3 cells`,
		"3/4/2024 5/6/2024":             `found "3/4/2024", expected a date of which it is clear which number is the day`,
		"3/14/24 3/15/24":               `found "3/14/24", expected a date with four digits of the year`,
		"14/3/2024 3/15/2024 1/30/2024": `found "14/3/2024", expected a date, month/day/year`,
		"13:00 14:30 25:00":             `found "25:00", expected a time of day before 24:00 or, of a duration, a number of hours such as 25`,
		"23:10 24:00 24:30":             `found "24:30", expected a time of day before 24:00 or, of a duration, a number of hours such as 24`,
		"7 7 7":                         "found the same value in every row",
	} {
		_, err := judged(t, strings.Fields(cells)).Form("f", false)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, expected %s", cells, err, want)
		}
	}
}

// Percentages above 0 have a logarithm, as other numbers have.
func TestLogOfPercentages(t *testing.T) {
	form := must.Get(judged(t, []string{"12%", "13%", "0.5%"}).Form("f", false))(t)
	form.Log = true
	l := rows.Layout{X: []string{"x"}, XForms: []rows.Form{form}}
	points, err := l.ReadX(datatest.CSV(t, "x\n12%\n0.5%\n"))
	if err != nil || !gocmp.Equal(points[0].X, []float64{12, 0.5}) {
		t.Errorf("found %v, %v, expected 12 and 0.5", points, err)
	}
	var bad *invalid.Input
	if _, err := l.ReadX(datatest.CSV(t, "x\n0%\n")); !errors.As(err, &bad) || bad.Found != `"0%"` {
		t.Errorf("error %v, expected one about 0%%", err)
	}
}

// True of one program and true of another are one name.
func TestSpellingsOfTrue(t *testing.T) {
	form := must.Get(judged(t, []string{"True", "FALSE", "True"}).Form("f", false))(t)
	l := rows.Layout{X: []string{"x"}, XForms: []rows.Form{form}}
	points, err := l.ReadX(datatest.CSV(t, `{"x": true}`+"\n"+`{"x": false}`+"\n"+`{"x": "TRUE"}`+"\n"+`{"x": "perhaps"}`+"\n"))
	if err != nil || !gocmp.Equal(points[0].X, []float64{1, 0, 1, 2}) {
		t.Errorf("found %v, %v, expected names 1, 0, 1 and an unknown one", points, err)
	}
}
