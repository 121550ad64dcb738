package cli_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets/datatest"
)

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
		write(t, dir, "data.csv", text)
		o := succeed(t, "fit", "data.csv", "y ~ when | id", "--instant", "--no-picture", "--overwrite", "--quiet")
		if !strings.Contains(o.out, c.grid+" > predictions.csv") {
			t.Errorf("%s: expected %s in\n%s", name, c.grid, o.out)
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
	f, err := os.Create(filepath.Join(dir, "sales.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := datatest.WriteSales(f, ".csv", 60); err != nil {
		t.Fatal(err)
	}
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
		file := write(t, dir, "awkward.csv", c.content)
		out := filepath.Join(t.TempDir(), "fit")
		o := acqnp("fit", file, "y ~ x | g", "--out", out, "--quiet", "--budget", "0.2")
		if c.refused != "" {
			if o.code != 2 || !strings.Contains(o.err, c.refused) || strings.Count(o.err, "\n") != 1 {
				t.Errorf("%s: exit code %d, %q, want 2 and %q in one line", name, o.code, o.err, c.refused)
			}
			continue
		}
		if o.code != 0 {
			t.Errorf("%s: exit code %d, %s", name, o.code, o.err)
			continue
		}
		o = succeed(t, "predict", out, "--context", file, "--grid=1:9:3", "--out", filepath.Join(out, "p.csv"))
		if content, err := os.ReadFile(filepath.Join(out, "p.csv")); err != nil || strings.Contains(string(content), "NaN") || strings.Contains(string(content), "Inf") {
			t.Errorf("%s: %v, %s", name, err, content)
		}
	}
}

// What fit writes is predicted from in pipes, served and drawn; an export refuses it. The server has the
// numbers of predict.
func TestUsesOfAFit(t *testing.T) {
	file, dir := "testdata/kettles.csv", t.TempDir()
	out := filepath.Join(dir, "kettles.fit")
	o := succeed(t, "fit", file, "log(price) ~ age | product", "--budget", "0.3", "--out", out)
	if picture := filepath.Join(out, "fit.png"); !strings.Contains(o.out, picture) || !strings.Contains(o.out, "--grid=0.5:4:100 > predictions.csv") {
		t.Errorf("fit says %q, want %s and the next command", o.out, picture)
	}
	if info, err := os.Stat(filepath.Join(out, "fit.png")); err != nil || info.Size() < 1000 {
		t.Errorf("a picture of %v, %v", info, err)
	}
	cmd, errs := command("predict", out, "--context", "-", "--grid=1:3:2", "--quantiles", "0.25,0.5", "--hdr", "0.5", "--cdf=100:400:3", "--exceed", "250", "--modes", "--quiet")
	cmd.Stdin = strings.NewReader("product,age,price\nx,0.5,278\nx,3,190\n")
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs)
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil || len(rows) != 3 || strings.Join(rows[0][8:], ",") != "q0.25,q0.5,hdr0.5,cdf100,cdf250,cdf400,exceed250,modes" {
		t.Fatalf("%v, standard output is\n%s", err, text)
	}
	number := func(row int, column string) float64 {
		v, err := strconv.ParseFloat(rows[row][slices.Index(rows[0], column)], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for row := 1; row <= 2; row++ {
		if a, b := number(row, "cdf250"), number(row, "exceed250"); math.Abs(a+b-1) > 1e-9 || a < number(row, "cdf100") || a > number(row, "cdf400") {
			t.Errorf("row %d: the probability of up to 250 is %v, of more %v", row, a, b)
		}
	}
	if o := acqnp("export", out, "--out", filepath.Join(dir, "a.onnx")); o.code != 2 || !strings.Contains(o.err, "no export holds its models") || !regexp.MustCompile(`holds its models, .* with 0\.\d`).MatchString(o.err) {
		t.Errorf("export: exit code %d, %q", o.code, o.err)
	}
	if o := acqnp("predict", out, "--context", "-", "--targets", "-"); o.code != 2 || !strings.Contains(o.err, "standard input") {
		t.Errorf("two files in standard input: exit code %d, %q", o.code, o.err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if o := acqnp("serve", out, "--device", "cpu", "--precision", "fp32", "--listen", taken.Addr().String()); o.code == 0 || !strings.Contains(o.err, "--precision fp32 has no effect on it") {
		t.Errorf("a precision that is not used: exit code %d, %q", o.code, o.err)
	}
	_, url, _, _ := served(t, out)
	predicted := fetch(t, url+"/v1/predict", `{"functions": [{"name": "x", "context": {"x": [[0.5], [3]], "y": [[278], [190]]}, "targets": {"x": [[1], [3]]}}], "quantiles": [0.25, 0.5]}`)
	var answer struct {
		Functions []struct {
			Targets []struct {
				Channels []struct{ Quantiles []float64 }
			}
		}
	}
	if err := json.Unmarshal([]byte(predicted), &answer); err != nil {
		t.Fatal(err)
	}
	for i, target := range answer.Functions[0].Targets {
		for k, column := range []string{"q0.25", "q0.5"} {
			if got, want := target.Channels[0].Quantiles[k], number(i+1, column); math.Abs(got-want) > 1e-9*want {
				t.Errorf("target %d: %s is %v on the server, %v in a file", i, column, got, want)
			}
		}
	}
	far := fetch(t, url+"/v1/predict", `{"functions": [{"name": "x", "context": {"x": [], "y": []}, "targets": {"x": [[400]]}}]}`)
	var warned struct{ Warnings []string }
	if err := json.Unmarshal([]byte(far), &warned); err != nil || len(warned.Warnings) != 2 || !strings.Contains(warned.Warnings[1], "age of 1 of 1 target lies outside the data's 0.5 to 4") {
		t.Errorf("a target far from the data: %v, %+v", err, warned)
	}
	fetch(t, url+"/v1/model", "")
}
