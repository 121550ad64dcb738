package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
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

// WriteHeader writes all of a file before the tensors' bytes, which follow in the order of the specs without gaps. The
// metadata is sorted by key, and spaces pad the header to a multiple of eight bytes. Names must be distinct.
func WriteHeader(w io.Writer, meta map[string]string, specs []Spec) error {
	header, err := encodeHeader(meta, specs)
	if err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	if err := binary.Write(w, binary.LittleEndian, uint64(len(header))); err != nil {
		return err
	}
	_, err = w.Write(header)
	return err
}

// Write writes a whole file, in the order that WriteHeader describes. Names must be distinct.
func Write(w io.Writer, meta map[string]string, ts []Tensor) error {
	specs := make([]Spec, len(ts))
	for i, t := range ts {
		specs[i] = Spec{t.Name, t.DType, t.Shape}
	}
	if err := WriteHeader(w, meta, specs); err != nil {
		return err
	}
	for _, t := range ts {
		if size, _ := byteSize(t.DType, t.Shape); int64(len(t.Data)) != size {
			return fmt.Errorf("safetensors: found %d bytes of tensor %q, expected %d for %s %v", len(t.Data), t.Name, size, t.DType, t.Shape)
		}
		if _, err := w.Write(t.Data); err != nil {
			return err
		}
	}
	return nil
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
