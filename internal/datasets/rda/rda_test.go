package rda_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/datasets/rda"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/test/must"
)

// writer writes R's serialisation, as R Internals describes it.
type writer struct {
	bytes.Buffer
	symbols []string
}

func (w *writer) int(v ...int) {
	for _, v := range v {
		w.Write(binary.BigEndian.AppendUint32(nil, uint32(int32(v))))
	}
}

func (w *writer) char(s string) {
	w.int(1<<18|9, len(s)) // level 64: ASCII
	w.WriteString(s)
}

func (w *writer) symbol(s string) {
	for i, known := range w.symbols {
		if known == s {
			w.int((i+1)<<8 | 255)
			return
		}
	}
	w.symbols = append(w.symbols, s)
	w.int(1)
	w.char(s)
}

func (w *writer) reals(flags int, v ...float64) {
	w.int(14|flags, len(v))
	for _, v := range v {
		w.Write(binary.BigEndian.AppendUint64(nil, math.Float64bits(v)))
	}
}

func (w *writer) ints(flags int, v ...int) {
	w.int(13|flags, len(v))
	w.int(v...)
}

func (w *writer) texts(v ...string) {
	w.int(16, len(v))
	for _, s := range v {
		w.char(s)
	}
}

const (
	attributes, isObject = 1 << 9, 1 << 8
	tagged               = 2 | 1<<10 // a pairlist cell with a tag
	end                  = 254
	missing              = math.MinInt32
)

// header starts a file of version 2 or 3.
func header(version int) *writer {
	w := &writer{}
	w.WriteString("RDX" + strconv.Itoa(version) + "\nX\n")
	w.int(version, 0x40301, 0x20300)
	if version == 3 {
		w.int(5)
		w.WriteString("UTF-8")
	}
	return w
}

// frameEnd writes the attributes of a data frame: names, class, compact row names.
func (w *writer) frameEnd(rows int, names ...string) {
	w.int(tagged)
	w.symbol("names")
	w.texts(names...)
	w.int(tagged)
	w.symbol("class")
	w.texts("data.frame")
	w.int(tagged)
	w.symbol("row.names")
	w.ints(0, missing, -rows)
	w.int(end)
}

// twoFrames returns save(a, ignored, b): numbers with NA, a factor and text; a vector with
// attributes; a frame of one column.
func twoFrames(version int) []byte {
	w := header(version)
	w.int(tagged)
	w.symbol("a")
	w.int(19|attributes|isObject, 4)
	w.reals(0, 1.5, math.Inf(1))
	w.ints(0, 7, missing)
	w.ints(attributes|isObject, 1, 2) // a factor
	w.int(tagged)
	w.symbol("levels")
	w.texts("lo", "hi")
	w.int(tagged)
	w.symbol("class")
	w.texts("factor")
	w.int(end)
	w.texts("text", "more")
	w.frameEnd(2, "x", "n", "f", "t")
	w.int(tagged)
	w.symbol("ignored")
	w.reals(attributes, 1, 2, 3)
	w.int(tagged)
	w.symbol("tsp")
	w.reals(0, 1, 3, 1)
	w.int(end)
	w.int(tagged)
	w.symbol("b")
	w.int(19|attributes|isObject, 1)
	w.reals(0, 2, 4, 8)
	w.frameEnd(3, "y")
	w.int(end)
	return w.Bytes()
}

