package tabular_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/test/must"
)

// zipped returns an archive of empty files.
func zipped(t *testing.T, names ...string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		must.Get(z.Create(name))(t)
	}
	must.Do(t, z.Close())
	return b.String()
}

// Files that other programs made are refused with what they are and what helps, also if they are compressed.
func TestFilesOfOtherPrograms(t *testing.T) {
	var tarred bytes.Buffer
	w := tar.NewWriter(&tarred)
	must.Do(t, w.WriteHeader(&tar.Header{Name: "trees.csv"}), w.Close())
	for content, want := range map[string]string{
		zipped(t, "[Content_Types].xml", "xl/workbook.xml"): "an Excel workbook, expected CSV",
		zipped(t, "docProps/app.xml", "xl/workbook.xml"):    "an Excel workbook, expected CSV",
		zipped(t, "trees.csv"):                              "a zip archive, expected the file in it",
		zipped(t):                                           "an empty zip archive",
		zipped(t, "x.npy", "y.npy"):                         "NumPy's arrays",
		"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":                  "an Excel workbook (.xls)",
		"\xfd7zXZ\x00\x00\x04":                              "compressed by xz, expected CSV: unpack it with xz -d",
		"BZh91AY&SY\x00":                                    "compressed by bzip2",
		"SQLite format 3\x00\x10":                           "an SQLite database, expected CSV, as sqlite3",
		"r\x02\x01\x00\x03\x00":                             "a Stata file",
		"<stata_dta><header>":                               "a Stata file",
		"\x80\x04\x95\x00\x00":                              "a pickle",
		"RDX3\nX\n\x00\x00":                                 "an R file",
		"<!DOCTYPE html>\n<title>404</title>":               "a web page",
		tarred.String():                                     "a tar archive",
	} {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_ = must.Get(io.WriteString(z, content))(t)
		must.Do(t, z.Close())
		for _, c := range []string{content, packed.String()} {
			path := filepath.Join(t.TempDir(), "trees.csv")
			must.Do(t, os.WriteFile(path, []byte(c), 0o600))
			must.Refuse(t, must.Err(tabular.Open(path, "a table")), path+": found ", want)
		}
	}
}

// Text in UTF-16 with its mark is read, and without one it is refused with its line.
func TestTextInUTF16(t *testing.T) {
	const text = "Ort\ty\nMünchen\t1\n"
	for name, order := range map[string]unicode.Endianness{"little": unicode.LittleEndian, "big": unicode.BigEndian} {
		for _, mark := range []unicode.BOMPolicy{unicode.UseBOM, unicode.IgnoreBOM} {
			path := filepath.Join(t.TempDir(), "orte.txt")
			content := must.Get(unicode.UTF16(order, mark).NewEncoder().String(text))(t)
			must.Do(t, os.WriteFile(path, []byte(content), 0o600))
			if mark == unicode.IgnoreBOM {
				must.Refuse(t, read(path), "orte.txt:1: found ", "UTF-16 that begins with its mark")
				continue
			}
			file := must.Get(tabular.Open(path, "a table"))(t)
			if got := string(must.Get(io.ReadAll(file.Text))(t)); got != text {
				t.Errorf("%s: read %q, want %q", name, got, text)
			}
			must.Do(t, file.Close())
		}
	}
}
