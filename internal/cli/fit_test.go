package cli_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// kettles writes a file of 9 products, each with 6 prices that fall with age, of two kinds.
func kettles(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("product,age,kind,price,sold\n")
	for p := range 9 {
		for i := range 6 {
			age, kind := 0.5+float64((p*5+i*3)%8)/2, []string{"new", "used"}[(p+i)%2]
			price := (300 + 40*math.Sin(float64(7*p))) * math.Exp(-0.15*age) * (1 + 0.02*math.Sin(float64(31*p+17*i)))
			if kind == "used" {
				price *= 0.7
			}
			fmt.Fprintf(&b, "p%d,%.1f,%s,%.2f,2024-03-%02d\n", p, age, kind, price, 1+i)
		}
	}
	path := filepath.Join(t.TempDir(), "kettles.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// fit writes a directory of which predict reads; the same file gives the same bytes on one thread and
// on two.
func TestFitAndPredict(t *testing.T) {
	file, dir := kettles(t), t.TempDir()
	var files []string
	for _, threads := range []string{"1", "2"} {
		out := filepath.Join(dir, "fit"+threads)
		succeed(t, "fit", file, "price ~ age + kind | product", "--instant", "--threads", threads, "--out", out)
		content, err := os.ReadFile(filepath.Join(out, "fit.json"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, string(content))
	}
	if files[0] != files[1] {
		t.Error("fit.json depends on the number of threads")
	}
	out := filepath.Join(dir, "out.csv")
	context := write(t, dir, "context.csv", "product,age,kind,price\nx,0.5,new,278\nx,3,used,134\n")
	targets := write(t, dir, "targets.csv", "product,age,kind\nx,2,new\nx,2,used\n")
	succeed(t, "predict", filepath.Join(dir, "fit1"), "--context", context, "--targets", targets, "--out", out)
	o := acqnp("predict", filepath.Join(dir, "fit1"), "--targets", targets, "--out", filepath.Join(dir, "no.csv"), "--levels", "grid")
	if o.code != 2 || !strings.Contains(o.err, "--levels") {
		t.Errorf("--levels of a fit: exit code %d, %q, want 2", o.code, o.err)
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v, want a header and two", len(rows), err)
	}
	// The context says 300·exp(−0.15·age) to 1%, so that the medians are 222 and 156. A tenth is
	// three times the noise of the data and what 9 products leave open.
	column := slices.Index(rows[0], "q0.5")
	for i, want := range []float64{222, 156} {
		median, err := strconv.ParseFloat(rows[i+1][column], 64)
		if err != nil || math.Abs(median-want) > want/10 {
			t.Errorf("the median of row %d is %s, want %v ± 10%%", i, rows[i+1][column], want)
		}
	}
}

func TestFitRefusesWhatItCannotUse(t *testing.T) {
	file := kettles(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{file, "price", "--instant"}, "without '~'"},
		{[]string{file, "price ~ weight | product", "--instant"}, "weight"},
		{[]string{file, "kind ~ age | product", "--instant"}, "kind: found names"},
		{[]string{file, "price ~ log(kind) | product", "--instant"}, "a logarithm of names"},
		{[]string{file + ".gone", "price ~ age | product", "--instant"}, "no such file"},
		{[]string{file, "price ~ age | product", "--instant", "--out", file, "--overwrite"}, "which is a file"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		args := append([]string{"fit", "--out", out}, c.args...)
		if o := acqnp(args...); o.code != 2 || !strings.Contains(o.err, c.want) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%v: exit code %d, %q, want 2 and %q in one line", c.args, o.code, o.err, c.want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%v: the directory of the result is left", c.args)
		}
	}
}
