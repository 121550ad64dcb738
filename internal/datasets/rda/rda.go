// Package rda reads numeric data frames from R's .rda files. It reads the binary form, which save()
// writes by default, in the versions 2 and 3, plain or compressed by gzip or bzip2. R Internals,
// "Serialization Formats", describes the form. The package knows only the types that numeric data
// frames consist of. It never evaluates R code from a file.
package rda

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
)

// maxBytes bounds the decompressed content, so that a small file cannot fill the memory.
const maxBytes = 64 << 20

// Frames are data frames by their names: the columns of numbers by theirs, all of a frame of the same length.
// Integers are floats, and NA is NaN.
type Frames map[string]map[string][]float64

// Read reads the data frames of a file and skips other objects. An error is an
// *invalid.Input that names the file.
func Read(path string) (Frames, error) {
	f, err := files.Open(path, "a readable .rda file")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	frames, err := Decode(f)
	var bad *invalid.Input
	if errors.As(err, &bad) {
		bad.File = path
	}
	return frames, err
}

// Decode reads the data frames of a stream, as Read does. Its errors do not name a file.
func Decode(r io.Reader) (Frames, error) {
	content, err := decompress(r)
	if err != nil {
		return nil, err
	}
	d := &decoder{rest: content}
	root, wrong := d.file()
	if wrong != "" {
		return nil, &invalid.Input{Key: fmt.Sprintf("byte %d", len(content)-len(d.rest)), Found: wrong, Expected: "data frames as R's save() writes them"}
	}
	all, wrong := frames(root)
	if wrong != "" {
		return nil, &invalid.Input{Found: wrong, Expected: "data frames"}
	}
	return all, nil
}

// decompress reads all of r and decompresses it.
func decompress(r io.Reader) ([]byte, error) {
	var magic [6]byte
	n, err := io.ReadFull(r, magic[:])
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return nil, &invalid.Input{Found: err.Error(), Expected: "a readable .rda file"}
	}
	head := magic[:n]
	r = io.MultiReader(bytes.NewReader(head), r)
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		if r, err = gzip.NewReader(r); err != nil {
			return nil, &invalid.Input{Found: "broken compression (" + err.Error() + ")", Expected: "an .rda file"}
		}
	case bytes.HasPrefix(head, []byte("BZh")):
		r = bzip2.NewReader(r)
	case bytes.HasPrefix(head, []byte{0xfd, '7', 'z', 'X', 'Z', 0}):
		return nil, &invalid.Input{Found: "xz compression", Expected: `a file saved with save(…, compress = "gzip")`}
	}
	content, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	switch {
	case err != nil:
		return nil, &invalid.Input{Found: "broken compression (" + err.Error() + ")", Expected: "a whole .rda file"}
	case len(content) > maxBytes:
		return nil, &invalid.Input{Found: fmt.Sprintf("more than %d MiB of data", maxBytes>>20), Expected: "at most that"}
	}
	return content, nil
}
