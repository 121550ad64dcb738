package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/files/safetensors/safetensorstest"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/test/must"
)

// raw returns a file made by hand: the length of the header, the header, the data.
func raw(header string, data []byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

func save(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.safetensors")
	must.Do(t, os.WriteFile(path, content, 0o600))
	return path
}

func sample() (map[string]string, []safetensors.Tensor) {
	payload := math.Float32frombits(0x7fa12345) // a signalling NaN
	return map[string]string{"z": "last", "a": "<first> \"quoted\"\n", "num_context": "[11,30]"}, []safetensors.Tensor{
		safetensors.F32("w.weight", []int{2, 3}, []float32{1, -2.5, payload, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.Copysign(0, -1))}),
		safetensors.F64("name & \"quotes\"", []int{2}, []float64{math.NaN(), math.Pi}),
		safetensors.I32("scalar", []int{}, []int32{-7}),
		{Name: "step", DType: safetensors.Int64, Shape: []int{1}, Data: []byte{0, 0, 0, 0, 0, 0, 0, 128}},
		safetensors.F32("empty", []int{3, 0, 2}, nil),
	}
}

func TestRoundTripKeepsEveryBit(t *testing.T) {
	meta, tensors := sample()
	var b bytes.Buffer
	must.Do(t, safetensors.Write(&b, meta, tensors))
	readMeta, read := safetensorstest.Read(t, save(t, b.Bytes()))
	if diff := cmp.Diff(meta, readMeta) + cmp.Diff(tensors, read); diff != "" {
		t.Fatal(diff)
	}
	named := func(name string) safetensors.Tensor {
		return read[slices.IndexFunc(read, func(v safetensors.Tensor) bool { return v.Name == name })]
	}
	v := must.Get(named("w.weight").Float32s())(t)
	if got := math.Float32bits(v[2]); got != 0x7fa12345 {
		t.Errorf("the NaN came back as %#x", got)
	}
	if got := math.Float32bits(v[5]); got != 1<<31 {
		t.Errorf("−0 came back as %#x", got)
	}
	scalar := named("scalar")
	if n, err := scalar.Int32s(); err != nil || len(n) != 1 || n[0] != -7 {
		t.Errorf("scalar: %v, %v", n, err)
	}
	if _, err := scalar.Float64s(); err == nil {
		t.Error("I32 was read as F64")
	}
}

// The bytes are as the format's specification describes them, and do not depend on the order of a
// map.
func TestWriteMakesTheFormatsBytes(t *testing.T) {
	meta := map[string]string{"b": "2", "a": "1"}
	ts := []safetensors.Tensor{safetensors.F32("x", []int{1, 2}, []float32{1, 2}), safetensors.I32("n", nil, []int32{3})}
	header := `{"__metadata__":{"a":"1","b":"2"},"x":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},` +
		`"n":{"dtype":"I32","shape":[],"data_offsets":[8,12]}}`
	header += strings.Repeat(" ", (8-len(header)%8)%8)
	want := raw(header, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 3, 0, 0, 0})
	for range 20 {
		var b bytes.Buffer
		must.Do(t, safetensors.Write(&b, meta, ts))
		if diff := cmp.Diff(want, b.Bytes()); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestWriteOfNothingIsReadable(t *testing.T) {
	var b bytes.Buffer
	must.Do(t, safetensors.Write(&b, nil, nil))
	if meta, all := safetensorstest.Read(t, save(t, b.Bytes())); len(meta) != 0 || len(all) != 0 {
		t.Errorf("found %v and %v, want an empty file", meta, all)
	}
}

// Another writer may order tensors and keys as it likes; only the data must lie without gaps.
func TestReadsAnyOrder(t *testing.T) {
	path := save(t, raw(`{"b":{"data_offsets":[4,8],"shape":[1],"dtype":"F32"}, "none":{"dtype":"I64","shape":[0],"data_offsets":[4,4]},
		"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"__metadata__":{"format":"pt"}}   `, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}))
	r := must.Get(safetensors.Open(path))(t)
	defer r.Close()
	must.Same(t, []string{"b", "none", "a"}, r.Names())
	for name, want := range map[string]float32{"a": 1, "b": 2} {
		tensor := must.Get(r.Read(name))(t)
		if v, err := tensor.Float32s(); err != nil || v[0] != want {
			t.Errorf("%s = %v, %v", name, v, err)
		}
	}
	if r.Metadata()["format"] != "pt" {
		t.Errorf("metadata %v", r.Metadata())
	}
	var bad *invalid.Input
	if _, err := r.Read("c"); !errors.As(err, &bad) || bad.Key != "c" || bad.File != path {
		t.Errorf("a missing tensor: %v", err)
	}
}

