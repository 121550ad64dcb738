package rows_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/test/must"
)

func TestReadPoints(t *testing.T) {
	one := func(n int, x, y []float64) []points.Group {
		return []points.Group{{Points: points.New(len(x)/n, len(y)/n, x, y)}}
	}
	cases := []struct {
		name    string
		content string
		x, y    []string
		want    []points.Group
	}{
		{"own names", "flow,speed\n1,2\n3,4.5e1\n", []string{"flow"}, []string{"speed"}, one(2, []float64{1, 3}, []float64{2, 45})},
		{"letters", "y,x\n2,1\n", []string{"flow"}, []string{"speed"}, one(1, []float64{1}, []float64{2})},
		{"numbered", "x1,y1\n1,2\n", []string{"flow"}, []string{"speed"}, one(1, []float64{1}, []float64{2})},
		{"own names come first", "x,flow,y1\n9,1,2\n", []string{"flow"}, []string{"speed"}, one(1, []float64{1}, []float64{2})},
		{"many columns", "y2,x2,y3,x1,y1\n12,2,13,1,11\n", []string{"i", "j"}, []string{"r", "g", "b"},
			one(1, []float64{1, 2}, []float64{11, 12, 13})},
		{"as R writes it", "\"\",\"flow\",\"speed\"\r\n\"1\",1,2\r\n\"2\",3,4", []string{"flow"}, []string{"speed"},
			one(2, []float64{1, 3}, []float64{2, 4})},
		{"as a spreadsheet writes it", "\ufeffx,y\r\n1,2\r\n", []string{"x"}, []string{"y"}, one(1, []float64{1}, []float64{2})},
		{"spaces and blank lines", "x , y\n 1 , -2\n\n\n3,4\n", []string{"x"}, []string{"y"}, one(2, []float64{1, 3}, []float64{-2, 4})},
		{"with the line of Excel", "sep=;\r\nx;y\r\n1,5;2\r\n", []string{"x"}, []string{"y"}, one(1, []float64{1.5}, []float64{2})},
		{"with that line in quotes", "\"sep=|\"\nx|y\n1|2\n", []string{"x"}, []string{"y"}, one(1, []float64{1}, []float64{2})},
		{"commas at the ends of lines", "x,y,\n1,2,\n3,4,\n", []string{"x"}, []string{"y"}, one(2, []float64{1, 3}, []float64{2, 4})},
		{"commas at the ends of rows", "x,y\n1,2,\n3,4,\n", []string{"x"}, []string{"y"}, one(2, []float64{1, 3}, []float64{2, 4})},
		{"names of rows", "x,y\n\"1\",1,2\n\"3\",3,4\n", []string{"x"}, []string{"y"}, one(2, []float64{1, 3}, []float64{2, 4})},
		{"names of rows that are words", "x,y\nMazda RX4,1,2\nFiat 128,3,4\n", []string{"x"}, []string{"y"}, one(2, []float64{1, 3}, []float64{2, 4})},
		{"no y asked for", "x\n1\n2\n", []string{"x"}, nil, one(2, []float64{1, 2}, nil)},
		{"other columns", "note,x\nhello,1\n,2\n", []string{"x"}, nil, one(2, []float64{1, 2}, nil)},
		{"groups in the order of their first rows", "group,x,y\nb,1,2\na,3,4\n b ,5,6\n", []string{"x"}, []string{"y"},
			[]points.Group{
				{Name: "b", Points: points.New(1, 1, []float64{1, 5}, []float64{2, 6})},
				{Name: "a", Points: points.New(1, 1, []float64{3}, []float64{4})},
			}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := must.Get((&rows.Layout{X: c.x, Y: c.y, Groups: []string{"group"}}).Read(datatest.CSV(t, c.content)))(t)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadPointsNamesWhatIsWrong(t *testing.T) {
	cases := []struct {
		name, content string
		line          int
		key, says     string
	}{
		{"empty file", "", 0, "", "empty"},
		{"blank lines alone", "\n\n", 0, "", "empty"},
		{"no y", "x,z\n1,2\n", 1, "", `"x, z"`},
		{"another delimiter", "x|y\n1|2\n", 1, "", `"x|y"`},
		{"column twice", "x,y,x\n1,2,3\n", 1, "x", "twice"},
		{"column without a name", "x,y,\n1,2,\n1,2,3\n", 3, "column 3", `found "3", expected a name for the column in the header`},
		{"a comma too many", "x,y\n1,5,2\n1,7,3\n", 3, "", "3 fields, expected 2, as in the header (names of rows"},
		{"a comma in the first number", "x,y\n0.5,7,3\n", 2, "", "3 fields, expected 2, as in the header (names of rows"},
		{"R's table with spaces", "\"x\" \"y\"\n\"1\" 1 2\n", 1, "", "names of columns between commas, semicolons or tabs"},
		{"spaces alone", "x y\n1 2\n", 1, "", "columns are separated by commas, semicolons or tabs"},
		{"wrong line after sep=", "sep=;\nx;y\n1;2\n3;four\n", 4, "y", `"four"`},
		{"header after blank lines", "\n\nx,z\n1,2\n", 3, "", `"x, z"`},
		{"header that is not UTF-8", "x,\xffy\n1,2\n", 1, "", "UTF-8"},
		{"text", "x,y\n1,2\n3,four\n", 3, "y", `"four"`},
		{"empty cell", "x,y\n1,\n", 2, "y", "nothing"},
		{"NaN", "x,y\nNaN,1\n", 2, "x", `"NaN"`},
		{"NA", "x,y\nNA,1\n", 2, "x", `"NA"`},
		{"infinity", "x,y\n1,-Inf\n", 2, "y", `"-Inf"`},
		{"beyond float32", "x,y\n1,1e39\n", 2, "y", `"1e39"`},
		{"beyond float64", "x,y\n1,1e999\n", 2, "y", `"1e999"`},
		{"decimal comma", "x,y\n\"1,5\",2\n", 2, "x", `"1,5"`},
		{"short row", "x,y\n1,2\n3\n", 3, "", "1 field, expected 2, as in the header"},
		{"long row", "x,y\n1,2\n\n3,4,5\n", 4, "", "3 fields, expected 2, as in the header"},
		{"open quote", "x,y\n\"1,2\n", 2, "", "quote"},
		{"stray quote", "x,y\n1\"2,2\n", 2, "", "quote"},
		{"line after a quoted break", "x,y,\"a\nb\"\n1,2,\"c\nd\"\n1,z,3\n", 5, "y", `"z"`},
		{"JSON with a key of its own", "{\"x\":1,\"y\":2}\n{\"x\":2,\"z\":3}\n", 2, "z", "a key that the first object does not have, expected its keys alone: x, y"},
		{"nested JSON", "{\"x\":1,\"y\":{\"value\":2}}\n", 0, "y", "a nested object, expected a number, a text, true, false or null (an object for each row"},
		{"JSON by columns", "{\"x\":[1,2],\"y\":[1,2]}\n", 0, "x", "a nested array"},
		{"JSON in JSON", "{\"data\":[{\"x\":1,\"y\":2}]}\n", 1, "", "an object for each row"},
		{"a limit of detection", "x,y\n1,2\n1,<0.5\n", 3, "y", "0.5, the limit itself: cells such as <50 are for y of acqnp fit alone, beside numbers"},
		{"a currency", "x,y\n1,2\n1,€ 1'250.5\n", 3, "y", "expected 1250.5, without €"},
		{"a unit", "x,y\n1,2\n1,3 kg\n", 3, "y", "expected 3, without kg"},
		{"thousands of Switzerland", "x,y\n1,2\n1,1'234\n", 3, "y", "expected 1234"},
		{"a space that does not break", "x,y\n1,2\n1,1\u00a0234\n", 3, "y", "expected 1234"},
		{"a minus of typographers", "x,y\n1,2\n1,−3\n", 3, "y", "expected -3"},
		{"a duration", "x,y\n1,2\n1,25:30:00\n", 3, "y", "a number of hours such as 25.5"},
		{"group without a name", "x,y,group\n1,2,a\n1,2,\n", 3, "group", "nothing"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := datatest.CSV(t, c.content)
			_, err := (&rows.Layout{X: []string{"x"}, Y: []string{"y"}, Groups: []string{"group"}}).Read(path)
			var bad *invalid.Input
			if !errors.As(err, &bad) {
				t.Fatalf("got %v, want an *invalid.Input", err)
			}
			if bad.File != path || bad.Line != c.line || bad.Key != c.key || !strings.Contains(bad.Error(), c.says) {
				t.Errorf("%q at line %d, key %q; want line %d, key %q and %q", bad.Error(), bad.Line, bad.Key, c.line, c.key, c.says)
			}
		})
	}
	_, err := (&rows.Layout{X: []string{"depth"}, Y: []string{"yield"}}).Read(datatest.CSV(t, "{\"depth\":1}\n{\"depth\":2,\"yield\":3}\n"))
	must.Refuse(t, err, "points.csv:1: found the columns \"depth\", expected a header with yield", "the keys of the first object name the columns")
	for _, path := range []string{t.TempDir(), filepath.Join(t.TempDir(), "absent.csv")} {
		_, err := (&rows.Layout{X: []string{"x"}}).Read(path)
		var bad *invalid.Input
		if !errors.As(err, &bad) || bad.File != path {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A column that is left out because it has no name is said.
func TestColumnsWithoutNamesAreSaid(t *testing.T) {
	for content, want := range map[string]string{
		"x,y,,\n1,2,,\n":               "left out 2 columns without a name and without values",
		"x,y\n\"7\",1,2\n":             "rows have one cell more than the header, as R writes names of rows; the first cell of each is left out",
		"\"\",x,y\n1,1,2\n":            "the first column has no name and is left out",
		"sep=;\nx;y\n1;2\n":            "",
		"index,x,y,note\n1,1,2,cold\n": "",
	} {
		var w warning.Record
		path := datatest.CSV(t, content)
		must.Get((&rows.Layout{X: []string{"x"}, Y: []string{"y"}, Warnings: &w}).Read(path))(t)
		if lines := strings.Join(w.Lines(), "\n"); !strings.Contains(lines, want) || want == "" && lines != "" {
			t.Errorf("%q: said %q, want %q", content, lines, want)
		}
	}
}

// TestReadPointsWithoutRows: a context may be empty, targets may not.
func TestReadPointsWithoutRows(t *testing.T) {
	path := datatest.CSV(t, "x,y\n")
	if all, err := (&rows.Layout{X: []string{"x"}, Y: []string{"y"}}).Read(path); err != nil || len(all) != 0 {
		t.Errorf("a context: %v, %v", all, err)
	}
	_, err := (&rows.Layout{X: []string{"x"}}).ReadX(path)
	must.Refuse(t, err, "header without rows")
}

// Reading arbitrary bytes does not panic, and every group has as many numbers as points.
func FuzzReadPoints(f *testing.F) {
	for _, seed := range []string{
		"", "x,y\n1,2\n", "\ufeff\"\",x,y\r\n\"1\",1,2\r\n", "group,x,y\na,1,2\nb,3,4\n", "x,y\nNaN,1\n", "x,x\n", "x,y\n1\n",
		"x;y\n1,5;2\n", "x\ty\n\t2\n", "x;y\n1.000,5;2\n", "\n\nx;y\n;\n", "x,y\n\"1\n\",2\n", "x,y\n1,\"", "\x00", "x,y,group\n1,2,\n",
	} {
		f.Add([]byte(seed))
	}
	path := filepath.Join(f.TempDir(), "fuzz.csv")
	f.Fuzz(func(t *testing.T, content []byte) {
		must.Do(t, os.WriteFile(path, content, 0o600))
		all, err := (&rows.Layout{X: []string{"x"}, Y: []string{"y"}, Groups: []string{"group"}}).Read(path)
		var bad *invalid.Input
		if err != nil && !errors.As(err, &bad) {
			t.Fatalf("got %v, want an *invalid.Input", err)
		}
		for _, p := range all {
			if p.Len() < 1 || len(p.Y) != p.Len() {
				t.Fatalf("%d points, %d x, %d y", p.Len(), len(p.X), len(p.Y))
			}
		}
	})
}
