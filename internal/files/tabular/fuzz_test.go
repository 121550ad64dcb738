package tabular_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/test/must"
)

// Reading arbitrary bytes gives rows with a field for each name, or an *invalid.Input, and no panic.

func FuzzParquet(f *testing.F) { fuzz(f, ".parquet") }

func FuzzJSONLines(f *testing.F) {
	for _, text := range []string{`[{"x":1},{"x":null}]`, `{"x":{"y":[{}]}}`, "{\"x\":1}\n[2]", `{"x":1}{"x":1,"x":2}`, `{"":1}`, `{"x":"\ud800"}`, `[[[[`} {
		f.Add([]byte(text))
	}
	fuzz(f, ".jsonl")
}

func FuzzCompressed(f *testing.F) { fuzz(f, ".csv.gz", ".csv.zst") }

// mostRows bounds the rows that a fuzz test reads: a short compressed file may have very many.
const mostRows = 100_000

func fuzz(f *testing.F, endings ...string) {
	for _, ending := range endings {
		for _, rows := range []int{0, 1, 30} {
			var b bytes.Buffer
			must.Do(f, datatest.WriteSales(&b, ending, rows))
			f.Add(b.Bytes())
			f.Add(b.Bytes()[:b.Len()/2])
		}
	}
	path := filepath.Join(f.TempDir(), "fuzz")
	f.Fuzz(func(t *testing.T, content []byte) {
		must.Do(t, os.WriteFile(path, content, 0o600))
		if err := read(path); err != nil && err != io.EOF {
			must.Refuse(t, err)
		}
	})
}

// read reads a table to its end, and returns why it ended.
func read(path string) error {
	file, err := tabular.Open(path, "a table")
	if err != nil {
		return err
	}
	defer file.Close()
	rows := file.Rows
	if rows == nil {
		text := bufio.NewReader(file.Text)
		if !tabular.IsJSON(text) {
			_, err := io.CopyN(io.Discard, text, 1<<24)
			return err
		}
		rows = tabular.NewJSON(path, text)
	}
	header, err := rows.Read()
	names := len(header)
	for n := 0; err == nil && n < mostRows; n++ {
		var fields []string
		if fields, err = rows.Read(); err == nil && len(fields) != names {
			return errors.New("a row of another length than the header")
		}
	}
	return err
}
