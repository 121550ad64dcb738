package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
)

// metadataKey is the key of the metadata in the header. All other keys are names of tensors.
const metadataKey = "__metadata__"

// maxHeader is the format's limit on the length of the header, in bytes.
const maxHeader = 100_000_000

// Spec is a tensor without its data.
type Spec struct {
	Name  string
	DType DType
	Shape []int
}

// Writer writes a file one tensor at a time, so the tensors need not be in memory at once.
// NewWriter writes the header from the specs. Then the method Tensor writes the tensors, in the
// same order.
type Writer struct {
	w     io.Writer
	specs []Spec // of the tensors not yet written
}

// NewWriter writes the header. The tensors keep the order of the specs, the metadata is sorted by
// key, and spaces pad the header to a multiple of eight bytes. Names must be distinct.
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

// Tensor writes the next tensor. It must match the next spec.
func (w *Writer) Tensor(t Tensor) error {
	if len(w.specs) == 0 {
		return fmt.Errorf("safetensors: found tensor %q after the last one of the specs", t.Name)
	}
	next := w.specs[0]
	size, _ := byteSize(next.DType, next.Shape)
	if t.Name != next.Name || t.DType != next.DType || !slices.Equal(t.Shape, next.Shape) || int64(len(t.Data)) != size {
		return fmt.Errorf("safetensors: found tensor %q %s %v of %d bytes, expected %q %s %v of %d bytes as in the specs",
			t.Name, t.DType, t.Shape, len(t.Data), next.Name, next.DType, next.Shape, size)
	}
	w.specs = w.specs[1:]
	_, err := w.w.Write(t.Data)
	return err
}

// Close returns an error if a tensor of the specs was not written. It does not close the underlying
// writer.
func (w *Writer) Close() error {
	if len(w.specs) > 0 {
		return fmt.Errorf("safetensors: tensor %q of the specs was not written", w.specs[0].Name)
	}
	return nil
}

// Write writes a whole file, in the order that NewWriter describes. Names must be distinct.
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

// encodeHeader returns the header in JSON, padded with spaces.
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
			return nil, fmt.Errorf("tensor %q: cannot write type %q, shape %v", s.Name, s.DType, s.Shape)
		case s.Name == metadataKey || !utf8.ValidString(s.Name):
			return nil, fmt.Errorf("tensor %q: found an invalid name, expected UTF-8 other than "+metadataKey, s.Name)
		case seen[s.Name]:
			return nil, fmt.Errorf("tensor %q: found the name twice, expected distinct names", s.Name)
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
		return nil, fmt.Errorf("found a header of %d bytes, expected at most %d", b.Len(), maxHeader)
	}
	return b.Bytes(), nil
}

// writeJSON appends a string, a list of integers or a map of strings. Encoding them cannot fail.
func writeJSON(b *bytes.Buffer, v any) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	b.Truncate(b.Len() - 1) // the newline that Encode adds
}
