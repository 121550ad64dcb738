package cli_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets/datatest"
)

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
