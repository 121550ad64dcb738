package paper_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/test/must"
)

func TestImageFilesThatAreWrong(t *testing.T) {
	dir := imageDir(t)
	good := datatest.IDX(0, 3, datatest.Numbered)
	changed := func(content []byte, at int, v byte) []byte {
		c := bytes.Clone(content)
		c[at] = v
		return c
	}
	packed := datatest.Gzip(good)
	small := datatest.PNG(image.NewGray(image.Rect(0, 0, 104, 105)))
	whole := datatest.Drawing(func(int, int) byte { return 9 })
	big := datatest.Zip(datatest.File("x.png", make([]byte, 1<<20+1)))
	archive := datatest.Zip(datatest.File("x.png", whole))
	spoilt := bytes.Clone(archive)
	spoilt[len("PK\x03\x04")+60] ^= 0x40 // within the compressed drawing
	for _, c := range []struct {
		benchmark string
		content   []byte
		says      string
	}{
		{"mnist", nil, "ends too early"},
		{"mnist", good[:15], "ends too early"},
		{"mnist", changed(good, 3, 1), "magic number of 0x00000801"},
		{"mnist", changed(good, 11, 27), "3 images of 27×28 pixels"},
		{"mnist", changed(good, 4, 255), "images of 28×28 pixels, expected at most"},
		{"mnist", changed(good, 7, 4), "found 3 whole images, expected 4"},
		{"mnist", changed(good, 7, 2), "more bytes than its images have"},
		{"mnist", good[:len(good)-1], "found 2 whole images, expected 3"},
		{"mnist", packed[:len(packed)-20], "ends too early"},
		{"mnist", packed[:5], "ends too early"},
		{"mnist", []byte("no gzip, but text"), "broken compression"},
		{"mnist", changed(packed, len(packed)-6, packed[len(packed)-6]+1), "checksum"},
		{"mnist", datatest.IDX(0, 0, datatest.Numbered), "no training images"},
		{"svhn", nil, "0 bytes"},
		{"svhn", datatest.Faces(3, datatest.Numbered), "X: found no variable"},
		{"svhn", datatest.Matlab(datatest.Matrix("X", []int{32, 3, 32, 2}, make([]byte, 6144))), "dimensions [32 3 32 2], expected [32 32 3 IMAGES]"},
		{"svhn", datatest.Matlab(datatest.Matrix("X", []int{32, 96}, make([]byte, 3072))), "dimensions [32 96]"},
		{"svhn", datatest.Matlab(datatest.Matrix("X", []int{32, 32, 3, 0}, nil)), "no training images"},
		{"freyface", datatest.SVHN(0, 3, datatest.Numbered), "ff: found no variable"},
		{"freyface", datatest.Matlab(datatest.Matrix("ff", []int{20, 28}, make([]byte, 560))), "dimensions [20 28], expected [560 FRAMES]"},
		{"freyface", datatest.Faces(1, datatest.Numbered), "data.train_fraction: found 0.75, expected a fraction that leaves some of the 1 frames"},
		{"omniglot", nil, "expected a .zip file of drawings"},
		{"omniglot", datatest.Zip(datatest.File("a.txt", []byte("x"))), "0 PNG files"},
		{"omniglot", archive[:len(archive)-5], "expected a .zip file of drawings"},
		{"omniglot", spoilt, `"x.png"`},
		{"omniglot", datatest.Zip(datatest.File("b.png", whole), datatest.File("a.png", small)), `"a.png": found 104×105 pixels, expected a PNG image of 105×105`},
		{"omniglot", datatest.Zip(datatest.File("x.png", []byte("no PNG at all, but text"))), `"x.png": found png: invalid format`},
		{"omniglot", datatest.Zip(datatest.File("x.png", whole[:len(whole)/2])), `"x.png"`},
		{"omniglot", datatest.Zip(datatest.File("\n"+strings.Repeat("long", 200)+".png", small)), "pixels"},
		{"omniglot", big, "1048577 bytes"},
	} {
		e := imageExperiment(c.benchmark)
		e.Data.Files = []string{"bad", "bad"}
		if c.benchmark == "freyface" {
			e.Data.Files = e.Data.Files[:1]
		}
		path := filepath.Join(dir, c.benchmark, "bad")
		if bytes.HasPrefix(c.content, good[:3]) {
			c.content = datatest.Gzip(c.content)
		}
		datatest.Put(t, path, c.content)
		datatest.Refused(t, e, dir, c.says)
		if !strings.HasPrefix(c.says, "data.") {
			datatest.Refused(t, e, dir, path)
		}
		if len(e.Data.Files) == 2 && !strings.Contains(c.says, "training") && !strings.Contains(c.says, "no images") { // as the test split
			e.Data.Files[0] = map[string]string{"mnist": "train-images-idx3-ubyte.gz", "svhn": "train_32x32.mat", "omniglot": "images_background.zip"}[c.benchmark]
			datatest.Refused(t, e, dir, c.says)
		}
	}
	e := imageExperiment("mnist")
	e.Data.Files = []string{"train-images-idx3-ubyte.gz", "."}
	datatest.Refused(t, e, dir, "found a directory")
	// A limit stops the reading before a fault further on.
	e.Data.Files, e.Data.TrainLimit, e.Data.TestLimit = []string{"bad", "bad"}, 2, 2
	datatest.Put(t, filepath.Join(dir, "mnist", "bad"), datatest.Gzip(good[:len(good)-1]))
	if s := datatest.Open(t, e, dir); s.Train.Size.Groups != 2 {
		t.Errorf("training size %+v, want 2 groups", s.Train.Size)
	}
}