func TestReadsDataFrames(t *testing.T) {
	want := rda.Frames{"a": {"x": {1.5, math.Inf(1)}, "n": {7, math.NaN()}}, "b": {"y": {2, 4, 8}}} // neither factors nor text
	for name, content := range map[string][]byte{
		"version 2": twoFrames(2), "version 3": twoFrames(3), "gzip": datatest.Gzip(twoFrames(2)),
	} {
		got, err := rda.Decode(bytes.NewReader(content))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// object returns a file whose only object is what fill writes.
func object(version int, fill func(w *writer)) []byte {
	w := header(version)
	w.int(tagged)
	w.symbol("o")
	fill(w)
	w.int(end)
	return w.Bytes()
}

func TestMalformedFilesAreNamed(t *testing.T) {
	good := twoFrames(2)
	corrupt := datatest.Gzip(good)
	corrupt[len(corrupt)-6] ^= 1 // the checksum
	cases := []struct {
		name, says string
		content    []byte
	}{
		{"empty", "binary form", nil},
		{"short", "binary form", []byte("RDX")},
		{"something else", "binary form", []byte("flow,speed\n1,2\n")},
		{"text form", "binary form", []byte("RDA2\nA\n2\n")},
		{"xz", "gzip", []byte("\xfd7zXZ\x00rest")},
		{"gzip alone", "compression", []byte{0x1f, 0x8b}},
		{"gzip cut off", "compression", datatest.Gzip(good)[:100]},
		{"gzip checksum", "compression", corrupt},
		{"bzip2 of nothing", "compression", []byte("BZh9garbage")},
		{"decompression bomb", "MiB", datatest.Gzip(make([]byte, 65<<20))},
		{"versions differ", "version 3", append([]byte("RDX2\nX\n"), twoFrames(3)[7:]...)},
		{"cut off", "byte", good[:len(good)-9]},
		{"bytes after the end", "after the last object", append(good[:len(good):len(good)], 0)},
		{"no list", "type 14", func() []byte { w := header(2); w.reals(0, 1); return w.Bytes() }()},
		{"negative length", "length -3", object(2, func(w *writer) { w.int(14, -3) })},
		{"long vector", "length -1", object(2, func(w *writer) { w.int(14, -1, 1, 0) })},
		{"length beyond the file", "length 2147483647", object(2, func(w *writer) { w.int(19, math.MaxInt32) })},
		{"a closure", "type 3", object(2, func(w *writer) { w.int(3) })},
		{"an environment", "type 4", object(2, func(w *writer) { w.int(4, 0) })},
		{"reference to nothing", "reference", object(2, func(w *writer) { w.int(9<<8 | 255) })},
		{"negative reference", "reference", object(2, func(w *writer) { w.int(255, -1) })},
		{"number among strings", "type 14", object(2, func(w *writer) { w.int(16, 1); w.reals(0, 1) })},
		{"attributes are no list", "attributes", object(2, func(w *writer) { w.reals(attributes, 1); w.reals(0, 1) })},
		{"too deep", "nested", object(2, func(w *writer) {
			for range 1000 {
				w.int(19, 1)
			}
		})},
		{"an alternative representation", "type 238", object(3, func(w *writer) { w.int(238) })},
		{"columns without names", "names", object(2, func(w *writer) {
			w.int(19|attributes, 2)
			w.reals(0, 1)
			w.reals(0, 1)
			w.frameEnd(1, "x")
		})},
		{"columns of different length", "rows", object(2, func(w *writer) {
			w.int(19|attributes, 2)
			w.reals(0, 1)
			w.reals(0, 1, 2)
			w.frameEnd(1, "x", "y")
		})},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file.rda")
			must.Do(t, os.WriteFile(path, c.content, 0o600))
			_, err := rda.Read(path)
			var bad *invalid.Input
			if !errors.As(err, &bad) {
				t.Fatalf("got %v, want an *invalid.Input", err)
			}
			if bad.File != path || !strings.Contains(bad.Error(), c.says) {
				t.Errorf("%q should name the file and say %q", bad.Error(), c.says)
			}
		})
	}
	for _, path := range []string{filepath.Join(t.TempDir(), "absent.rda"), t.TempDir(), os.DevNull} {
		_, err := rda.Read(path)
		var bad *invalid.Input
		if !errors.As(err, &bad) || bad.File != path {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Reading arbitrary bytes does not panic, and the numeric columns of a frame have the same length.
func FuzzDecode(f *testing.F) {
	f.Add(twoFrames(2))
	f.Add(twoFrames(3))
	f.Add(datatest.Gzip(twoFrames(2)))
	f.Add([]byte("BZh9"))
	f.Add(object(2, func(w *writer) { w.int(255, 1) }))
	f.Add(object(2, func(w *writer) { w.int(19, 1, 19, 1, 2, 254) }))
	f.Fuzz(func(t *testing.T, content []byte) {
		frames, err := rda.Decode(bytes.NewReader(content))
		var bad *invalid.Input
		if err != nil && !errors.As(err, &bad) {
			t.Fatalf("got %v, want an *invalid.Input", err)
		}
		for name, frame := range frames {
			rows := -1
			for _, values := range frame {
				if rows >= 0 && len(values) != rows {
					t.Fatalf("%q has columns of %d and of %d rows", name, rows, len(values))
				}
				rows = len(values)
			}
		}
	})
}
