package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/cli"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/report/figures"
	"github.com/acqnp/acqnp/internal/test/must"
)

// drawn returns the picture of a figure.
func drawn(t *testing.T, fig figures.Figure) image.Image {
	t.Helper()
	path := filepath.Join(t.TempDir(), "figure.png")
	must.Do(t, fig.Save(path, nil))
	return decoded(t, path)
}

func decoded(t *testing.T, path string) image.Image {
	t.Helper()
	return must.Get(png.Decode(bytes.NewReader(must.Get(os.ReadFile(path))(t))))(t)
}

// count returns how many pixels of a region (in fractions of the picture) have a colour that the test accepts.
func count(img image.Image, left, top, right, bottom float64, accept func(r, g, b int) bool) int {
	n, size := 0, img.Bounds()
	for y := int(top * float64(size.Dy())); y < int(bottom*float64(size.Dy())); y++ {
		for x := int(left * float64(size.Dx())); x < int(right*float64(size.Dx())); x++ {
			c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			if accept(int(c.R), int(c.G), int(c.B)) {
				n++
			}
		}
	}
	return n
}

func purple(r, g, b int) bool   { return b > 50 && b > r && r > g+40 }     // τ near 0
func green(r, g, b int) bool    { return g > 180 && g > r+50 && g > b+80 } // τ near 1
func coloured(r, g, b int) bool { return max(r, g, b)-min(r, g, b) > 0x18 }

// networks are small networks.
var networks = map[string]string{
	"cnp":   "{name: cnp, representation: 8, encoder: [8], decoder: [8]}",
	"canp":  "{name: canp, representation: 8, encoder: [8], decoder: [8], key_encoder: [8], query_encoder: [8], heads: 2}",
	"bnp":   "{name: bnp, width: 8, pre_depth: 2, post_depth: 2, decoder_depth: 3, train_bootstraps: 2, eval_bootstraps: 4}",
	"cqnp":  "{name: cqnp, representation: 8, encoder: [8], decoder: [8]}",
	"acqnp": "{name: acqnp, representation: 8, encoder: [8], adaptor: [8], decoder: [8]}",
	"head":  "{name: cnp, head: quantile-mixture, representation: 8, encoder: [8], decoder: [8]}",
}

// A laboratory trains small runs on few data.
type laboratory struct {
	t   *testing.T
	dir string
}

func newLaboratory(t *testing.T) laboratory {
	l := laboratory{t, t.TempDir()}
	files := datatest.Images(8, 3)
	maps.Copy(files, datatest.Lanes(1318))
	for name, content := range files {
		path := filepath.Join(l.dir, "data", filepath.FromSlash(name))
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, content, 0o644))
	}
	return l
}

// runs returns runs of a few steps.
func (l laboratory) runs(benchmark string, names ...string) (dirs []string) {
	l.t.Helper()
	for _, name := range names {
		dir, config := filepath.Join(l.dir, benchmark, name), filepath.Join(l.dir, "config.yaml")
		dirs = append(dirs, dir)
		if _, err := os.Stat(dir); err == nil {
			continue
		}
		levels := ""
		if strings.HasSuffix(name, "qnp") {
			levels = ", num_tau: 3"
		}
		must.Do(l.t, os.WriteFile(config, []byte("benchmark: "+benchmark+"\nmodel: "+networks[name]+
			"\ntrain: {steps: 6, batch_size: 2, log_every: 1, learning_rate: 1e-2"+levels+"}\neval: {batch_size: 2"+levels+"}\n"), 0o644))
		var said bytes.Buffer
		args := []string{"train", "--config", config, "--run-dir", dir, "--data-dir", filepath.Join(l.dir, "data"), "--quiet", "--no-eval", "--device", "cpu"}
		if code := cli.Main(args, cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &said}); code != 0 {
			l.t.Fatalf("acqnp %q: exit code %d\n%s", args, code, &said)
		}
	}
	return dirs
}

// draw draws a figure by the program's arguments, of which runs are the last.
func (l laboratory) draw(out string, args []string, runs ...string) error {
	return write(l.t.Context(), append(append(args[:1:1], "--data-dir", filepath.Join(l.dir, "data"), "--out", out), append(args[1:], runs...)...))
}

func TestFigures(t *testing.T) {
	l := newLaboratory(t)
	for name, c := range map[string]struct {
		args          []string
		runs          []string
		width, height int     // of the PNG in pixels
		least         float64 // share of coloured pixels: a small part of what the figure has
	}{
		// A panel of one of n columns is 1000/n pt wide, 190 to 360, and 82% as high; 96 dots are
		// 72 pt. 60 pt beside the panels and 124 pt above and below them hold labels.
		"components": {[]string{"components", "--groups", "2", "--seed", "1"}, l.runs("double-sine", "acqnp", "cqnp", "bnp", "canp"), 1413, 603, 0.01},
		"one":        {[]string{"components"}, l.runs("double-sine", "acqnp"), 1040, 559, 0.001},
		"means":      {[]string{"components"}, l.runs("sawtooth", "cqnp", "cnp"), 1413, 530, 0.001},
		"levels":     {[]string{"levels"}, l.runs("double-sine", "acqnp", "cqnp"), 1040, 952, 0.01},
		"head":       {[]string{"levels"}, l.runs("double-sine", "head"), 0, 0, 0.01},
		"lanes":      {[]string{"speed-flow"}, l.runs("speed-flow", "acqnp", "bnp", "cnp"), 1413, 712, 0.01},
		"completion": {[]string{"completion", "--groups", "2"}, l.runs("freyface", "acqnp", "cnp"), 0, 0, 0.2},
		"rgb":        {[]string{"completion"}, l.runs("svhn", "cqnp"), 0, 0, 0.1},
	} {
		out := filepath.Join(t.TempDir(), "figure.png")
		if err := l.draw(out, c.args, c.runs...); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		img := decoded(t, out)
		if size := img.Bounds().Size(); c.width > 0 && (max(size.X-c.width, c.width-size.X) > 2 || max(size.Y-c.height, c.height-size.Y) > 2) {
			t.Errorf("%s: %v pixels, want %d×%d", name, size, c.width, c.height)
		}
		if share := float64(count(img, 0, 0, 1, 1, coloured)) / float64(img.Bounds().Dx()*img.Bounds().Dy()); share < c.least {
			t.Errorf("%s: %.4f of the pixels are coloured, want %g at least", name, share, c.least)
		}
	}
	sine, faces := l.runs("double-sine", "bnp"), l.runs("freyface", "cnp")
	for name, c := range map[string]struct {
		args []string
		runs []string
		want string
	}{
		"a run without levels": {[]string{"levels"}, sine, "quantile levels"},
		"no lanes":             {[]string{"speed-flow"}, sine, "expected speed-flow"},
		"no images":            {[]string{"completion"}, sine, "a benchmark of images"},
		"images":               {[]string{"components"}, faces, "2 columns of x"},
		"no run":               {[]string{"components"}, nil, "0 runs"},
		"no groups":            {[]string{"components", "--groups", "0"}, sine, "0 groups"},
		"an unknown figure":    {[]string{"figure"}, sine, "expected components"},
	} {
		if err := l.draw(filepath.Join(t.TempDir(), "none.png"), c.args, c.runs...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one about %q", name, err, c.want)
		}
	}
}
