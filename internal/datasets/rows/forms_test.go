package rows_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/test/must"
)

// sales writes rows in a form.
func sales(t *testing.T, dir, ending string, rows int) string {
	t.Helper()
	path := filepath.Join(dir, "sales"+ending)
	f, err := os.Create(path)
	if err == nil {
		err = errors.Join(datatest.WriteSales(f, ending, rows), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Every form of a table gives the cells and the points of its CSV file, to the last bit.
func TestAllFormsGiveTheSamePoints(t *testing.T) {
	read := func(ending string) (rows.Scan, []points.Group) {
		path := sales(t, t.TempDir(), ending, 60)
		scan, err := rows.ScanFile(config.Data{File: path, Group: "product", XColumns: []string{"age"}, YColumns: []string{"price"}}, "")
		if err != nil {
			t.Fatal(ending, err)
		}
		for i := range scan.Columns {
			scan.Columns[i].Odd = "" // names the file
		}
		if last := len(scan.Columns) - 1; scan.Columns[last].Name == "tags" {
			scan.Columns = scan.Columns[:last] // a list in the other forms
		}
		layout := rows.Layout{X: []string{"age", "kind", "ratio", "count", "small", "fresh", "sold", "at", "cents"}, Y: []string{"price"},
			XForms: []rows.Form{{}, {Categories: []string{"new", "used"}}, {}, {}, {}, {Categories: []string{"true", "false"}}, {Origin: "2022-01-01"}, {Origin: "2022-01-01"}, {}},
			Groups: []string{"product"}, DropMissing: true}
		points, err := layout.Read(path)
		if err != nil {
			t.Fatal(ending, err)
		}
		return scan, points
	}
	wantScan, wantPoints := read(".csv")
	if wantScan.Dropped == 0 || len(wantPoints) != 10 {
		t.Fatalf("%d rows dropped, %d groups, want some and 10", wantScan.Dropped, len(wantPoints))
	}
	for _, ending := range datatest.SalesForms {
		scan, points := read(ending)
		if diff := cmp.Diff(wantScan, scan); diff != "" {
			t.Errorf("%s: the scan differs: %s", ending, diff)
		}
		if diff := cmp.Diff(wantPoints, points); diff != "" {
			t.Errorf("%s: points differ: %s", ending, diff)
		}
	}
}

// What is wrong with a table is one line that says where.
func TestBadTablesAreRefused(t *testing.T) {
	dir := t.TempDir()
	layout := func(x string) *rows.Layout { return &rows.Layout{X: []string{x}, Y: []string{"price"}} }
	for _, c := range []struct{ ending, x, want string }{
		{".parquet", "tags", "sales.parquet: tags: found the type list or structure, expected a column of numbers, dates, texts or booleans"},
		{".jsonl", "tags", "sales.jsonl: tags: found a nested array, expected a number, a text, true, false or null (an object for each row"},
		{".parquet", "weight", "sales.parquet: found the columns \"product, age"},
		{".parquet", "age", "sales.parquet, row 6: age: found nothing, expected a finite number"},
		{".jsonl", "age", "sales.jsonl:6: age: found nothing"},
		{".csv.gz", "age", "sales.csv.gz:7: age: found nothing"},
		{".parquet", "kind", "sales.parquet, row 1: kind: found \"new\", expected a finite number"},
	} {
		path := sales(t, dir, c.ending, 20)
		_, err := layout(c.x).Read(path)
		must.Refuse(t, err, filepath.Join(dir, c.want))
	}
	for ending, what := range map[string]string{".parquet": "damaged Parquet", ".csv.gz": "damaged gzip", ".csv.zst": "damaged zstd", ".jsonl": "object that ends too early"} {
		path := sales(t, dir, ending, 2000)
		info := must.Get(os.Stat(path))(t)
		must.Do(t, os.Truncate(path, info.Size()/2))
		_, err := (&rows.Layout{X: []string{"count"}, Y: []string{"price"}}).Read(path)
		must.Refuse(t, err, what)
	}
}

// JSON lines have keys in any order and without nulls, and may be an array.
func TestJSONLines(t *testing.T) {
	for text, want := range map[string]string{
		"{\"x\":1,\"y\":2}\n{\"y\":4,\"x\":3}\n":                            "",
		" [ {\"x\":1,\"y\":2},\n{\"x\":3,\"y\":4} ]":                        "",
		"\ufeff{\"x\":1,\"y\":2,\"z\":{\"a\":[1]}}\n{\"x\":3,\"y\":4}\n":    "",
		"{\"x\":1,\"y\":2}\n{\"x\":3}\n":                                    "f.jsonl:2: y: found nothing",
		"{\"x\":1,\"y\":2}\n\n{\"x\":3,\"y\":4,\"z\":5}\n":                  "f.jsonl:3: z: found a key that the first object does not have, expected its keys alone: x, y",
		"{\"x\":1,\"y\":2}\n{\"x\":3,\"x\":4}\n":                            "f.jsonl:2: x: found the key twice",
		"{\"x\":1,\"y\":2}\n{\"x\":[3],\"y\":4}\n":                          "f.jsonl:2: x: found an array",
		"{\"x\":1,\"y\":2}\n[3,4]\n":                                        "f.jsonl:2: found an array, expected one object a line",
		"{\"x\":1,\"y\":2}\n{\"x\":3 \"y\":4}\n":                            "f.jsonl:2: found invalid character '\"' after object key:value pair",
		"{\"x\":1,\"y\":2}\n{\"x\":3,\"y\":":                                "f.jsonl:2: found an object that ends too early",
		"{\"x\":1,\"y\":2}\n{\"x\":\"" + strings.Repeat("a", 17<<20) + "\n": "f.jsonl:2: found a row of more than 16 MiB",
	} {
		path := filepath.Join(t.TempDir(), "f.jsonl")
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		got, err := (&rows.Layout{X: []string{"x"}, Y: []string{"y"}}).Read(path)
		if want != "" {
			must.Refuse(t, err, want)
			continue
		}
		if diff := cmp.Diff([]points.Group{{Points: points.New(1, 1, []float64{1, 3}, []float64{2, 4})}}, got); err != nil || diff != "" {
			t.Errorf("%.60q: %v %s", text, err, diff)
		}
	}
}

// A directory has one table of each name, whatever its form.
func TestADirectoryOfForms(t *testing.T) {
	dir := t.TempDir()
	for name, ending := range map[string]string{"a.csv.gz": ".csv.gz", "b.parquet": ".parquet"} {
		must.Do(t, os.Rename(sales(t, t.TempDir(), ending, 6), filepath.Join(dir, name)))
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("?"), 0o600))
	_, err := rows.ScanFile(config.Data{File: dir}, "")
	must.Refuse(t, err, "b.parquet: found the columns") // a list is a column of CSV alone
	must.Do(t, os.Remove(filepath.Join(dir, "b.parquet")))
	must.Do(t, os.Rename(sales(t, t.TempDir(), ".jsonl", 6), filepath.Join(dir, "a.jsonl")))
	_, err = rows.ScanFile(config.Data{File: dir}, "")
	must.Refuse(t, err, "found both a.csv.gz and a.jsonl, expected one of them")
}