func TestMissingImageFilesSayHowToGetThem(t *testing.T) {
	dir := t.TempDir()
	for _, name := range imageNames {
		datatest.Refused(t, imageExperiment(name), dir, "acqnp data fetch "+name)
	}
	e := imageExperiment("mnist")
	e.Data.Files = []string{"my-digits.gz", "my-test.gz"}
	_, err := benchmark.Open(e, dir)
	if err == nil || strings.Contains(err.Error(), "fetch") || !strings.Contains(err.Error(), filepath.Join(dir, "mnist", "my-digits.gz")) {
		t.Errorf("got %v", err)
	}
}

func TestCheckOfImages(t *testing.T) {
	dir := imageDir(t)
	good := checked(dir)
	for name, says := range map[string]string{
		"mnist": "37 training and 20 test images of 28×28 pixels", "svhn": "of 32×32 pixels in colour",
		"omniglot": "37 training and 20 test images of 32×32 pixels", "freyface": "27 training and 10 test images of 28×20 pixels",
	} {
		if s := good[name]; !s.Ready || !strings.Contains(s.Detail, says) || s.Help != "" {
			t.Errorf("found %+v, want it ready with %q", s, says)
		}
	}
	must.Do(t, os.Remove(filepath.Join(dir, "svhn", "test_32x32.mat")))
	datatest.Put(t, filepath.Join(dir, "freyface", "frey_rawface.mat"), "torn")
	half := checked(dir)
	if s := half["svhn"]; s.Ready || !strings.Contains(s.Detail, "no test_32x32.mat in ") || !strings.Contains(s.Detail, "train_32x32.mat is there") {
		t.Errorf("found %+v, want test_32x32.mat alone missing", s)
	}
	if s := half["freyface"]; s.Ready || !strings.Contains(s.Detail, "frey_rawface.mat") || !strings.Contains(s.Help, "remove") {
		t.Errorf("found %+v, want a broken file and the help to remove it", s)
	}
	// The missing files are those that `data fetch` downloads, under the same names.
	none := checked(t.TempDir())
	fetched := map[string]bool{}
	for _, s := range catalogue.All() {
		for _, f := range s.Downloads() {
			fetched[s.Name] = true
			if !strings.Contains(none[s.Name].Detail, f.Name) && s.Name != "speed-flow" {
				t.Errorf("%s: %s is fetched, but %q is missing", s.Name, f.Name, none[s.Name].Detail)
			}
		}
	}
	for _, s := range none {
		if s.Ready == fetched[s.Benchmark] || !s.Ready && !strings.Contains(s.Help, "acqnp data fetch "+s.Benchmark) {
			t.Errorf("found %+v, want help with data fetch if and only if files are missing", s)
		}
	}
}

// resampling are the filters as Pillow defines them.
var resampling = map[string]struct {
	support float64
	at      func(x float64) float64
}{
	"box":      {0.5, func(x float64) float64 { return 1 }},
	"bilinear": {1, func(x float64) float64 { return 1 - math.Abs(x) }},
	"bicubic": {2, func(x float64) float64 { // a = −½
		if x = math.Abs(x); x < 1 {
			return (1.5*x-2.5)*x*x + 1
		}
		return ((-0.5*x+2.5)*x-4)*x + 2
	}},
}

