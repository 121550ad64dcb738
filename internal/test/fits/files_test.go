package fits

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/cli"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/test/must"
)

// run runs a command and returns what it prints and its exit code.
func run(args ...string) (out, said string, code int) {
	var o, e bytes.Buffer
	code = cli.Main(args, cli.Streams{In: strings.NewReader(""), Out: &o, Err: &e})
	return o.String(), e.String(), code
}

// succeed runs a command that must exit with 0, and returns what it prints.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	out, said, code := run(args...)
	if code != 0 {
		t.Fatalf("acqnp %s: exit code %d\n%s", strings.Join(args, " "), code, said)
	}
	return out
}

// readRows reads a CSV file with a header, as cells by column.
func readRows(t *testing.T, path string) (rows []map[string]string) {
	t.Helper()
	all := must.Get(csv.NewReader(strings.NewReader(string(must.Get(os.ReadFile(path))(t)))).ReadAll())(t)
	for _, cells := range all[1:] {
		r := map[string]string{}
		for i, name := range all[0] {
			r[name] = cells[i]
		}
		rows = append(rows, r)
	}
	return rows
}

// The command that fit names next has the digits, dates or times that its grid needs, and works.
func TestTheNextCommandWorks(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, c := range map[string]struct {
		when func(d int) string
		grid string
		last string // x of the last row
	}{
		"seconds": {func(d int) string { return fmt.Sprint(1571000000 + 371*d) }, "--grid=1571000371:1571009275:100", "1571009275"},
		"dates":   {func(d int) string { return fmt.Sprintf("3/%d/2026", d) }, "--grid=2026-03-01:2026-03-25:100", "2026-03-25"},
		"clock":   {func(d int) string { return fmt.Sprintf("%d:30", d-2) }, "--grid=00:30:23:30:100", "23:30"},
		"percent": {func(d int) string { return fmt.Sprintf("%d%%", d) }, "--grid=1:25:100", "25%"},
		"small":   {func(d int) string { return fmt.Sprintf("%.5f", 0.00372*float64(d)) }, "--grid=0.0037:0.093:100", "0.093"},
	} {
		text := "id,when,y\n"
		for g := range 12 {
			for i := range 5 {
				d := 1 + (7*g+5*i)%25
				if name == "clock" {
					d = 2 + (d-1)*23/24
				}
				text += fmt.Sprintf("p%d,%s,%.2f\n", g, c.when(d), 0.4*float64(d)+math.Sin(float64(9*g))+0.3*math.Sin(float64(3*g+5*i)))
			}
		}
		must.Write(t, text, dir, "data.csv")
		out := succeed(t, "fit", "data.csv", "y ~ when | id", "--instant", "--no-picture", "--overwrite", "--quiet")
		if !strings.Contains(out, c.grid+" > predictions.csv") {
			t.Errorf("%s: expected %s in\n%s", name, c.grid, out)
			continue
		}
		succeed(t, "predict", "data.fit", c.grid, "--out", "p.csv", "--overwrite", "--quantiles=", "--hdr=", "--quiet")
		rows := readRows(t, "p.csv")
		if last := rows[len(rows)-1]; len(rows) != 100 || last["when"] != c.last {
			t.Errorf("%s: %d rows, the last is %v, expected x = %s", name, len(rows), last, c.last)
		}
	}
}

// Columns that leave the mixed model of log y without a finite prediction do not end a fit: only models
// whose predictions of y are finite take part.
func TestFitOfManyColumns(t *testing.T) {
	dir := t.TempDir()
	f := must.Get(os.Create(filepath.Join(dir, "sales.csv")))(t)
	defer f.Close()
	must.Do(t, datatest.WriteSales(f, ".csv", 60))
	succeed(t, "fit", f.Name(), "price ~ age + kind + ratio + count + small + fresh + sold + cents | product", "--instant", "--no-picture", "--out", filepath.Join(dir, "fit"))
}

