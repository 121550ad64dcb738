// Package matfile reads arrays of bytes from MATLAB's .mat files of level 5 (MATLAB 5 to 7.2; The
// MathWorks, "MAT-File Format"), in either byte order, with plain or compressed elements. The image
// data sets need nothing else of the format; other variables of a file are skipped.
package matfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
)

// An Array is a real array whose elements the file stores as bytes.
type Array struct {
	Dims []int  // two or more
	Data []byte // the first dimension varies fastest
}

// Read reads the variable of this name. An error is an *invalid.Input that names the file.
func Read(path, variable string) (Array, error) {
	f, err := files.Open(path, "a readable .mat file")
	if err != nil {
		return Array{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Array{}, files.Unreadable(path, "a readable .mat file", err)
	}
	a, err := Decode(f, info.Size(), variable)
	var bad *invalid.Input
	if errors.As(err, &bad) {
		bad.File = path
	}
	return a, err
}

const (
	headerBytes = 128
	tagBytes    = 8
)

// Decode reads the variable from the first size bytes of r, as Read does. Its errors do not name a
// file.
func Decode(r io.ReaderAt, size int64, variable string) (Array, error) {
	order, err := readHeader(r, size)
	if err != nil {
		return Array{}, err
	}
	for at := int64(headerBytes); at < size; {
		e := element{r: io.NewSectionReader(r, at, size-at), order: order, bytes: size - at}
		t, err := e.tag()
		if err == nil && t.size > size-at-tagBytes {
			err = fmt.Errorf("an element of %d bytes with %d left", t.size, max(size-at-tagBytes, 0))
		}
		var a Array
		found := false
		if err == nil {
			a, found, err = e.variable(t, variable)
		}
		if err != nil {
			return Array{}, &invalid.Input{Key: fmt.Sprintf("byte %d", at), Found: err.Error(), Expected: "a variable of a whole .mat file"}
		}
		if found {
			return a, nil
		}
		at += tagBytes
		if t.small == nil {
			at += t.size
		}
	}
	return Array{}, &invalid.Input{Key: variable, Found: "no variable of that name", Expected: "one"}
}

// readHeader checks the header and returns the byte order.
func readHeader(r io.ReaderAt, size int64) (binary.ByteOrder, error) {
	header := make([]byte, headerBytes)
	if _, err := r.ReadAt(header, 0); err != nil {
		return nil, &invalid.Input{Found: fmt.Sprintf("%d bytes", size), Expected: "a .mat file, whose header takes 128"}
	}
	if bytes.HasPrefix(header, []byte("MATLAB 7.3")) || bytes.HasPrefix(header, []byte("\x89HDF")) {
		return nil, &invalid.Input{Found: "MATLAB's version 7.3 (HDF5)", Expected: "a .mat file of version 5 to 7: save(…, '-v7')"}
	}
	var order binary.ByteOrder
	switch string(header[126:]) { // the characters MI as a number
	case "IM":
		order = binary.LittleEndian
	case "MI":
		order = binary.BigEndian
	default:
		return nil, &invalid.Input{Found: "a header that ends in " + strconv.Quote(string(header[126:])), Expected: "a .mat file of version 5 to 7"}
	}
	if v := order.Uint16(header[124:]); v != 0x0100 {
		return nil, &invalid.Input{Found: fmt.Sprintf("format version %#x", v), Expected: "0x100, of MATLAB 5 to 7"}
	}
	return order, nil
}
