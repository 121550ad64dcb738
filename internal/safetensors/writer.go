package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
)

// metadataKey is the one header key that names no tensor.
const metadataKey = "__metadata__"

// maxHeader is the format's own limit on the length of the JSON header, in bytes.
const maxHeader = 100_000_000

// Spec announces a tensor of a file that is written piece by piece.
type Spec struct {
	Name  string
	DType DType
	Shape []int
}

// Writer writes a file whose tensors need not be in memory at once. The header, which comes first, is made from the
// specs; Tensor then takes the tensors one by one in that order.
type Writer struct {
	w     io.Writer
	specs []Spec // those still to come
}

// NewWriter writes the header. Equal arguments give equal bytes: tensors lie in the order given, metadata is sorted by
// key, and spaces pad the header to a multiple of eight bytes.
func NewWriter(w io.Writer, meta map[string]string, specs []Spec) (*Writer, error) {
	header, err := encodeHeader(meta, specs)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	if err := binary.Write(w, binary.LittleEndian, uint64(len(header))); err != nil {
		return nil, err
	}
	if _, err := w.Write(header); err != nil {
		return nil, err
	}
	return &Writer{w: w, specs: specs}, nil
}

// Tensor writes the next tensor, which must be as announced.
func (w *Writer) Tensor(t Tensor) error {
	if len(w.specs) == 0 {
		return fmt.Errorf("safetensors: tensor %q was not announced", t.Name)
	}
	next := w.specs[0]
	size, _ := byteSize(next.DType, next.Shape)
	if t.Name != next.Name || t.DType != next.DType || !slices.Equal(t.Shape, next.Shape) || int64(len(t.Data)) != size {
		return fmt.Errorf("safetensors: tensor %q %s %v of %d bytes was announced as %q %s %v of %d bytes",
			t.Name, t.DType, t.Shape, len(t.Data), next.Name, next.DType, next.Shape, size)
	}
	w.specs = w.specs[1:]
	_, err := w.w.Write(t.Data)
	return err
}

// Close reports an error where tensors were announced and not written. It does not close the underlying writer.
func (w *Writer) Close() error {
	if len(w.specs) > 0 {
		return fmt.Errorf("safetensors: tensor %q was announced and not written", w.specs[0].Name)
	}
	return nil
}

// Write writes a whole file: see NewWriter for the order of things. Names must be distinct.
func Write(w io.Writer, meta map[string]string, ts []Tensor) error {
	specs := make([]Spec, len(ts))
	for i, t := range ts {
		specs[i] = Spec{t.Name, t.DType, t.Shape}
	}
	sw, err := NewWriter(w, meta, specs)
	if err != nil {
		return err
	}
	for _, t := range ts {
		if err := sw.Tensor(t); err != nil {
			return err
		}
	}
	return sw.Close()
}

func encodeHeader(meta map[string]string, specs []Spec) ([]byte, error) {
	var b bytes.Buffer
	sep := byte('{')
	if len(meta) > 0 {
		b.WriteString(`{"` + metadataKey + `":`)
		for key, value := range meta {
			if !utf8.ValidString(key) || !utf8.ValidString(value) {
				return nil, fmt.Errorf("metadata %q is not UTF-8", key)
			}
		}
		writeJSON(&b, meta) // encoding/json sorts the keys of a map
		sep = ','
	}
	seen := make(map[string]bool, len(specs))
	var offset int64
	for _, s := range specs {
		size, ok := byteSize(s.DType, s.Shape)
		switch {
		case !ok:
			return nil, fmt.Errorf("tensor %q: no such tensor can be written: type %q, shape %v", s.Name, s.DType, s.Shape)
		case s.Name == metadataKey || !utf8.ValidString(s.Name):
			return nil, fmt.Errorf("tensor %q: not a name", s.Name)
		case seen[s.Name]:
			return nil, fmt.Errorf("tensor %q is there twice", s.Name)
		}
		seen[s.Name] = true
		b.WriteByte(sep)
		sep = ','
		writeJSON(&b, s.Name)
		fmt.Fprintf(&b, `:{"dtype":"%s","shape":`, s.DType)
		writeJSON(&b, append([]int{}, s.Shape...))
		fmt.Fprintf(&b, `,"data_offsets":[%d,%d]}`, offset, offset+size)
		offset += size
	}
	if sep == '{' {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	for b.Len()%8 != 0 {
		b.WriteByte(' ')
	}
	if b.Len() > maxHeader {
		return nil, errors.New("the header would be longer than the format allows")
	}
	return b.Bytes(), nil
}

// writeJSON appends a string, a list of integers or a map of strings, which always encode.
func writeJSON(b *bytes.Buffer, v any) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	b.Truncate(b.Len() - 1) // the newline that Encode adds
}
