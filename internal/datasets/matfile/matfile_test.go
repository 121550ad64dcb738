package matfile_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/datasets/matfile"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/test/must"
)

// builder writes .mat files as MATLAB does.
type builder struct {
	content []byte
}

func newBuilder() *builder {
	header := fmt.Sprintf("%-116s", "MATLAB 5.0 MAT-file, Platform: GLNXA64, Created on: Mon Dec  5 21:09:26 2011")
	b := &builder{content: append([]byte(header), make([]byte, 8)...)}
	b.content = binary.LittleEndian.AppendUint16(b.content, 0x0100)
	b.content = binary.LittleEndian.AppendUint16(b.content, 'M'<<8|'I')
	return b
}

// part returns a data element: its tag, its content, and padding to eight bytes. Content of up to
// four bytes goes into the tag.
func (b *builder) part(kind uint32, content []byte) []byte {
	var p []byte
	if n := len(content); n > 0 && n <= 4 {
		p = binary.LittleEndian.AppendUint32(p, uint32(n)<<16|kind)
		return append(append(p, content...), make([]byte, 4-n)...)
	}
	p = binary.LittleEndian.AppendUint32(p, kind)
	p = binary.LittleEndian.AppendUint32(p, uint32(len(content)))
	p = append(p, content...)
	return append(p, make([]byte, (8-len(p)%8)%8)...)
}

// matrix returns a miMATRIX element of a class, with its values stored as a type.
func (b *builder) matrix(name string, class, kind uint32, dims []int, values []byte) []byte {
	var flags, sizes []byte
	flags = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(flags, class), 0)
	for _, d := range dims {
		sizes = binary.LittleEndian.AppendUint32(sizes, uint32(int32(d)))
	}
	content := b.part(6, flags)
	content = append(content, b.part(5, sizes)...)
	content = append(content, b.part(1, []byte(name))...)
	content = append(content, b.part(kind, values)...)
	return b.part(14, content)
}

func (b *builder) plain(element []byte) *builder {
	b.content = append(b.content, element...)
	return b
}

// compressed adds an element as MATLAB 7 writes it: its size is that of the zlib stream, and there
// is no padding.
func (b *builder) compressed(element []byte) *builder {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write(element)
	w.Close()
	b.content = binary.LittleEndian.AppendUint32(b.content, 15)
	b.content = binary.LittleEndian.AppendUint32(b.content, uint32(z.Len()))
	b.content = append(b.content, z.Bytes()...)
	return b
}

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
	b := newBuilder()
	add := b.plain
	if compress {
		add = b.compressed
	}
	add(b.matrix("note", 4, 16, []int{1, 5}, []byte("hello")))
	add(b.matrix("s", 2, 5, []int{1, 1}, counted(64)))
	add(b.matrix("opaque", 17, 1, nil, counted(3)))
	add(b.matrix("a", 6, 9, []int{3, 1}, counted(24)))
	add(b.matrix("X", 9, 2, []int{3, 2, 3, 5}, counted(90)))
	add(b.matrix("y", 9, 2, []int{3, 1}, []byte{10, 1, 2}))
	add(b.matrix("whole", 6, 2, []int{2, 3}, counted(6))) // doubles that MATLAB stores as bytes
	return b.content
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
	little := func() *builder { return newBuilder() }
	good := several(true)
	edited := func(at int, v byte) []byte {
		c := bytes.Clone(good)
		c[at] = v
		return c
	}
	b := little()
	whole := little().compressed(b.matrix("X", 9, 2, []int{8, 1}, counted(8))).content
	lying := b.matrix("X", 9, 2, []int{1, 1 << 29}, counted(90))
	binary.LittleEndian.PutUint32(lying[len(lying)-96-4:], 1<<29) // the size in the tag of the 90 bytes, padded to 96
	for says, content := range map[string][]byte{
		"0 bytes":                           nil,
		"100 bytes":                         good[:100],
		"found a header that ends in":       edited(126, 'x'),
		"expected a little-endian":          append(append(bytes.Clone(good[:126]), "MI"...), good[128:]...),
		"format version 0x200":              edited(125, 2),
		"version 7.3 (HDF5)":                append([]byte("MATLAB 7.3 MAT-file"), good[19:]...),
		"no variable of that name":          little().plain(b.matrix("Y", 9, 2, []int{8, 1}, counted(8))).content,
		"bytes with":                        whole[:len(whole)-1],
		"too early":                         append(little().content, 1, 2, 3),
		"values of type 9":                  little().plain(b.matrix("X", 6, 9, []int{3, 1}, counted(24))).content,
		"8 values for dimensions [2 3]":     little().plain(b.matrix("X", 9, 2, []int{2, 3}, counted(8))).content,
		"a dimension of -1":                 little().plain(b.matrix("X", 9, 2, []int{2, -1}, counted(8))).content,
		"a dimension of 2147483647":         little().plain(b.matrix("X", 9, 2, []int{2, 1<<31 - 1}, counted(8))).content,
		"a dimension of 65536":              little().plain(b.matrix("X", 9, 2, []int{65536, 65536}, counted(8))).content,
		"1 dimensions":                      little().plain(b.matrix("X", 9, 2, []int{8}, counted(8))).content,
		"complex":                           little().plain(b.matrix("X", 0x809, 2, []int{8, 1}, counted(8))).content,
		"an element of 536870912 bytes":     little().plain(lying).content,
		"is broken: an element of 53687091": little().compressed(lying).content,
		"is broken: zlib":                   append(append(little().content, 15, 0, 0, 0, 8, 0, 0, 0), counted(8)...),
		"after its array":                   little().compressed(append(b.matrix("X", 9, 2, []int{8, 1}, counted(8)), make([]byte, 100)...)).content,
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

// The sum of all pixels and the corners of the first and the last frame, as another reader (a dump
// of the file) has them.
func TestRealFile(t *testing.T) {
	shared := os.Getenv("ACQNP_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "..", "shared")
	}
	path := filepath.Join(shared, "data", "freyface", "frey_rawface.mat")
	if _, err := os.Stat(path); err != nil {
		t.Skip("the real data are not there")
	}
	a := must.Get(matfile.Read(path, "ff"))(t)
	if diff := cmp.Diff([]int{560, 1965}, a.Dims); diff != "" {
		t.Error(diff)
	}
	content := must.Get(os.ReadFile(path))(t)
	if !bytes.Equal(a.Data, content[184:184+560*1965]) { // the file's last element, plain
		t.Error("the frames are not the file's bytes")
	}
}

// Reading arbitrary bytes does not panic, and the result is consistent.
func FuzzDecode(f *testing.F) {
	f.Add(several(false))
	f.Add(several(true))
	f.Add([]byte{})
	f.Add(newBuilder().content)
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
