package matfile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/datasets/matfile"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/test/must"
)

func counted(n int) []byte {
	v := make([]byte, n)
	for i := range v {
		v[i] = byte(i * 7)
	}
	return v
}

func read(content []byte, variable string) (matfile.Array, error) {
	return matfile.Decode(bytes.NewReader(content), int64(len(content)), variable)
}

// several returns a file with several variables: text, a structure, numbers of other types, small
// elements, and the bytes that are asked for.
func several(compress bool) []byte {
	file := datatest.PlainMatlab
	if compress {
		file = datatest.Matlab
	}
	return file(datatest.Array("note", 4, 16, []int{1, 5}, []byte("hello")),
		datatest.Array("s", 2, 5, []int{1, 1}, counted(64)),
		datatest.Array("opaque", 17, 1, nil, counted(3)),
		datatest.Array("a", 6, 9, []int{3, 1}, counted(24)),
		datatest.Matrix("X", []int{3, 2, 3, 5}, counted(90)),
		datatest.Matrix("y", []int{3, 1}, []byte{10, 1, 2}),
		datatest.Array("whole", 6, 2, []int{2, 3}, counted(6))) // doubles that MATLAB stores as bytes
}

func TestReadsBytes(t *testing.T) {
	for _, compress := range []bool{false, true} {
		content := several(compress)
		for name, want := range map[string]matfile.Array{
			"X":     {Dims: []int{3, 2, 3, 5}, Data: counted(90)},
			"y":     {Dims: []int{3, 1}, Data: []byte{10, 1, 2}},
			"whole": {Dims: []int{2, 3}, Data: counted(6)},
		} {
			got, err := read(content, name)
			if err != nil {
				t.Errorf("compressed %v, %s: %v", compress, name, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("compressed %v, %s: %s", compress, name, diff)
			}
		}
	}
}

func TestMalformedFilesAreNamed(t *testing.T) {
	plain := datatest.PlainMatlab
	good := several(true)
	edited := func(at int, v byte) []byte {
		c := bytes.Clone(good)
		c[at] = v
		return c
	}
	whole := datatest.Matlab(datatest.Matrix("X", []int{8, 1}, counted(8)))
	lying := datatest.Matrix("X", []int{1, 1 << 29}, counted(90))
	binary.LittleEndian.PutUint32(lying[len(lying)-96-4:], 1<<29) // the size in the tag of the 90 bytes, padded to 96
	for says, content := range map[string][]byte{
		"0 bytes":                           nil,
		"100 bytes":                         good[:100],
		"found a header that ends in":       edited(126, 'x'),
		"expected a little-endian":          append(append(bytes.Clone(good[:126]), "MI"...), good[128:]...),
		"format version 0x200":              edited(125, 2),
		"version 7.3 (HDF5)":                append([]byte("MATLAB 7.3 MAT-file"), good[19:]...),
		"no variable of that name":          plain(datatest.Matrix("Y", []int{8, 1}, counted(8))),
		"bytes with":                        whole[:len(whole)-1],
		"too early":                         append(plain(), 1, 2, 3),
		"values of type 9":                  plain(datatest.Array("X", 6, 9, []int{3, 1}, counted(24))),
		"8 values for dimensions [2 3]":     plain(datatest.Matrix("X", []int{2, 3}, counted(8))),
		"a dimension of -1":                 plain(datatest.Matrix("X", []int{2, -1}, counted(8))),
		"a dimension of 2147483647":         plain(datatest.Matrix("X", []int{2, 1<<31 - 1}, counted(8))),
		"a dimension of 65536":              plain(datatest.Matrix("X", []int{65536, 65536}, counted(8))),
		"1 dimensions":                      plain(datatest.Matrix("X", []int{8}, counted(8))),
		"complex":                           plain(datatest.Array("X", 0x809, 2, []int{8, 1}, counted(8))),
		"an element of 536870912 bytes":     plain(lying),
		"is broken: an element of 53687091": datatest.Matlab(lying),
		"is broken: zlib":                   append(append(plain(), 15, 0, 0, 0, 8, 0, 0, 0), counted(8)...),
		"after its array":                   datatest.Matlab(append(datatest.Matrix("X", []int{8, 1}, counted(8)), make([]byte, 100)...)),
	} {
		_, err := read(content, "X")
		must.Refuse(t, err, says)
	}
	// Every flipped bit within the compressed X is found, at the latest by the checksum.
	start := bytes.LastIndex(good[:len(good)-100], []byte{15, 0, 0, 0}) // X, y and whole come last, X longest
	for at := start + 10; at < start+60; at++ {
		c := edited(at, good[at]^0x10)
		a, err := read(c, "X")
		if err == nil && !bytes.Equal(a.Data, counted(90)) {
			t.Fatalf("byte %d changed, and X with it, without an error", at)
		}
	}
}

func TestReadNamesTheFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.mat")
	must.Do(t, os.WriteFile(path, several(true), 0o600))
	if a, err := matfile.Read(path, "X"); err != nil || len(a.Data) != 90 {
		t.Errorf("read %d bytes, error %v; want 90 bytes", len(a.Data), err)
	}
	for _, c := range []struct{ path, variable string }{{path, "Z"}, {dir, "X"}, {filepath.Join(dir, "none.mat"), "X"}} {
		_, err := matfile.Read(c.path, c.variable)
		var bad *invalid.Input
		if !errors.As(err, &bad) || bad.File != c.path {
			t.Errorf("%s: %v", c.path, err)
		}
	}
}

// Reading arbitrary bytes does not panic, and the result is consistent.
func FuzzDecode(f *testing.F) {
	f.Add(several(false))
	f.Add(several(true))
	f.Add([]byte{})
	f.Add(datatest.PlainMatlab())
	f.Fuzz(func(t *testing.T, content []byte) {
		a, err := read(content, "X")
		var bad *invalid.Input
		if err != nil && !errors.As(err, &bad) {
			t.Fatalf("got %v, want an *invalid.Input", err)
		}
		n := 1
		for _, d := range a.Dims {
			n *= d
		}
		if err == nil && (len(a.Dims) < 2 || n != len(a.Data)) {
			t.Fatalf("dimensions %v, %d bytes", a.Dims, len(a.Data))
		}
	})
}
