// Package datatest makes small files in the formats of the data sets' publishers, for tests.
package datatest

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
)

// Pixels returns the value of pixel (i, j) of an image in channel c.
type Pixels func(image, i, j, c int) byte

// Numbered returns the pixels of image n. Pixels (0, 0) and (0, 1) are its number, low digit first,
// to base 200; the others are a pattern.
func Numbered(n, i, j, c int) byte {
	switch {
	case i == 0 && j == 0:
		return byte(n % 200)
	case i == 0 && j == 1:
		return byte(n / 200)
	}
	return byte(11*i + 5*j + 70*c + 3*n)
}

// IDX returns an IDX file of count 28×28 images, numbered from first.
func IDX(first, count int, v Pixels) []byte {
	b := binary.BigEndian.AppendUint32(nil, 0x803)
	for _, n := range []int{count, 28, 28} {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	for n := range count {
		for i := range 28 {
			for j := range 28 {
				b = append(b, v(first+n, i, j, 0))
			}
		}
	}
	return b
}

// Gzip returns the content, compressed.
func Gzip(content []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(content)
	w.Close()
	return b.Bytes()
}

// Matlab returns a .mat file with these elements, each compressed, as MATLAB 7 writes it: the size is
// that of the zlib stream, and there is no padding.
func Matlab(variables ...[]byte) []byte {
	b := PlainMatlab()
	for _, v := range variables {
		var z bytes.Buffer
		w := zlib.NewWriter(&z)
		w.Write(v)
		w.Close()
		b = binary.LittleEndian.AppendUint32(b, 15)
		b = binary.LittleEndian.AppendUint32(b, uint32(z.Len()))
		b = append(b, z.Bytes()...)
	}
	return b
}

// PlainMatlab returns a .mat file with these elements as they are.
func PlainMatlab(variables ...[]byte) []byte {
	header := fmt.Sprintf("%-116s", "MATLAB 5.0 MAT-file, Platform: GLNXA64, Created on: Mon Dec  5 21:09:26 2011")
	b := append([]byte(header), 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 'I', 'M')
	return append(b, bytes.Join(variables, nil)...)
}

// Matrix returns an array of bytes as an element of a .mat file. Its first dimension varies
// fastest.
func Matrix(name string, dims []int, values []byte) []byte { return Array(name, 9, 2, dims, values) }

// Array returns an array of a class as an element of a .mat file, with its values stored as a type.
func Array(name string, class, kind uint32, dims []int, values []byte) []byte {
	element := func(kind uint32, content []byte) []byte {
		if n := len(content); n > 0 && n <= 4 { // a small element lies within its tag
			e := binary.LittleEndian.AppendUint32(nil, uint32(n)<<16|kind)
			return append(append(e, content...), make([]byte, 4-n)...)
		}
		e := binary.LittleEndian.AppendUint32(nil, kind)
		e = binary.LittleEndian.AppendUint32(e, uint32(len(content)))
		e = append(e, content...)
		return append(e, make([]byte, (8-len(e)%8)%8)...)
	}
	var sizes []byte
	for _, d := range dims {
		sizes = binary.LittleEndian.AppendUint32(sizes, uint32(int32(d)))
	}
	content := element(6, binary.LittleEndian.AppendUint64(nil, uint64(class)))
	content = append(content, element(5, sizes)...)
	content = append(content, element(1, []byte(name))...)
	return element(14, append(content, element(kind, values)...))
}

// SVHN returns a file of cropped digits: X [32, 32, 3, count], numbered from first, and the labels
// y.
func SVHN(first, count int, v Pixels) []byte {
	var x, y []byte
	for n := range count {
		for c := range 3 {
			for j := range 32 {
				for i := range 32 {
					x = append(x, v(first+n, i, j, c))
				}
			}
		}
		y = append(y, byte(n%10+1))
	}
	dims := []int{32, 32, 3, count}
	if count == 1 {
		dims = dims[:3]
	}
	return Matlab(Matrix("meta", []int{1, 1}, []byte{1}), Matrix("X", dims, x), Matrix("y", []int{count, 1}, y))
}

// Faces returns FreyFace's file: ff [560, count], each column a frame of 28×20 row by row.
func Faces(count int, v Pixels) []byte {
	var ff []byte
	for n := range count {
		for i := range 28 {
			for j := range 20 {
				ff = append(ff, v(n, i, j, 0))
			}
		}
	}
	return Matlab(Matrix("ff", []int{560, count}, ff))
}

// Drawing returns a PNG file of 105×105 pixels.
func Drawing(v func(i, j int) byte) []byte {
	img := image.NewGray(image.Rect(0, 0, 105, 105))
	for i := range 105 {
		for j := range 105 {
			img.SetGray(j, i, color.Gray{Y: v(i, j)})
		}
	}
	return PNG(img)
}

// PNG returns an image as a PNG file.
func PNG(img image.Image) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// An Entry is a file of an archive.
type Entry struct {
	name    string
	content []byte
}

// File returns an entry.
func File(name string, content []byte) Entry { return Entry{name, content} }

// Zip returns an archive.
func Zip(entries ...Entry) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		f, err := w.Create(e.name)
		if err != nil {
			panic(err)
		}
		f.Write(e.content)
	}
	w.Close()
	return b.Bytes()
}

// Characters returns an archive of drawings, numbered from first. Each drawing has one shade, which
// is its number (below 256).
func Characters(first, count int) []byte {
	entries := []Entry{{"images/", nil}, {"images/Alphabet/notes.txt", []byte("no image")}, {"__MACOSX/._0_01.png", []byte("junk")}}
	for n := count - 1; n >= 0; n-- { // not in the order of their names
		entries = append(entries, Entry{fmt.Sprintf("images/Alphabet/character01/%04d_01.png", first+n),
			Drawing(func(int, int) byte { return byte(first + n) })})
	}
	return Zip(entries...)
}

// Images returns the files of the five image benchmarks by their paths below a data directory.
// train images are for training, and the test images that follow them are for testing. FreyFace has
// one file of train frames.
func Images(train, test int) map[string][]byte {
	digits := Gzip(IDX(0, train, Numbered))
	return map[string][]byte{
		"mnist/train-images-idx3-ubyte.gz":         digits,
		"mnist/t10k-images-idx3-ubyte.gz":          Gzip(IDX(train, test, Numbered)),
		"fashion-mnist/train-images-idx3-ubyte.gz": digits,
		"fashion-mnist/t10k-images-idx3-ubyte.gz":  Gzip(IDX(train, test, Numbered)),
		"svhn/train_32x32.mat":                     SVHN(0, train, Numbered),
		"svhn/test_32x32.mat":                      SVHN(train, test, Numbered),
		"omniglot/images_background.zip":           Characters(0, train),
		"omniglot/images_evaluation.zip":           Characters(train, test),
		"freyface/frey_rawface.mat":                Faces(train, Numbered),
	}
}