// Each of these differs from a good file in one thing.
func TestMalformedFilesAreNamed(t *testing.T) {
	one := func(entry string) string { return `{"x":` + entry + `}` }
	four, good := make([]byte, 4), `{"dtype":"F32","shape":[1],"data_offsets":[0,4]}`
	huge := binary.LittleEndian.AppendUint64(nil, 1<<63)
	long := append(binary.LittleEndian.AppendUint64(nil, 100_000_001), one(good)...)
	cases := []struct {
		name, says string // says: a part of the message that only the right check writes
		content    []byte
	}{
		{"no bytes", "0 bytes", nil},
		{"seven bytes", "7 bytes", make([]byte, 7)},
		{"empty header", "header", raw("", nil)},
		{"header length of 2⁶³", "header", append(huge, "{}"...)},
		{"header above the limit", "header", long},
		{"header cut off", "header", raw(one(good), nil)[:20]},
		{"no object", "header", raw(`[]`, nil)},
		{"space before the object", "header", raw(` {}`, nil)},
		{"not UTF-8", "UTF-8", raw("{\"\xff\":"+good+"}", four)},
		{"broken JSON", "JSON", raw(`{"x":{"dtype":"F32"`, four)},
		{"missing comma", "JSON", raw(`{"x":`+good+` "y":`+good+`}`, four)},
		{"bytes after the object", "closing brace", raw(one(good)+"{}", four)},
		{"newline after the object", "closing brace", raw(one(good)+"\n", four)},
		{"duplicate tensor", "twice", raw(`{"x":`+good+`,"x":`+good+`}`, four)},
		{"duplicate tensor by an escape", "twice", raw(`{"x":`+good+`,"\u0078":`+good+`}`, four)},
		{"duplicate metadata", "twice", raw(`{"__metadata__":{},"__metadata__":{}}`, nil)},
		{"duplicate metadata key", "twice", raw(`{"__metadata__":{"a":"1","a":"2"}}`, nil)},
		{"metadata is a list", "__metadata__", raw(`{"__metadata__":[]}`, nil)},
		{"metadata value is a number", "a string", raw(`{"__metadata__":{"a":1}}`, nil)},
		{"metadata value is null", "a string", raw(`{"__metadata__":{"a":null}}`, nil)},
		{"metadata value is an object", "a string", raw(`{"__metadata__":{"a":{}}}`, nil)},
		{"entry is no object", "x", raw(`{"x":3}`, nil)},
		{"unknown key", "extra", raw(one(`{"dtype":"F32","shape":[1],"data_offsets":[0,4],"extra":1}`), four)},
		{"key twice", "shape twice", raw(one(`{"dtype":"F32","shape":[1],"shape":[1],"data_offsets":[0,4]}`), four)},
		{"no shape", "incomplete", raw(one(`{"dtype":"F32","data_offsets":[0,4]}`), four)},
		{"no type", "incomplete", raw(one(`{"shape":[1],"data_offsets":[0,4]}`), four)},
		{"half precision", "F16", raw(one(`{"dtype":"F16","shape":[2],"data_offsets":[0,4]}`), four)},
		{"bfloat16", "BF16", raw(one(`{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}`), four)},
		{"unknown type", "X7", raw(one(`{"dtype":"X7","shape":[1],"data_offsets":[0,4]}`), four)},
		{"type is a number", "supported types", raw(one(`{"dtype":1,"shape":[1],"data_offsets":[0,4]}`), four)},
		{"shape is null", "a list", raw(one(`{"dtype":"F32","shape":null,"data_offsets":[0,4]}`), four)},
		{"negative dimension", `"-1"`, raw(one(`{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}`), four)},
		{"fractional dimension", `"1.5"`, raw(one(`{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}`), four)},
		{"dimension in letters", "size or offset", raw(one(`{"dtype":"F32","shape":["1"],"data_offsets":[0,4]}`), four)},
		{"dimension of 2⁶³", "9223372036854775808", raw(one(`{"dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,4]}`), four)},
		{"shape overflows to 4 bytes", "fits into memory",
			raw(one(`{"dtype":"F32","shape":[4294967296,4294967296,1],"data_offsets":[0,4]}`), four)},
		{"overflow hidden by a zero", "fits into memory",
			raw(one(`{"dtype":"F32","shape":[0,4294967296,4294967296],"data_offsets":[0,0]}`), nil)},
		{"one offset", "1 data_offsets", raw(one(`{"dtype":"F32","shape":[1],"data_offsets":[4]}`), four)},
		{"offsets backwards", "data_offsets [4,0]", raw(one(`{"dtype":"F32","shape":[1],"data_offsets":[4,0]}`), four)},
		{"size against shape", "4 bytes", raw(one(`{"dtype":"F32","shape":[1],"data_offsets":[0,8]}`), make([]byte, 8))},
		{"data cut off", "byte 4", raw(one(good), four[:3])},
		{"data far beyond the file", "byte 4000000000000 of 4,", raw(one(`{"dtype":"F32","shape":[1000000000000],"data_offsets":[0,4000000000000]}`), four)},
		{"trailing bytes", "belong to no tensor", raw(one(good), make([]byte, 5))},
		{"hole before", "byte 4", raw(one(`{"dtype":"F32","shape":[1],"data_offsets":[4,8]}`), make([]byte, 8))},
		{"hole between", "byte 4", raw(`{"x":`+good+`,"y":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}}`, make([]byte, 12))},
		{"overlap", "byte 2", raw(`{"x":`+good+`,"y":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}}`, make([]byte, 6))},
		{"same bytes twice", "byte 0", raw(`{"x":`+good+`,"y":`+good+`}`, four)},
		{"a name with a newline", `a\nb`, raw(`{"a\nb":3}`, nil)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := save(t, c.content)
			_, err := safetensors.Open(path)
			var bad *invalid.Input
			if !errors.As(err, &bad) {
				t.Fatalf("got %v, want an *invalid.Input", err)
			}
			if bad.File != path || !strings.Contains(bad.Error(), c.says) || strings.Contains(bad.Error(), "\n") {
				t.Errorf("%q should name the file and say %q in one line", bad.Error(), c.says)
			}
		})
	}
}

func TestOpenRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "absent"), os.DevNull} {
		_, err := safetensors.Open(path)
		var bad *invalid.Input
		if !errors.As(err, &bad) || bad.File != path {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestWriteRefusesWhatCannotBeRead(t *testing.T) {
	x := safetensors.F32("x", []int{1}, []float32{1})
	for name, ts := range map[string][]safetensors.Tensor{
		"twice":         {x, x},
		"metadata":      {safetensors.F32("__metadata__", []int{1}, []float32{1})},
		"not UTF-8":     {safetensors.F32("\xff", []int{1}, []float32{1})},
		"type":          {{Name: "h", DType: "F16", Shape: []int{2}, Data: make([]byte, 4)}},
		"negative":      {safetensors.F32("x", []int{-1}, []float32{1})},
		"wrong product": {safetensors.F32("x", []int{2, 2}, []float32{1})},
	} {
		if err := safetensors.Write(&bytes.Buffer{}, nil, ts); err == nil {
			t.Errorf("%s: written", name)
		}
	}
	if err := safetensors.Write(&bytes.Buffer{}, map[string]string{"a": "\xff"}, nil); err == nil {
		t.Error("metadata that is not UTF-8: written")
	}
}

// Reading arbitrary bytes does not panic. A file that is accepted can be written and read again,
// unchanged.
func FuzzRead(f *testing.F) {
	meta, tensors := sample()
	var b bytes.Buffer
	must.Do(f, safetensors.Write(&b, meta, tensors))
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:b.Len()-1])
	f.Add(raw(`{}`, nil))
	f.Add(raw(`{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}  `, make([]byte, 4)))
	f.Add(raw(`{"x":{"dtype":"F32","shape":[4294967296,4294967296,1],"data_offsets":[0,4]}}`, make([]byte, 4)))
	f.Add(raw(`{"x":{"dtype":"I64","shape":[0],"data_offsets":[0,0]},"__metadata__":{"a":"\ud800"}}`, nil))
	f.Add(raw(`{"":{"dtype":"I32","shape":[],"data_offsets":[0,4]},"y":{"dtype":"I32","shape":[],"data_offsets":[2,6]}}`, make([]byte, 6)))
	f.Fuzz(func(t *testing.T, content []byte) {
		read := func(content []byte) (*safetensors.Reader, []safetensors.Tensor, error) {
			r, err := safetensors.NewReader(bytes.NewReader(content), int64(len(content)), "fuzz")
			if err != nil {
				var bad *invalid.Input
				if !errors.As(err, &bad) || bad.File != "fuzz" {
					t.Fatalf("got %v, want an *invalid.Input with the file", err)
				}
				return nil, nil, err
			}
			var ts []safetensors.Tensor
			for _, name := range r.Names() {
				tensor := must.Get(r.Read(name))(t)
				ts = append(ts, tensor)
			}
			return r, ts, nil
		}
		r, ts, err := read(content)
		if err != nil {
			return
		}
		var again bytes.Buffer
		must.Do(t, safetensors.Write(&again, r.Metadata(), ts))
		r2, ts2, err := read(again.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(ts, ts2) + cmp.Diff(r.Metadata(), r2.Metadata()); diff != "" {
			t.Fatal(diff)
		}
	})
}
