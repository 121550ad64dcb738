package own_test

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/test/must"
)

// awkward are ways to write the same 24 points: 4 groups of 6 days each. The columns are name,
// day, diet, x and y = exp(x).
var awkward = map[string]struct {
	separator    string // "" is a comma
	around       string // each cell
	time         string // after each day
	decimalComma bool
	head, cell   string // of one more column
}{
	"commas":               {},
	"semicolons":           {separator: ";"},
	"tabs":                 {separator: "\t"},
	"quotes":               {around: `"`},
	"spaces":               {around: " "},
	"decimal commas":       {separator: ";", decimalComma: true},
	"an empty last column": {separator: "\t", head: "note"},
	"times":                {time: "T00:00Z"},
	"times with zones":     {time: " 02:30:00+02:30"},
	"quoted delimiters":    {head: `"a;b;c;d;e;f"`, cell: `"a;b;c;d;e;f"`},
	"commas in a header":   {separator: ";", head: `"a,b,c,d,e,f,g"`, cell: "1,5"},
}

// awkwardFile writes one of the files, with a byte order mark and CRLF if mark is set.
func awkwardFile(t *testing.T, name string, mark bool) string {
	t.Helper()
	how := awkward[name]
	text, end := "", "\n"
	if mark {
		text, end = "\ufeff", "\r\n"
	}
	line := func(more string, cells ...string) {
		for i, c := range cells {
			if how.decimalComma {
				c = strings.Replace(c, ".", ",", 1)
			}
			cells[i] = how.around + c + how.around
		}
		if how.head != "" {
			cells = append(cells, more)
		}
		text += strings.Join(cells, cmp.Or(how.separator, ",")) + end
	}
	line(how.head, "name", "day", "diet", "x", "y")
	for f := range 4 {
		for i := range 6 {
			x := float64(i) / 2
			line(how.cell, fmt.Sprintf("f%d", f), fmt.Sprintf("2024-02-%d", 24+i)+how.time, []string{"egg", "corn"}[f%2],
				fmt.Sprintf("%.1f", x), fmt.Sprintf("%.6f", math.Exp(x)))
		}
	}
	path := filepath.Join(t.TempDir(), "awkward.csv")
	datatest.Put(t, path, text)
	return path
}

func awkwardExperiment(path string) config.Experiment {
	e := csvExperiment(path)
	e.Data.XColumns, e.Data.Categories, e.Data.Log = []string{"x", "diet", "day"}, []string{"diet"}, []string{"y"}
	e.Data.SplitBy, e.Data.Context, e.Data.Scale = "point", []int{1, 1}, "none"
	return e
}

