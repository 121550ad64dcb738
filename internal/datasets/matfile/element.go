package matfile

import (
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The format's types of elements.
const (
	miINT8       = 1
	miUINT8      = 2
	miINT32      = 5
	miUINT32     = 6
	miMATRIX     = 14
	miCOMPRESSED = 15
)

// The classes of arrays, and the flag of complex arrays.
const (
	mxDOUBLE    = 6  // classes of numbers: from this one …
	mxUINT64    = 15 // … to this one
	complexFlag = 0x0800
)

const (
	maxBytes = 1 << 30 // of an array: SVHN's training images take 225 MB
	maxDims  = 32
	maxName  = 255
	// maxTrailing is how many bytes may follow an array in its compressed element. MATLAB writes
	// none.
	maxTrailing = 64
	// maxInflation is the largest ratio of deflate: 2 bits for a match of 258 bytes.
	maxInflation = 1032
)

// An element is a part of the file, which is read piece by piece.
type element struct {
	r     io.Reader
	bytes int64 // the most that the element can hold: a limit for allocations
}

// A tag is the start of an element. It has the content of an element of up to four bytes.
type tag struct {
	kind  uint32
	size  int64  // bytes of the content
	small []byte // the content if it is in the tag, else nil
}

// tag reads the tag of the next element.
func (e *element) tag() (tag, error) {
	var b [tagBytes]byte
	if err := e.full(b[:]); err != nil {
		return tag{}, err
	}
	first := binary.LittleEndian.Uint32(b[:])
	if size := first >> 16; size != 0 {
		if size > 4 {
			return tag{}, fmt.Errorf("a small element of %d bytes", size)
		}
		return tag{kind: first & 0xffff, size: int64(size), small: b[4 : 4+size]}, nil
	}
	return tag{kind: first, size: int64(binary.LittleEndian.Uint32(b[4:]))}, nil
}

// full reads len(dst) bytes into dst.
func (e *element) full(dst []byte) error {
	_, err := io.ReadFull(e.r, dst)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("an element that ends too early")
	}
	return err
}

// content reads an element's content and the padding to a multiple of eight bytes. It refuses
// content of more than most bytes.
func (e *element) content(t tag, most int64) ([]byte, error) {
	if t.small != nil {
		return t.small, nil
	}
	if t.size > most || t.size > e.bytes {
		return nil, fmt.Errorf("an element of %d bytes", t.size)
	}
	data := make([]byte, t.size)
	if err := e.full(data); err != nil {
		return nil, err
	}
	var padding [8]byte
	return data, e.full(padding[:(8-t.size%8)%8])
}

// errOther is the error of an element that is another variable.
var errOther = errors.New("another variable")

// variable reads a top-level element after its tag. It returns errOther unless it is the variable of this name.
func (e *element) variable(t tag, name string) (Array, error) {
	switch t.kind {
	case miMATRIX:
		return e.array(name)
	case miCOMPRESSED:
		a, err := e.compressed(t, name)
		if err != nil && err != errOther {
			err = fmt.Errorf("a compressed element that is broken: %w", err)
		}
		return a, err
	}
	return Array{}, errOther
}

// compressed reads a zlib stream that holds one element.
func (e *element) compressed(t tag, name string) (Array, error) {
	z, err := zlib.NewReader(io.LimitReader(e.r, t.size))
	if err != nil {
		return Array{}, err
	}
	inner := element{r: z, bytes: t.size * maxInflation}
	it, err := inner.tag()
	if err == nil && it.kind != miMATRIX {
		err = errOther
	}
	if err != nil {
		return Array{}, err
	}
	a, err := inner.array(name)
	if err != nil {
		return Array{}, err
	}
	// Reading to the end of the stream checks its checksum.
	if _, err := io.CopyN(io.Discard, z, maxTrailing+1); err == nil {
		return Array{}, fmt.Errorf("%d bytes after its array", maxTrailing+1)
	} else if err != io.EOF {
		return Array{}, err
	}
	return a, nil
}

// array reads the parts of a miMATRIX element: flags, dimensions, name, values. It stops if the
// name is another one.
func (e *element) array(name string) (Array, error) {
	flags, err := e.part(miUINT32, 8)
	if err == nil && len(flags) != 8 {
		err = fmt.Errorf("array flags of %d bytes", len(flags))
	}
	if err != nil {
		return Array{}, err
	}
	class := binary.LittleEndian.Uint32(flags)
	if c := class & 0xff; c < mxDOUBLE || c > mxUINT64 {
		return Array{}, errOther // text, structures and so on: not numbers
	}
	dims, err := e.part(miINT32, 4*maxDims)
	if err != nil {
		return Array{}, err
	}
	found, err := e.part(miINT8, maxName)
	switch {
	case err != nil:
		return Array{}, err
	case string(found) != name:
		return Array{}, errOther
	case class&complexFlag != 0:
		return Array{}, fmt.Errorf("%s with complex numbers", name)
	}
	return e.values(name, dims)
}

// part returns the content of the next element, which must have this kind.
func (e *element) part(kind uint32, most int64) ([]byte, error) {
	t, err := e.tag()
	if err != nil {
		return nil, err
	}
	if t.kind != kind {
		return nil, fmt.Errorf("an element of type %d in place of one of type %d", t.kind, kind)
	}
	return e.content(t, most)
}

// values reads the bytes of an array of these dimensions.
func (e *element) values(name string, dims []byte) (Array, error) {
	var a Array
	n := int64(1)
	for ; len(dims) >= 4; dims = dims[4:] {
		d := int64(int32(binary.LittleEndian.Uint32(dims)))
		if d < 0 || d > maxBytes || n*d > maxBytes {
			return Array{}, fmt.Errorf("%s with a dimension of %d that makes more than %d bytes", name, d, maxBytes)
		}
		n *= d
		a.Dims = append(a.Dims, int(d))
	}
	if len(a.Dims) < 2 {
		return Array{}, fmt.Errorf("%s with %d dimensions", name, len(a.Dims))
	}
	t, err := e.tag()
	switch {
	case err != nil:
		return Array{}, err
	case t.kind != miUINT8:
		return Array{}, fmt.Errorf("%s with values of type %d in place of bytes (type %d)", name, t.kind, miUINT8)
	case t.size != n:
		return Array{}, fmt.Errorf("%s with %d values for dimensions %d", name, t.size, a.Dims)
	}
	a.Data, err = e.content(t, maxBytes)
	return a, err
}