// Files that models cannot use as they are get a prediction, or one line that says what to do.
func TestFitOfAwkwardFiles(t *testing.T) {
	dir := t.TempDir()
	draw := func(rows int, row func(i int) string) string {
		text := "g,x,y\n"
		for i := range rows {
			text += row(i) + "\n"
		}
		return text
	}
	y := func(i int) float64 { return math.Round(100*math.Sin(float64(i*i))) / 100 }
	for name, c := range map[string]struct{ content, refused string }{
		"one group":       {draw(40, func(i int) string { return fmt.Sprintf("a,%d,%v", i%17, y(i)) }), ""},
		"three groups":    {draw(40, func(i int) string { return fmt.Sprintf("g%d,%d,%v", i%3, i%17, y(i)) }), ""},
		"one point each":  {draw(40, func(i int) string { return fmt.Sprintf("g%d,%d,%v", i, i%17, y(i)) }), ""},
		"duplicates of x": {draw(60, func(i int) string { return fmt.Sprintf("g%d,%d,%v", i%12, i/30, y(i)) }), ""},
		"ties of y":       {draw(60, func(i int) string { return fmt.Sprintf("g%d,%d,%d", i%12, i%17, i%2) }), ""},
		"constant y":      {draw(40, func(i int) string { return fmt.Sprintf("g%d,%d,5", i%9, i) }), "y: found the same value in every row"},
		"200 categories":  {draw(400, func(i int) string { return fmt.Sprintf("g%d,c%d,%v", i%9, i%200, y(i)) }), "leave out a column with many names, or write '| COLUMN'"},
		"few rows":        {draw(8, func(i int) string { return fmt.Sprintf("g%d,%d,%v", i%2, i, y(i)) }), "found 8 rows"},
	} {
		file := must.Write(t, c.content, dir, "awkward.csv")
		out := filepath.Join(t.TempDir(), "fit")
		_, said, code := run("fit", file, "y ~ x | g", "--out", out, "--quiet", "--budget", "0.2")
		if c.refused != "" {
			if code != 2 || !strings.Contains(said, c.refused) || strings.Count(said, "\n") != 1 {
				t.Errorf("%s: exit code %d, %q, want 2 and %q in one line", name, code, said, c.refused)
			}
			continue
		}
		if code != 0 {
			t.Errorf("%s: exit code %d, %s", name, code, said)
			continue
		}
		succeed(t, "predict", out, "--context", file, "--grid=1:9:3", "--out", filepath.Join(out, "p.csv"))
		if content, err := os.ReadFile(filepath.Join(out, "p.csv")); err != nil || strings.Contains(string(content), "NaN") || strings.Contains(string(content), "Inf") {
			t.Errorf("%s: %v, %s", name, err, content)
		}
	}
}

// fit and predict give the same bytes from Parquet as from CSV. Package datasets tests that all forms of a file
// give the same points.
func TestFitReadsParquet(t *testing.T) {
	results := map[string]string{}
	for _, ending := range []string{".csv", ".parquet"} {
		dir := t.TempDir()
		file := filepath.Join(dir, "sales"+ending)
		f, err := os.Create(file)
		if err == nil {
			err = errors.Join(datatest.WriteSales(f, ending, 60), f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		fitted, out := filepath.Join(dir, "fit"), filepath.Join(dir, "out.csv")
		succeed(t, "fit", file, "price ~ sold + kind + ratio | product", "--instant", "--threads", "1", "--out", fitted)
		succeed(t, "predict", fitted, "--context", file, "--targets", file, "--out", out)
		content := must.Get(os.ReadFile(filepath.Join(fitted, "fit.json")))(t)
		results[ending] = strings.Replace(string(content), file, "FILE", 1)
		for _, r := range readRows(t, out) { // whose other columns are texts of the file, which may differ
			for _, name := range []string{"product", "sold", "kind", "ratio", "mean", "q0.05", "hdr0.9"} {
				results[ending] += " " + r[name]
			}
		}
		if results[ending] != results[".csv"] {
			t.Errorf("the fit or the predictions of %s differ from those of CSV", ending)
		}
	}
}