// Whatever the delimiter, the quotes and the decimal mark, the batches are the same: a number, two
// one-hot columns in the order of the names, days since the first, and log y.
func TestAwkwardFilesHoldTheSamePoints(t *testing.T) {
	var want *datasets.Batch
	for name := range awkward {
		for _, mark := range []bool{false, true} {
			path := awkwardFile(t, name, mark)
			s, err := benchmark.Open(awkwardExperiment(path), "")
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if dx, dy := s.Dims(); dx != 4 || dy != 1 {
				t.Fatalf("%s: x of %d and y of %d columns", name, dx, dy)
			}
			b := datatest.Made(t, s.Train, 0)
			if want == nil {
				want = b
			}
			if diff := gocmp.Diff(want, b); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			for i, y := range b.Y {
				x := b.X[4*i:][:4]
				// y has six decimals.
				if x[1]+x[2] != 1 || x[3] != 2*x[0] || math.Abs(float64(y-x[0])) > 1e-6 {
					t.Errorf("%s: x %v, y %v", name, x, y)
				}
			}
			raw := s.Scaling
			want := datasets.Scaling{XOffset: []float64{0, 0, 0}, XScale: []float64{1, 1, 1}, YOffset: []float64{0}, YScale: []float64{1},
				XForms: []rows.Form{{}, {Categories: []string{"corn", "egg"}}, {Origin: "2024-02-24"}}, YForms: []rows.Form{{Log: true}}}
			if diff := gocmp.Diff(want, raw); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
}

// Files to predict are read as the training file was: unknown names have no one-hot column, and
// their text is kept.
func TestLayoutReadsWhatTheRunRecorded(t *testing.T) {
	l := rows.Layout{X: []string{"x", "diet", "day"}, Y: []string{"y"}, Groups: []string{"name"}, DropMissing: true,
		XForms: []rows.Form{{}, {Categories: []string{"corn", "egg"}}, {Origin: "2024-02-25"}}, YForms: []rows.Form{{Log: true}}}
	got := must.Get(l.Read(datatest.CSV(t, "day;diet;x;y;name\n2024-02-26 12:00;egg;0,5;7;a\n2024-03-01T06:00:00+06:00;fish;1;8,5;a\n2024-03-01;egg;null;9;b\n")))(t)
	// 2024 is a leap year.
	want := []points.Group{{Name: "a", Points: points.New(3, 1, []float64{0.5, 1, 1.5, 1, 2, 5}, []float64{7, 8.5})}}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	targets := must.Get(l.ReadX(datatest.CSV(t, "day\tdiet\tx\n2024-02-24\tmeat\t1\n2024-02-25T00:00:30Z\tfish\t2\n")))(t)
	var text []string
	for i, v := range targets[0].X {
		text = append(text, l.XText(i%3, v))
	}
	if diff := gocmp.Diff([]string{"1", "meat", "2024-02-24", "2", "fish", "2024-02-25T00:00:30Z"}, text); diff != "" {
		t.Error(diff)
	}
	s := datasets.Scaling{XOffset: []float64{0, 0, 0}, XScale: []float64{2, 1, 1}, YOffset: []float64{0}, YScale: []float64{1}, XForms: l.XForms, YForms: l.YForms}
	model := s.ModelX(got[0].X)
	if diff := gocmp.Diff([]float32{0.25, 0, 1, 1.5, 0.5, 0, 0, 5}, model); diff != "" {
		t.Error(diff)
	}
	wide := make([]float64, len(model))
	for i, v := range model {
		wide[i] = float64(v)
	}
	if diff := gocmp.Diff(got[0].X, s.RawX(wide)); diff != "" {
		t.Error(diff)
	}
}

// A column of x with a 0 is shifted by the least positive number of the training part before its
// logarithm is taken, and comes back as it was.
func TestLogOfTimesFromZero(t *testing.T) {
	text := "name,x,y\n"
	for f := range 4 {
		for i, x := range []float64{0, 0.25, 1, 4, 24} {
			text += fmt.Sprintf("f%d,%g,%d\n", f, x, i+f)
		}
	}
	e := csvExperiment(datatest.CSV(t, text))
	e.Data.XColumns, e.Data.YColumns, e.Data.Log, e.Data.Scale = []string{"x"}, []string{"y"}, []string{"x"}, "none"
	e.Data.SplitBy, e.Data.Context = "point", []int{1, 1}
	s := must.Get(benchmark.Open(e, ""))(t)
	scaling := s.Scaling
	if diff := gocmp.Diff([]rows.Form{{Log: true, Shift: 0.25}}, scaling.XForms); diff != "" {
		t.Fatal(diff)
	}
	raw := []float64{0, 0.25, 24}
	for i, v := range scaling.ModelX(raw) {
		if want := math.Log(raw[i] + 0.25); math.Abs(float64(v)-want) > 1e-6 { // rounded to float32
			t.Errorf("%g: the model sees %v, want %v", raw[i], v, want)
		}
		if back := scaling.RawX([]float64{math.Log(raw[i] + 0.25)}); math.Abs(back[0]-raw[i]) > 1e-14 {
			t.Errorf("%g came back as %g", raw[i], back[0])
		}
	}
	b := datatest.Made(t, s.Train, 0)
	for _, x := range b.X {
		if v := math.Exp(float64(x)) - 0.25; !(v > -1e-6 && v < 24.001) {
			t.Errorf("a batch has x = %v", x)
		}
	}
	l := rows.Layout{X: []string{"x"}, Y: []string{"y"}, XForms: scaling.XForms, YForms: scaling.YForms}
	if _, err := l.ReadX(datatest.CSV(t, "x\n0\n0.1\n")); err != nil {
		t.Error(err)
	}
	if _, err := l.ReadX(datatest.CSV(t, "x\n-1\n")); err == nil || !strings.Contains(err.Error(), "above 0, or 0") {
		t.Errorf("a negative number: %v", err)
	}
	l = rows.Layout{X: []string{"x"}, XForms: []rows.Form{{Log: true}}}
	if _, err := l.ReadX(datatest.CSV(t, "x\n0\n")); err == nil {
		t.Error("a 0 was read where the training had none")
	}
}

// Dates are read if it is clear which number is the day.
func TestDatesOfOtherCountries(t *testing.T) {
	f := rows.Form{Origin: "2024-02-28"}
	for text, days := range map[string]float64{
		"2024-03-01": 2, "2024-3-1": 2, "2024/03/01": 2, "2024.03.01": 2, "01.03.2024": 2, "1.3.2024": 2, "01-Mar-2024": 2, "1-MAR-2024": 2,
		"01mar2024": 2, "1Oct2024": 216, "01-OCT-2024T06:00": 216.25, "2024-03": 2, "2024-03-01 12:00": 2.5, "01.03.2024 12:00:00": 2.5,
		"1.3.2024T12:00Z": 2.5, "2024/3/1 12:00:00+06:00": 2.25, "27.02.2024": -1, "1MAR2024 12:00:43.2": 2.5005,
	} {
		if got, ok := f.Number(text); !ok || math.Abs(got-days) > 1e-9 {
			t.Errorf("%s: %v days, %t; want %v", text, got, ok, days)
		}
	}
	for _, text := range []string{"", "1", "2024", "2024-", "2024-13", "7010-03", "2024-02-30", "30.02.2024", "2024-03/01", "3/4/2024", "03-04-2024", "1.3.24", "1.234.567",
		"1.2345678", "12345678", "2024-03-01 noon", "2024-03-01 ", "2024-03-01T", "1Mar", "01-Mar-24", "2024.123", "2024-W05-1", "March 1, 2024", "٢٠٢٤-٠٣-٠١"} {
		if got, ok := f.Number(text); ok {
			t.Errorf("%q was read as %v days", text, got)
		}
	}
}

// Every refusal names the file, the line, the column and the remedy.
func TestColumnsThatCannotBeRead(t *testing.T) {
	const head = "name,day,diet,x,y\n"
	row := "a,2024-01-01,egg,1,2\n"
	for _, c := range []struct {
		name, text string
		line       int
		key, says  string
		change     func(*config.Data)
	}{
		{name: "log of 0", text: head + row + "a,2024-01-02,egg,2,0\n", line: 3, key: "y", says: "a number above 0"},
		{name: "log of a date", text: head + row, line: 2, key: "day", says: "a number above 0", change: func(d *config.Data) { d.Log = []string{"day"} }},
		{name: "text among numbers", text: head + row + "a,2024-01-02,egg,many,2\n", line: 3, key: "x", says: "data.categories"},
		{name: "a number among dates", text: head + row + row + "a,7,egg,1,2\n", line: 4, key: "day", says: "a date such as 2024-03-01"},
		{name: "a date among numbers", text: head + row + "a,2024-01-02,egg,2024-01-02,2\n", line: 3, key: "x", says: "a finite number (list"},
		{name: "not a date", text: head + "a,2024-13-01,egg,1,2\n", line: 2, key: "day", says: "a finite number or a date"},
		{name: "an unclear date", text: head + "a,3/4/2024,egg,1,2\n", line: 2, key: "day", says: "which number is the day is not clear: write 2024-03-01 or 1.3.2024"},
		{name: "names that are not listed", text: head + row, line: 2, key: "diet", says: "data.categories", change: func(d *config.Data) { d.Categories = nil }},
		{name: "a missing number", text: head + row + "a,2024-01-02,egg,NA,2\n", line: 3, key: "x", says: "data.missing: drop"},
		{name: "a missing name", text: head + row + "a,2024-01-02,,1,2\n", line: 3, key: "diet", says: "data.missing: drop"},
		{name: "nothing left", text: head + "a,2024-01-02,,1,2\n", key: "", says: "a missing cell in each of 1 rows",
			change: func(d *config.Data) { d.Missing = config.Drop }},
		{name: "decimal commas without semicolons", text: head + "a,2024-01-02,egg,\"1,5\",2\n", line: 2, key: "x", says: "decimal commas need semicolons"},
		{name: "thousands", text: strings.ReplaceAll(head, ",", ";") + "a;2024-01-01;egg;1.000,5;2\n", line: 2, key: "x", says: "separators of thousands"},
		{name: "two decimal marks", text: strings.ReplaceAll(head, ",", ";") + "a;2024-01-01;egg;1,5;2.5\n", line: 2, key: "y", says: "a decimal comma, as in line 2"},
		{name: "one name", text: head + strings.Repeat(row+"a,2024-01-02,egg,3,3\nb,2024-01-03,egg,4,4\n", 6), key: "diet", says: "egg in every row",
			change: func(d *config.Data) { d.Scale = "standard" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := datatest.CSV(t, c.text)
			e := awkwardExperiment(path)
			if c.change != nil {
				c.change(&e.Data)
			}
			datatest.RefusedAt(t, e, invalid.Input{File: path, Line: c.line, Key: c.key}, c.says)
		})
	}
	text := head
	for i := range 1100 {
		text += fmt.Sprintf("a,2024-01-01,diet %d,%d,1\n", i, i)
	}
	if _, err := benchmark.Open(awkwardExperiment(datatest.CSV(t, text)), ""); err == nil || !strings.Contains(err.Error(), ":1002: diet") {
		t.Errorf("1100 names: %v", err)
	}
}

// Missing cells drop their rows. The one-hot columns are those of the training part alone: 200
// names are no obstacle, and a name of the test groups has none.
func TestMissingCellsAndManyNames(t *testing.T) {
	text, kept := "name,diet,x,y,note\n", 0
	for f := range 400 {
		for i := range 4 {
			x, diet := fmt.Sprint(i), fmt.Sprintf("d%03d", f/2)
			if i == 3 && f%2 == 0 {
				x = []string{"", "NA", "NaN", "null"}[f/2%4]
			} else {
				kept++
			}
			text += fmt.Sprintf("f%d,%s,%s,%d,\n", f, diet, x, f+i*i)
		}
	}
	e := csvExperiment(datatest.CSV(t, text))
	e.Data.XColumns, e.Data.Categories, e.Data.Missing = []string{"x", "diet"}, []string{"diet"}, config.Drop
	e.Data.Context, e.Data.TrainFraction = []int{1, 1}, 0.75
	s := must.Get(benchmark.Open(e, ""))(t)
	names := s.Scaling.XForms[1].Categories
	dx, _ := s.Dims()
	// A name is absent from the training part if both of its groups are held out: 1 in 16.
	if len(names) < 175 || len(names) > 199 || dx != 1+len(names) {
		t.Errorf("%d names, %d columns of x", len(names), dx)
	}
	unknown, points := 0, 0
	for i := range s.Eval.Count {
		b := datatest.Made(t, s.Eval, i)
		for k := range b.Groups * b.Points {
			points++
			ones := 0
			for _, v := range b.X[k*dx+1:][:dx-1] {
				if v != 0 {
					ones++
				}
			}
			if ones > 1 {
				t.Fatalf("%d ones", ones)
			}
			unknown += 1 - ones
		}
	}
	if want := points / 100 * (200 - len(names)) * 2; unknown == 0 || math.Abs(float64(unknown-want)) > float64(want) {
		t.Errorf("%d of %d points with an unknown name, about %d expected", unknown, points, want)
	}

	scan := must.Get(rows.ScanFile(e.Data, ""))(t)
	if scan.Rows != 1600 || scan.Rows-scan.Dropped != kept || len(scan.Groups) != 400 {
		t.Errorf("%d rows, %d dropped, %d groups", scan.Rows, scan.Dropped, len(scan.Groups))
	}
	diet, _ := scan.Column("diet")
	x, _ := scan.Column("x")
	every := must.Get(rows.ScanFile(config.Data{File: e.Data.File, Group: "name"}, ""))(t)
	note, _ := every.Column("note")
	if diet.Kind != rows.NameColumn || diet.Distinct != 200 || !diet.PerGroup || len(diet.Values) != 200 {
		t.Errorf("diet: %+v", diet)
	}
	if x.Kind != rows.NumberColumn || x.Missing != 200 || x.Least != 0 || x.Most != 3 || x.PerGroup {
		t.Errorf("x: %+v", x)
	}
	if note.Kind != rows.EmptyColumn || note.Missing != 1600 || !note.Constant() {
		t.Errorf("note: %+v", note)
	}
}

// A scan says what the columns of awkward files are, and does not stop at 5,000 groups.
func TestScanOfAwkwardFiles(t *testing.T) {
	for name := range awkward {
		scan := must.Get(rows.ScanFile(config.Data{File: awkwardFile(t, name, true), Group: "name"}, ""))(t)
		kinds := ""
		for _, c := range scan.Columns[:5] {
			kinds += c.Kind + " "
		}
		if kinds != "name date name number number " || scan.Rows != 24 || len(scan.Groups) != 4 {
			t.Errorf("%s: %s, %+v", name, kinds, scan)
		}
		day, _ := scan.Column("day")
		if least, most := day.Span(); least != "2024-02-24" || most != "2024-02-29" {
			t.Errorf("%s: from %s to %s", name, least, most)
		}
	}
	text := []byte("f,x,y,mixed\n")
	for f := range 5000 {
		text = fmt.Appendf(text, "f%d,0,%d,1\nf%d,1,%d,one\n", f, f, f, f)
	}
	path := datatest.CSV(t, string(text))
	scan := must.Get(rows.ScanFile(config.Data{File: path, Group: "f"}, ""))(t)
	y, _ := scan.Column("y")
	mixed, _ := scan.Column("mixed")
	if len(scan.Groups) != 5000 || scan.Groups[4999] != (rows.ScannedGroup{Name: "f4999", Used: 2}) ||
		y.Distinct != rows.MaxDistinct+1 || y.Values != nil || !y.PerGroup || mixed.Kind != rows.MixedColumn || mixed.Odd != path+":3" {
		t.Errorf("%d groups, y %+v, mixed %+v", len(scan.Groups), y, mixed)
	}
	if _, err := rows.ScanFile(config.Data{File: path, Group: "none"}, ""); err == nil {
		t.Error("a scan without the column of groups")
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		benchmark string
		dx, dy    int
		x, y      []string
	}{
		{"speed-flow", 1, 1, []string{"flow"}, []string{"speed"}},
		{"circle", 1, 1, []string{"x"}, []string{"y"}},
		{"svhn", 2, 3, []string{"row", "column"}, []string{"red", "green", "blue"}},
		{"mnist", 2, 1, []string{"row", "column"}, []string{"value"}},
		{"csv", 2, 3, []string{"x1", "x2"}, []string{"y1", "y2", "y3"}},
	} {
		x, y := benchmark.Names(c.benchmark, c.dx, c.dy)
		if diff := gocmp.Diff(c.x, x) + gocmp.Diff(c.y, y); diff != "" {
			t.Error(diff)
		}
	}
}

// A run that trains on dates such as 3/14/2026 reads the whole column before it knows what they are.
func TestTrainingReadsDatesOfTheColumn(t *testing.T) {
	text := "name,x,y\n"
	for f := range 4 {
		for i := range 6 {
			text += fmt.Sprintf("f%d,%d/%d/2026,%d\n", f, 3, 3*i+1, i*i+f)
		}
	}
	e := csvExperiment(datatest.CSV(t, text))
	s := must.Get(benchmark.Open(e, ""))(t)
	want := []rows.Form{{Origin: "2026-03-01", Format: rows.MonthFirst}}
	if diff := gocmp.Diff(want, s.Scaling.XForms); diff != "" {
		t.Error(diff)
	}
	l := rows.Layout{X: []string{"x"}, XForms: want}
	points, err := l.ReadX(datatest.CSV(t, "x\n3/4/2026\n2026-03-04\n"))
	if err != nil || !gocmp.Equal(points[0].X, []float64{3, 3}) {
		t.Errorf("%v, %v", points, err)
	}
}

// Units of axes and of the server's columns.
func TestUnitsOfForms(t *testing.T) {
	for want, f := range map[string]rows.Form{"hours since midnight": {Format: rows.Clock}, "%": {Format: rows.Percent},
		"days since 2026-03-01": {Origin: "2026-03-01", Format: rows.MonthFirst}, "": {}} {
		if got := benchmark.UnitOf("csv", "x", f); got != want {
			t.Errorf("%+v has the unit %q, expected %q", f, got, want)
		}
	}
}
