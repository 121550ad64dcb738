package paper_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets/datatest"
)

// realImages returns the directory of the real data, and skips the test if it lacks the file.
func realImages(t *testing.T, file string) string {
	t.Helper()
	dir := realData(t)
	if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(file))); err != nil {
		t.Skip(file + " is not there")
	}
	return dir
}

func TestRealFaces(t *testing.T) {
	dir := realImages(t, "freyface/frey_rawface.mat")
	s := datatest.Open(t, imageExperiment("freyface"), dir)
	if n := s.StepsPerEpoch; n != 93 { // 1473 frames
		t.Errorf("%d steps an epoch, want 93", n)
	}
	if b := datatest.Made(t, s.Train, 92); b.Groups != 1 {
		t.Errorf("%d frames in the last step, want 1", b.Groups)
	}
	if n := s.Eval.Count; n != 154 { // 5·492 frames
		t.Errorf("%d evaluation batches, want 154", n)
	}
	// The images are upright: neighbours are as alike across as down (with rows and columns
	// exchanged, they differ by 46 across in place of 20), and the forehead at the top is lighter
	// than the shadow of the chin.
	var top, bottom, across, down, images float64
	for step := range 92 {
		for _, img := range restored(t, s, datatest.Made(t, s.Train, step)) {
			images++
			for i := range 27 {
				for j := range 19 {
					v := float64(img[i*20+j])
					across += math.Abs(v-float64(img[i*20+j+1])) / (27 * 19)
					down += math.Abs(v-float64(img[i*20+20+j])) / (27 * 19)
				}
			}
			for j := range 20 {
				top += float64(img[2*20+j]) + float64(img[3*20+j])
				bottom += float64(img[26*20+j]) + float64(img[27*20+j])
			}
		}
	}
	if across > 30*images || down > 30*images || top < 1.2*bottom {
		t.Errorf("differences %.3g across, %.3g down; top %.3g, bottom %.3g", across/images, down/images, top, bottom)
	}
}

func TestRealDigits(t *testing.T) {
	dir := realImages(t, "mnist/t10k-images-idx3-ubyte.gz")
	e := imageExperiment("mnist")
	e.Data.Files = []string{"t10k-images-idx3-ubyte.gz", "t10k-images-idx3-ubyte.gz"}
	e.Data.TestLimit = 100
	s := datatest.Open(t, e, dir)
	if n := s.StepsPerEpoch; n != 625 {
		t.Errorf("%d steps an epoch of 10000 digits", n)
	}
	if n := s.Eval.Count; n != 7 {
		t.Errorf("%d evaluation batches of 100 digits", n)
	}
	sum, pixels := 0.0, 0.0
	for step := range 625 {
		for _, img := range restored(t, s, datatest.Made(t, s.Train, step)) {
			for _, v := range img {
				sum += float64(v) / 255
			}
			pixels += 784
		}
	}
	if mean := sum / pixels; mean < 0.13245 || mean > 0.13255 { // the mean of these digits is well known: 0.1325
		t.Errorf("mean %v", mean)
	}
}

func TestRealDrawings(t *testing.T) {
	dir := realImages(t, "omniglot/images_background_small1.zip")
	e := imageExperiment("omniglot")
	e.Data.Files = []string{"images_background_small1.zip", "images_background_small2.zip"}
	s := datatest.Open(t, e, dir)
	if n := s.StepsPerEpoch; n != 170 { // 2720 drawings
		t.Errorf("%d steps an epoch", n)
	}
	if n := s.Eval.Count; n != 195 { // 3120 drawings
		t.Errorf("%d evaluation batches", n)
	}
	// White paper with strokes of ink, so most pixels are white and each drawing has dark ones.
	white, pixels := 0, 0
	for i := range 20 {
		for f, img := range restored(t, s, datatest.Made(t, s.Eval, i)) {
			dark := 0
			for _, v := range img {
				if v == 255 {
					white++
				}
				if v < 100 {
					dark++
				}
				pixels++
			}
			if dark == 0 {
				t.Errorf("batch %d, drawing %d has no ink", i, f)
			}
		}
	}
	if share := float64(white) / float64(pixels); share < 0.7 || share > 0.95 {
		t.Errorf("%.2f of the pixels are white", share)
	}
}
