package cli_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets/datatest"
)

// fit and predict give the same bytes from every form of a file.
func TestFitReadsAllForms(t *testing.T) {
	results := map[string]string{}
	for _, ending := range datatest.SalesForms {
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
		content, err := os.ReadFile(filepath.Join(fitted, "fit.json"))
		if err != nil {
			t.Fatal(err)
		}
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

// What predict writes in a form, it and others read: the same numbers as in CSV.
func TestPredictWritesAllForms(t *testing.T) {
	dir := t.TempDir()
	fitted := filepath.Join(dir, "fit")
	succeed(t, "fit", kettles(t), "price ~ age + kind | product", "--instant", "--out", fitted)
	targets := write(t, dir, "targets.csv", "product,age,kind\nx,2,new\nx,2,used\n")
	predict := func(name string, more ...string) string {
		out := filepath.Join(dir, name)
		succeed(t, append([]string{"predict", fitted, "--targets", targets, "--modes", "--hdr", "0.5,0.9", "--out", out}, more...)...)
		content, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	for name, magic := range map[string]string{"p.parquet": "PAR1", "p.arrow": "ARROW1", "p.arrows": "\xff\xff\xff\xff", "p.csv.gz": "\x1f\x8b", "p.jsonl.zst": "\x28\xb5\x2f\xfd"} {
		if got := predict(name); !strings.HasPrefix(got, magic) {
			t.Errorf("%s starts with %.6q", name, got)
		}
		// Predictions are a table: the column mean of these is fitted again, as data with the columns of CSV.
		again := acqnp("fit", filepath.Join(dir, name), "mean ~ age | product", "--instant", "--out", filepath.Join(dir, "again"))
		if again.code != 2 || !strings.Contains(again.err, "the same value in every row") {
			t.Errorf("%s: exit code %d, %q, want the refusal of an age that never changes", name, again.code, again.err)
		}
	}
	if got := predict("p.txt", "--format", "parquet"); !bytes.HasPrefix([]byte(got), []byte("PAR1")) {
		t.Errorf("--format parquet writes %.6q", got)
	}
	for _, bad := range [][]string{{"--out", filepath.Join(dir, "p.parquet.gz")}, {"--format", "xlsx"}} {
		o := acqnp(append([]string{"predict", fitted, "--targets", targets}, bad...)...)
		if o.code != 2 || !strings.Contains(o.err, "expected") {
			t.Errorf("%v: exit code %d, %q", bad, o.code, o.err)
		}
	}
}
