package safetensors

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
)

// Reader reads the tensors of a file one at a time, so the file may be larger than memory. Its
// methods may be called from many goroutines.
type Reader struct {
	path  string
	r     io.ReaderAt
	file  *os.File // nil for NewReader
	start int64    // position of the first byte of data
	head  *header
	index map[string]int
}

// Open opens a file and checks its header. Every error is an *invalid.Input that names the file.
func Open(path string) (*Reader, error) {
	f, err := files.Open(path, expectedFile)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(unreadable(path, err), f.Close())
	}
	r, err := NewReader(f, info.Size(), path)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.file = f
	return r, nil
}

const expectedFile = "a readable safetensors file"

func unreadable(path string, err error) error { return files.Unreadable(path, expectedFile, err) }

// NewReader returns a reader of size bytes of content. It checks the header as Open does. path is
// the name of the content in errors.
func NewReader(r io.ReaderAt, size int64, path string) (*Reader, error) {
	if size < 8 {
		return nil, &invalid.Input{File: path, Found: fmt.Sprintf("%d bytes", size), Expected: "a safetensors file"}
	}
	var length [8]byte
	if err := readAt(r, length[:], 0); err != nil {
		return nil, unreadable(path, err)
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > maxHeader {
		return nil, &invalid.Input{File: path, Found: "a file of another kind", Expected: "a safetensors file"}
	}
	if int64(n) > size-8 {
		return nil, &invalid.Input{File: path, Found: fmt.Sprintf("%d bytes of a header of %d", size-8, n), Expected: "a complete safetensors file"}
	}
	raw := make([]byte, n)
	if err := readAt(r, raw, 8); err != nil {
		return nil, unreadable(path, err)
	}
	head, err := parseHeader(raw)
	if err == nil {
		err = head.checkLayout(size - 8 - int64(n))
	}
	if err != nil {
		var bad *invalid.Input
		if errors.As(err, &bad) {
			bad.File, bad.Key = path, printable(bad.Key)
		}
		return nil, err
	}
	index := make(map[string]int, len(head.entries))
	for i, e := range head.entries {
		index[e.Name] = i
	}
	return &Reader{path: path, r: r, start: 8 + int64(n), head: head, index: index}, nil
}

// printable shortens and quotes a name from the file for an error message.
func printable(name string) string {
	if len(name) > 80 {
		name = name[:80] + "…"
	}
	if quoted := strconv.Quote(name); quoted != `"`+name+`"` {
		return quoted
	}
	return name
}

// Metadata returns the metadata, never nil. The caller must not change it.
func (r *Reader) Metadata() map[string]string { return r.head.metadata }

// Names returns the names of the tensors, in the header's order.
func (r *Reader) Names() []string {
	names := make([]string, len(r.head.entries))
	for i, e := range r.head.entries {
		names[i] = e.Name
	}
	return names
}

// Spec returns a tensor's type and shape without reading its data, and false if there is no such
// tensor.
func (r *Reader) Spec(name string) (Spec, bool) {
	i, ok := r.index[name]
	if !ok {
		return Spec{}, false
	}
	return r.head.entries[i].Spec, true
}

// Read reads one tensor. It returns an *invalid.Input if the tensor is not in the file or if the file
// has shrunk since it was opened.
func (r *Reader) Read(name string) (Tensor, error) {
	i, ok := r.index[name]
	if !ok {
		return Tensor{}, &invalid.Input{File: r.path, Key: name, Found: "no such tensor", Expected: "a tensor of this name"}
	}
	e := r.head.entries[i]
	data := make([]byte, e.end-e.begin)
	if err := readAt(r.r, data, r.start+e.begin); err != nil {
		return Tensor{}, unreadable(r.path, err)
	}
	return Tensor{Name: e.Name, DType: e.DType, Shape: e.Shape, Data: data}, nil
}

// readAt fills dst. A ReaderAt may return io.EOF together with the last bytes; readAt then returns
// nil.
func readAt(r io.ReaderAt, dst []byte, at int64) error {
	if n, err := r.ReadAt(dst, at); n < len(dst) {
		return err
	}
	return nil
}

// Close closes the file. A second call does nothing.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	f := r.file
	r.file = nil
	return f.Close()
}

// ReadMetadata opens a file, which checks its header, and returns its metadata.
func ReadMetadata(path string) (map[string]string, error) {
	r, err := Open(path)
	if err != nil {
		return nil, err
	}
	return r.Metadata(), r.Close()
}
