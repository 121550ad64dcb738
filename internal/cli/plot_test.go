package cli_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/test/must"
)

// tinyModels are small networks of each model.
var tinyModels = map[string]string{
	"cnp":   "{name: cnp, representation: 8, encoder: [8], decoder: [8]}",
	"canp":  "{name: canp, representation: 8, encoder: [8], decoder: [8], key_encoder: [8], query_encoder: [8], heads: 2}",
	"bnp":   "{name: bnp, width: 8, pre_depth: 2, post_depth: 2, decoder_depth: 3, train_bootstraps: 2, eval_bootstraps: 4}",
	"cqnp":  "{name: cqnp, representation: 8, encoder: [8], decoder: [8]}",
	"acqnp": "{name: acqnp, representation: 8, encoder: [8], adaptor: [8], decoder: [8]}",
}

var figures struct {
	once sync.Once
	dir  string // data/, and runs as they are asked for
	runs map[string]bool
}

// figureData returns a data directory with few images, and with lanes of the real length.
func figureData(t *testing.T) string {
	t.Helper()
	share(t) // makes the directory that all tests share
	figures.once.Do(func() {
		figures.dir, figures.runs = filepath.Join(sharedDir, "figures"), map[string]bool{}
		files := datatest.Images(8, 3)
		maps.Copy(files, datatest.Lanes(1318))
		for name, content := range files {
			path := filepath.Join(figures.dir, "data", filepath.FromSlash(name))
			must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o644)))
		}
	})
	return filepath.Join(figures.dir, "data")
}

// figureRun trains a run of a few steps and returns its directory.
func figureRun(t *testing.T, benchmark, model string) string {
	t.Helper()
	data := figureData(t)
	dir := filepath.Join(figures.dir, benchmark, model)
	if figures.runs[dir] {
		return dir
	}
	config := "benchmark: " + benchmark + "\nmodel: " + tinyModels[model] +
		"\ntrain: {steps: 6, batch_size: 2, log_every: 1, learning_rate: 1e-2}\neval: {batch_size: 2}\n"
	args := []string{"train", "--config", must.Write(t, config, t.TempDir(), "c.yaml"), "--run-dir", dir, "--data-dir", data, "--quiet", "--no-eval"}
	if strings.HasSuffix(model, "qnp") {
		args = append(args, "--set", "train.num_tau=3", "--set", "eval.num_tau=4")
	}
	succeed(t, args...)
	figures.runs[dir] = true
	return dir
}

// decode checks that a file has the format of its extension. It returns the picture of a PNG.
func decode(t *testing.T, path string) image.Image {
	t.Helper()
	content := must.Get(os.ReadFile(path))(t)
	switch filepath.Ext(path) {
	case ".png":
		img, err := png.Decode(bytes.NewReader(content))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return img
	case ".svg":
		for d := xml.NewDecoder(bytes.NewReader(content)); ; {
			if _, err := d.Token(); err == io.EOF {
				return nil
			} else if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
		}
	default:
		if !bytes.HasPrefix(content, []byte("%PDF-")) || !bytes.HasSuffix(bytes.TrimSpace(content), []byte("%%EOF")) {
			t.Fatalf("%s is no whole PDF", path)
		}
	}
	return nil
}

// colourful returns the share of a picture's pixels that are not white or grey.
func colourful(img image.Image) float64 {
	n, size := 0, img.Bounds()
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			if max(r, g, b)-min(r, g, b) > 0x1800 {
				n++
			}
		}
	}
	return float64(n) / float64(size.Dx()*size.Dy())
}

func TestFigures(t *testing.T) {
	run := func(benchmark string, models ...string) (args []string) {
		for _, m := range models {
			args = append(args, "--run", figureRun(t, benchmark, m))
		}
		return args
	}
	for name, c := range map[string]struct {
		args   []string
		width  int // of the PNG in pixels
		height int
		least  float64 // share of coloured pixels: a small part of what the figure has
	}{
		// A panel of one of n columns is 1000/n pt wide, 190 to 360, and 82% as high; 96 dots are
		// 72 pt. 60 pt beside the panels and 124 pt above and below them hold labels.
		"density":   {append(run("double-sine", "acqnp"), "fit", "--groups", "2"), 1200, 800, 0.1},
		"densities": {append(run("double-sine", "acqnp", "cqnp", "bnp", "canp"), "fit", "--groups", "2", "--seed", "1"), 1413, 712, 0.1},
		"training":  {append(run("double-sine", "acqnp", "bnp"), "training"), 1200, 800, 0.001},
	} {
		if testing.Short() && name != "density" && name != "training" {
			continue // pictures take long under the race detector, and are drawn by one goroutine
		}
		t.Run(name, func(t *testing.T) {
			args := append([]string{"plot"}, moveFirst(c.args)...)
			for _, extension := range []string{".png", ".svg", ".pdf"} {
				switch { // the rest of a figure does not depend on its format
				case extension == ".png", name == "densities":
				default:
					continue
				}
				out := filepath.Join(t.TempDir(), "figure"+extension)
				o := succeed(t, append(args, "--out", out, "--quiet")...)
				if !strings.Contains(o.out, out) || o.err != "" {
					t.Errorf("said %q and %q", o.out, o.err)
				}
				img := decode(t, out)
				if img == nil {
					continue
				}
				if size := img.Bounds().Size(); c.width > 0 && (abs(size.X-c.width) > 2 || abs(size.Y-c.height) > 2) {
					t.Errorf("%v pixels, want %d×%d", size, c.width, c.height)
				}
				if share := colourful(img); share < c.least {
					t.Errorf("%.4f of the pixels are coloured, want %g at least", share, c.least)
				}
			}
		})
	}
}

