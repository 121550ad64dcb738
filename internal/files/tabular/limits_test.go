package tabular_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/test/must"
)

// A file of a few kilobytes whose pages state gigabytes is refused before one is unpacked.
func TestSmallFilesOfLargePages(t *testing.T) {
	type row struct{ Sold bool }
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, parquet.PageBufferSize(8<<20), parquet.Compression(&parquet.Zstd))
	rows := make([]row, 1<<16)
	for range 600 { // 39 million, in one page
		must.Do(t, must.Err(w.Write(rows)))
	}
	must.Do(t, w.Close())
	path := filepath.Join(t.TempDir(), "large.parquet")
	must.Do(t, os.WriteFile(path, b.Bytes(), 0o600))
	err := read(path)
	var bad *invalid.Input
	if !errors.As(err, &bad) || bad.File != path || !strings.Contains(err.Error(), "when they are unpacked") {
		t.Errorf("a file of %d bytes: %v", b.Len(), err)
	}
}

// Text in another encoding is refused with its line, wherever the reads of the file end, and compressed too.
// The file is by pyarrow 26; parquet-go 0.32 reads other values than it wrote.
func TestParquetOfLZ4(t *testing.T) {
	var bad *invalid.Input
	if err := read("testdata/lz4.parquet"); !errors.As(err, &bad) || !strings.Contains(err.Error(), "LZ4") {
		t.Errorf("a file compressed by LZ4: %v", err)
	}
}

func TestTextThatIsNotUTF8(t *testing.T) {
	long := strings.Repeat("é,1\n", 40_000)
	for _, c := range []struct {
		text string
		line int // of the first byte that is not UTF-8; 0 for none
	}{
		{"name,y\nJos\xe9,1\n", 2}, {"name,y\n" + long + "Jos\xe9,1\n", 40_002}, {"n,y\n" + long, 0}, {"na,y\n" + long, 0}, {"nam,y\n" + long, 0},
		{"name,y\na,1\nb\xc3", 3}, {"\xff\xfen\x00,\x00y\x00", 0}, {"{\"name\": \"a\"}\n{\"name\": \"Jos\xe9\"}\n", 2},
	} {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write([]byte(c.text))
		_ = z.Close()
		for _, content := range [][]byte{[]byte(c.text), packed.Bytes()} {
			path := filepath.Join(t.TempDir(), "names.csv")
			must.Do(t, os.WriteFile(path, content, 0o600))
			err := read(path)
			var bad *invalid.Input
			if c.line == 0 && err != io.EOF || c.line > 0 && (!errors.As(err, &bad) || bad.File != path || bad.Line != c.line || !strings.Contains(bad.Found, "not UTF-8")) {
				t.Errorf("%.40q: %v, want line %d", c.text, err, c.line)
			}
		}
	}
}

// An output whose ending is that of no form that is written is refused, unless a flag names the form.
func TestEndingsOfOutputs(t *testing.T) {
	for path, ok := range map[string]bool{"a.csv": true, "a": true, "a.jsonl.gz": true, "a.PARQUET": true, "-": true, "/dev/stdout": true, "/dev/fd/3": true,
		"a.xlsx": false, "a.tsv": false, "a.csv.bz2": false, "a.parquet.gz": false} {
		err := tabular.CheckOut("--out", path, "")
		var bad *invalid.Input
		if (err == nil) != ok || err != nil && !errors.As(err, &bad) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := tabular.CheckOut("--out", "a.xlsx", ""); !strings.Contains(err.Error(), `"a.xlsx", expected a name that ends in .csv`) || !strings.Contains(err.Error(), ".parquet") {
		t.Error(err)
	}
	must.Do(t, tabular.CheckOut("--out", "a.txt", tabular.CSV))
}
