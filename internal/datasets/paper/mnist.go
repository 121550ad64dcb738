package paper

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
)

const (
	idxBytes3 = 0x00000803 // an IDX file of unsigned bytes in three dimensions
	maxImages = 1 << 20    // the most images of a file
)

// readIDX reads images in MNIST's format, compressed by gzip: a magic number, count,
// height and width as big-endian words, then the bytes [count, height, width].
func readIDX(want imageFile, limit int) (pictures, error) {
	path := want.path
	f, err := files.Open(path, "a readable file")
	if err != nil {
		return pictures{}, err
	}
	defer f.Close()
	r, err := gzip.NewReader(bufio.NewReaderSize(f, 1<<16))
	if err != nil {
		return pictures{}, &invalid.Input{File: path, Found: tooShort(err), Expected: "a whole .gz file"}
	}
	var header [4]uint32
	if err := binary.Read(r, binary.BigEndian, &header); err != nil {
		return pictures{}, &invalid.Input{File: path, Found: tooShort(err), Expected: "an IDX file of images"}
	}
	magic, count, height, width := header[0], header[1], header[2], header[3]
	switch {
	case magic != idxBytes3:
		return pictures{}, &invalid.Input{File: path, Found: fmt.Sprintf("a magic number of %#08x", magic),
			Expected: fmt.Sprintf("%#08x, of an IDX file of images", idxBytes3)}
	case count > maxImages || int64(height) != int64(want.shape.Height) || int64(width) != int64(want.shape.Width):
		return pictures{}, &invalid.Input{File: path, Found: fmt.Sprintf("%d images of %d×%d pixels", count, height, width),
			Expected: fmt.Sprintf("at most %d images of %d×%d", maxImages, want.shape.Height, want.shape.Width)}
	}
	p := pictures{Shape: want.shape}
	wanted := int(count)
	if limit > 0 {
		wanted = min(wanted, limit)
	}
	// Reading to the end checks the checksum of gzip. The allocation grows with the content and
	// does not trust the header.
	end := int64(wanted * p.size())
	if wanted == int(count) {
		end++
	}
	p.bytes, err = io.ReadAll(io.LimitReader(r, end))
	switch {
	case err != nil:
		return pictures{}, &invalid.Input{File: path, Found: tooShort(err), Expected: fmt.Sprintf("%d images", count)}
	case len(p.bytes) < wanted*p.size():
		return pictures{}, &invalid.Input{File: path, Found: fmt.Sprintf("%d whole images", p.count()), Expected: fmt.Sprintf("%d, as its header says", count)}
	case len(p.bytes) > wanted*p.size():
		return pictures{}, &invalid.Input{File: path, Found: "more bytes than its images have", Expected: fmt.Sprintf("%d images", count)}
	}
	return p, nil
}

// tooShort describes an error of reading for a message.
func tooShort(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "a file that ends too early"
	}
	return "broken compression (" + err.Error() + ")"
}