// moveFirst puts the name of the command, the first word that is no flag or value of --run, before
// the flags.
func moveFirst(args []string) []string {
	for i := 0; i < len(args); i++ {
		if args[i] == "--run" {
			i++
			continue
		}
		moved := append([]string{args[i]}, args[:i]...)
		return append(moved, args[i+1:]...)
	}
	return args
}

func abs(n int) int { return max(n, -n) }

// TestPredictionsAreDrawn draws predictions at targets whose y the file has.
func TestPredictionsAreDrawn(t *testing.T) {
	s, dir := share(t), t.TempDir()
	known := must.Write(t, "x,y\n0.5,0\n1,0.5\n-1,\n", dir, "known.csv")
	unknown := must.Write(t, "x\n0.5\n1\n-1\n", dir, "unknown.csv")
	orange := func(path string) (n int) {
		img := decode(t, path)
		for y := 0; y < img.Bounds().Dy(); y++ {
			for x := 0; x < img.Bounds().Dx(); x++ {
				if r, g, b, _ := img.At(x, y).RGBA(); r > g+0x2000 && g > b+0x2000 {
					n++
				}
			}
		}
		return n
	}
	for _, command := range []string{"predict", "sample-quantiles"} {
		for targets, drawn := range map[string]bool{known: true, unknown: false} {
			plot := filepath.Join(dir, command+".png")
			o := succeed(t, command, "--run", s.run, "--context", s.context, "--targets", targets, "--out", filepath.Join(dir, "out.csv"), "--plot", plot, "--overwrite", "--quiet")
			if n := orange(plot); !strings.Contains(o.out, plot) || n > 30 != drawn { // each of them has some 30 pixels
				t.Errorf("%s: %d pixels of held-out targets; said %q", command, n, o.out)
			}
		}
	}
}

// TestFiguresOfSeveralColumns draws runs on own data with x of two columns and of three.
func TestFiguresOfSeveralColumns(t *testing.T) {
	dir := t.TempDir()
	var rows strings.Builder
	rows.WriteString("day,east,north,kind,rain\n")
	for i := range 200 {
		fmt.Fprintf(&rows, "d%d,%d,%d,%s,%d\n", i%20, i*7%11, i*5%13, []string{"a", "b"}[i/20%2], i%17)
	}
	data := must.Write(t, rows.String(), dir, "own.csv")
	trained := func(model, x, more string) string {
		run := filepath.Join(dir, model+x)
		config := must.Write(t, "benchmark: csv\nmodel: "+tinyModels[model]+"\ndata: {file: "+data+", group: day, x: ["+x+"], y: [rain]"+more+
			"}\ntrain: {steps: 4, batch_size: 2, log_every: 1, learning_rate: 1e-2}\neval: {batch_size: 2}\n", dir, "c.yaml")
		succeed(t, "train", "--config", config, "--run-dir", run, "--quiet")
		decode(t, filepath.Join(run, "fit.png"))
		return run
	}
	two := [...]string{trained("cnp", "east,north", ""), trained("bnp", "east,north", "")}
	three := [...]string{trained("cnp", "east,north,kind", ", categories: [kind]"), trained("acqnp", "east,north,kind", ", categories: [kind]")}
	out := filepath.Join(dir, "fit.png")
	// A row of maps is 290 pt high, with 70 pt for title and legend. Two columns of panels are 360 pt wide each, with
	// 60 pt more, and 295 pt high, with 124 pt more. 96 dots are 72 pt.
	for _, c := range []struct {
		runs          [2]string
		width, height int
	}{{two, 1200, 4*387 + 93}, {three, 1040, 2*394 + 165}} {
		succeed(t, "plot", "fit", "--run", c.runs[0], "--run", c.runs[1], "--groups", "2", "--out", out, "--overwrite", "--quiet")
		if size := decode(t, out).Bounds().Size(); abs(size.X-c.width) > 2 || abs(size.Y-c.height) > 2 {
			t.Errorf("%v pixels, want %d×%d", size, c.width, c.height)
		}
	}
	many := []string{"plot", "fit", "--groups", "4", "--out", out, "--overwrite"}
	for range 7 {
		many = append(many, "--run", two[0])
	}
	checkRefusal(t, "28 maps", acqnp(many...), 2, "at most 24")
}
