package safetensors

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/acqnp/acqnp/internal/invalid"
)

// ChecksumKey is the metadata key that holds the checksum of a file.
const ChecksumKey = "sha256"

// Checksum returns a SHA-256 sum in hexadecimal. It covers the metadata without ChecksumKey, and
// the name, type, shape and bytes of every tensor. data holds the bytes of all tensors in the order
// of specs.
func Checksum(meta map[string]string, specs []Spec, data io.Reader) (string, error) {
	h := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(meta)) {
		if key != ChecksumKey {
			fmt.Fprintf(h, "%q %q\n", key, meta[key])
		}
	}
	for _, s := range specs {
		fmt.Fprintf(h, "%q %s %v\n", s.Name, s.DType, s.Shape)
		size, _ := byteSize(s.DType, s.Shape)
		if _, err := io.CopyN(h, data, size); err != nil {
			return "", fmt.Errorf("tensor %s: %w", s.Name, err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ChecksumOf returns the Checksum of tensors in memory.
func ChecksumOf(meta map[string]string, ts []Tensor) (string, error) {
	specs, data := make([]Spec, len(ts)), make([]io.Reader, len(ts))
	for i, t := range ts {
		specs[i], data[i] = Spec{t.Name, t.DType, t.Shape}, bytes.NewReader(t.Data)
	}
	return Checksum(meta, specs, io.MultiReader(data...))
}

// Verify compares the file, which it reads a piece at a time, with the checksum in its metadata. If
// they differ, the error is an *invalid.Input; kind names the expected kind of file, such as "tasks
// file". A file without a checksum passes.
func (r *Reader) Verify(kind string) error {
	want, ok := r.Metadata()[ChecksumKey]
	if !ok {
		return nil
	}
	var specs []Spec
	var data []io.Reader
	for _, e := range r.head.entries { // in the order of the header
		specs, data = append(specs, e.Spec), append(data, io.NewSectionReader(r.r, r.start+e.begin, e.end-e.begin))
	}
	got, err := Checksum(r.Metadata(), specs, io.MultiReader(data...))
	if err != nil {
		return unreadable(r.path, err)
	}
	if got != want {
		return &invalid.Input{File: r.path, Key: ChecksumKey, Found: "bytes that do not match the checksum",
			Expected: "an undamaged " + kind}
	}
	return nil
}
