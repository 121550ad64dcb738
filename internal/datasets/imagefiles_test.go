package datasets_test

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
	"path/filepath"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
)

// Files in the publishers' formats, with pixels that tell where they belong.

// value makes pixel (i, j) of channel c of an image; 8 bits that no two images share in their first three pixels.
type value func(image, i, j, c int) byte

// numbered images have their number, to base 200, in pixels (0, 0) and (0, 1), and a pattern in the rest.
func numbered(n, i, j, c int) byte {
	switch {
	case i == 0 && j == 0:
		return byte(n % 200)
	case i == 0 && j == 1:
		return byte(n / 200)
	}
	return byte(11*i + 5*j + 70*c + 3*n)
}

// idx is an IDX file of 28×28 images, the first of which has the number first.
func idx(first, count int, v value) []byte {
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

func gzipped(content []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(content)
	w.Close()
	return b.Bytes()
}

// matlab is a .mat file as MATLAB 7 writes it: every variable a compressed element of its own.
func matlab(variables ...[]byte) []byte {
	header := fmt.Sprintf("%-116s", "MATLAB 5.0 MAT-file, Platform: GLNXA64, Created on: Mon Dec  5 21:09:26 2011")
	b := append([]byte(header), 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 'I', 'M')
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

// matrix is an array of bytes, column-major.
func matrix(name string, dims []int, values []byte) []byte {
	element := func(kind uint32, content []byte) []byte {
		if n := len(content); n > 0 && n <= 4 { // within the tag
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
		sizes = binary.LittleEndian.AppendUint32(sizes, uint32(d))
	}
	content := element(6, []byte{9, 0, 0, 0, 0, 0, 0, 0})
	content = append(content, element(5, sizes)...)
	content = append(content, element(1, []byte(name))...)
	return element(14, append(content, element(2, values)...))
}

// svhn is a file of cropped digits: X [32, 32, 3, count] and the labels y.
func svhn(first, count int, v value) []byte {
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
	return matlab(matrix("meta", []int{1, 1}, []byte{1}), matrix("X", dims, x), matrix("y", []int{count, 1}, y))
}

// faces is ff [560, count], a frame of 28×20 in each column, row after row.
func faces(count int, v value) []byte {
	var ff []byte
	for n := range count {
		for i := range 28 {
			for j := range 20 {
				ff = append(ff, v(n, i, j, 0))
			}
		}
	}
	return matlab(matrix("ff", []int{560, count}, ff))
}

// drawing is a PNG file of 105×105.
func drawing(v func(i, j int) byte) []byte {
	img := image.NewGray(image.Rect(0, 0, 105, 105))
	for i := range 105 {
		for j := range 105 {
			img.SetGray(j, i, color.Gray{Y: v(i, j)})
		}
	}
	return encoded(img)
}

func encoded(img image.Image) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

type entry struct {
	name    string
	content []byte
}

func zipped(entries ...entry) []byte {
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

// characters is an archive of drawings, each of one shade, its number (below 256).
func characters(first, count int) []byte {
	entries := []entry{{"images/", nil}, {"images/Alphabet/notes.txt", []byte("no image")}, {"__MACOSX/._0_01.png", []byte("junk")}}
	for n := count - 1; n >= 0; n-- { // not in the order of their names
		entries = append(entries, entry{fmt.Sprintf("images/Alphabet/character01/%04d_01.png", first+n),
			drawing(func(int, int) byte { return byte(first + n) })})
	}
	return zipped(entries...)
}

// imageDir has small files of all five benchmarks, 37 training images and 20 test images each, the numbers of the test
// images following on; freyface's 37 frames are yet to be split.
func imageDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string][]byte{
		"mnist/train-images-idx3-ubyte.gz":         gzipped(idx(0, 37, numbered)),
		"mnist/t10k-images-idx3-ubyte.gz":          gzipped(idx(37, 20, numbered)),
		"fashion-mnist/train-images-idx3-ubyte.gz": gzipped(idx(0, 37, numbered)),
		"fashion-mnist/t10k-images-idx3-ubyte":     idx(37, 20, numbered), // unpacked
		"svhn/train_32x32.mat":                     svhn(0, 37, numbered),
		"svhn/test_32x32.mat":                      svhn(37, 20, numbered),
		"omniglot/images_background.zip":           characters(0, 37),
		"omniglot/images_evaluation.zip":           characters(37, 20),
		"freyface/frey_rawface.mat":                faces(37, numbered),
	} {
		put(t, filepath.Join(dir, filepath.FromSlash(name)), content)
	}
	return dir
}

var imageNames = []string{"mnist", "fashion-mnist", "svhn", "omniglot", "freyface"}

// imageExperiment has the paper's values.
func imageExperiment(benchmark string) config.Experiment {
	e := config.Experiment{
		Benchmark: benchmark,
		Data:      config.Data{Seed: 43, MinContext: 3},
		Train:     config.Train{Epochs: 100, BatchSize: 16, Seed: 7},
		Eval:      config.Eval{BatchSize: 16, Seed: 43},
	}
	switch benchmark {
	case "omniglot":
		e.Data.Resize, e.Data.Filter = 32, "bilinear"
	case "freyface":
		e.Data.TrainFraction, e.Data.TestCopies = 0.75, 5
	}
	return e
}