// A resized drawing is the direct double sum: each pixel is weighted by its distance from the
// centre of the small pixel, in units of small pixels.
func TestResizedDrawings(t *testing.T) {
	source := func(i, j int) byte { // strokes, an edge and a gradient
		switch {
		case (i+2*j)%17 < 3:
			return 0
		case i > 70:
			return byte(2 * j)
		}
		return 255
	}
	gray := image.NewPaletted(image.Rect(0, 0, 105, 105), color.Palette{color.Gray{0}, color.Gray{255}})
	for i := range gray.Pix {
		gray.Pix[i] = byte(i / 7 % 2)
	}
	palette := func(i, j int) byte { return 255 * byte((105*i+j)/7%2) }
	dir := t.TempDir()
	datatest.Put(t, filepath.Join(dir, "omniglot", "images_background.zip"), datatest.Zip(datatest.File("b/1.PNG", datatest.PNG(gray)), datatest.File("a/2.png", datatest.Drawing(source))))
	datatest.Put(t, filepath.Join(dir, "omniglot", "images_evaluation.zip"), datatest.Zip(datatest.File("a/2.png", datatest.Drawing(source)), datatest.File("b/1.png", datatest.PNG(gray))))
	for name := range maps.Keys(resampling) {
		for _, side := range []int{32, 28, 105} {
			e := imageExperiment("omniglot")
			e.Data.Resize, e.Data.Filter = side, name
			s := datatest.Open(t, e, dir)
			for k, img := range restored(t, s, datatest.Made(t, s.Eval, 0)) { // a/2 before b/1
				want := resized([]func(i, j int) byte{source, palette}[k], name, side)
				worst := 0.0
				for p := range img {
					worst = max(worst, math.Abs(float64(img[p])-want[p]))
				}
				// Half a unit for rounding, and the rounding of the library, which keeps 16 bits
				// for each pixel.
				if worst > 0.51 {
					t.Errorf("%s to %d, drawing %d: off by %v", name, side, k, worst)
				}
			}
		}
	}
}

func resized(v func(i, j int) byte, name string, side int) []float64 {
	kernel, scale := resampling[name], 105/float64(side)
	weights := func(k int) []float64 {
		w, total := make([]float64, 105), 0.0
		for i := range w {
			if x := (float64(i) + 0.5 - (float64(k)+0.5)*scale) / scale; math.Abs(x) < kernel.support {
				w[i] = kernel.at(x)
				total += w[i]
			}
		}
		for i := range w {
			w[i] /= total
		}
		return w
	}
	var out []float64
	for a := range side {
		rows := weights(a)
		for b := range side {
			columns, sum := weights(b), 0.0
			for i, wi := range rows {
				if wi == 0 {
					continue
				}
				for j, wj := range columns {
					sum += wi * wj * float64(v(i, j))
				}
			}
			out = append(out, min(max(sum, 0), 255))
		}
	}
	return out
}

// Opening a benchmark with arbitrary files does not panic, and a source that opens makes batches.
func FuzzImageFiles(f *testing.F) {
	for kind, seeds := range [][][]byte{
		{datatest.Gzip(datatest.IDX(0, 2, datatest.Numbered)), {}, datatest.Gzip([]byte{0, 0, 8, 3})},
		{datatest.SVHN(0, 2, datatest.Numbered), datatest.SVHN(0, 1, datatest.Numbered)},
		{datatest.Characters(0, 2), datatest.Zip(datatest.File("x.png", []byte("x")))},
		{datatest.Faces(5, datatest.Numbered)},
	} {
		for _, content := range seeds {
			f.Add(byte(kind), content)
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, kind byte, content []byte) {
		e := imageExperiment([]string{"mnist", "svhn", "omniglot", "freyface"}[kind%4])
		e.Data.Files = []string{"fuzz", "fuzz"}
		if e.Benchmark == "freyface" {
			e.Data.Files = e.Data.Files[:1]
		}
		datatest.Put(t, filepath.Join(dir, e.Benchmark, "fuzz"), content)
		s, err := benchmark.Open(e, dir)
		if err != nil {
			must.Refuse(t, err)
			return
		}
		var b datasets.Batch
		if err := errors.Join(s.Train.Make(0, &b), s.Eval.Make(0, &b)); err != nil || b.Groups < 1 {
			t.Fatal(fmt.Errorf("%d groups: %w", b.Groups, err))
		}
	})
}
