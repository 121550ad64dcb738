// Package matfile reads arrays of bytes from MATLAB's .mat files of level 5 (MATLAB 5 to 7.2; The
// MathWorks, "MAT-File Format"), with plain or compressed elements. The image data sets need nothing else
// of the format; other variables of a file are skipped.
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
	if err := checkHeader(r, size); err != nil {
		return Array{}, err
	}
	for at := int64(headerBytes); at < size; {
		e := element{r: io.NewSectionReader(r, at, size-at), bytes: size - at}
		t, err := e.tag()
		if err == nil && t.size > size-at-tagBytes {
			err = fmt.Errorf("an element of %d bytes with %d left", t.size, max(size-at-tagBytes, 0))
		}
		var a Array
		if err == nil {
			a, err = e.variable(t, variable)
		}
		if err == nil {
			return a, nil
		}
		if err != errOther {
			return Array{}, &invalid.Input{Key: fmt.Sprintf("byte %d", at), Found: err.Error(), Expected: "a variable of a whole .mat file"}
		}
		at += tagBytes
		if t.small == nil {
			at += t.size
		}
	}
	return Array{}, &invalid.Input{Key: variable, Found: "no variable of that name", Expected: "one"}
}

// checkHeader refuses files of other versions.
func checkHeader(r io.ReaderAt, size int64) error {
	header := make([]byte, headerBytes)
	if _, err := r.ReadAt(header, 0); err != nil {
		return &invalid.Input{Found: fmt.Sprintf("%d bytes", size), Expected: "a .mat file, whose header takes 128"}
	}
	if bytes.HasPrefix(header, []byte("MATLAB 7.3")) || bytes.HasPrefix(header, []byte("\x89HDF")) {
		return &invalid.Input{Found: "MATLAB's version 7.3 (HDF5)", Expected: "a .mat file of version 5 to 7: save(…, '-v7')"}
	}
	if end := string(header[126:]); end != "IM" { // the characters MI as a number
		return &invalid.Input{Found: "a header that ends in " + strconv.Quote(end), Expected: "a little-endian .mat file of version 5 to 7"}
	}
	if v := binary.LittleEndian.Uint16(header[124:]); v != 0x0100 {
		return &invalid.Input{Found: fmt.Sprintf("format version %#x", v), Expected: "0x100, of MATLAB 5 to 7"}
	}
	return nil
}
