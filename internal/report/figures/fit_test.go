package figures_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/report/figures"
	"github.com/acqnp/acqnp/internal/test/must"
)

// twoBranches returns an invented prediction of a double sine, with half of it on each branch, and quantiles.
func twoBranches() figures.Panel {
	p := figures.Panel{Title: "double-sine", Quantiles: []float64{0.05, 0.5, 0.95}}
	const n = 200
	for i := range n {
		x := -2 + 4*float64(i)/(n-1)
		a, b := 1.2*math.Sin(2*x), 0.8*math.Cos(1.5*x)
		p.Grid = append(p.Grid, figures.PredictedPoint{X: x, Density: mixture(likelihood.Gaussian{Mean: a, Scale: 0.1}, likelihood.Gaussian{Mean: b, Scale: 0.1})})
		if i%12 == 0 {
			p.Context = append(p.Context, plotter.XY{X: x, Y: a})
		} else if i%4 == 0 {
			p.Targets = append(p.Targets, plotter.XY{X: x, Y: b})
		}
	}
	return p
}

// withCloud returns a panel with a thousand context points around its branches.
func withCloud() figures.Panel {
	p := twoBranches()
	p.Context = nil
	for i := range 1000 {
		q := p.Grid[i%200]
		p.Context = append(p.Context, plotter.XY{X: q.X, Y: q.Density.Quantile(0.05+0.9*float64(i%2)) + 0.05*math.Sin(float64(i*i))})
	}
	return p
}

// marked returns a panel with a mark instead of a density.
func marked() figures.Panel {
	p := twoBranches()
	line := figures.Curve{Style: draw.LineStyle{Color: color.NRGBA{R: 0xd5, G: 0x5e, A: 0xff}, Width: 2}}
	for _, q := range p.Grid {
		line.Points = append(line.Points, plotter.XY{X: q.X, Y: q.X})
	}
	p.Grid, p.Quantiles = nil, nil
	p.Marks = []figures.Mark{{Plotter: line, Covers: line.Points, Entry: figures.LineEntry("a mark", line.Style)}}
	return p
}

func figure(panels ...figures.Panel) figures.FitPlot {
	return figures.FitPlot{Title: "acqnp on double-sine, step 1000", X: figures.Axis{Name: "x"}, Panels: panels}
}

// save draws to a file and returns its content. The file is kept in $ACQNP_PLOTS if that is set.
func save(t *testing.T, fig figures.Figure, name string) []byte {
	t.Helper()
	dir := os.Getenv("ACQNP_PLOTS")
	if dir == "" {
		dir = t.TempDir()
	}
	path := filepath.Join(dir, name)
	must.Do(t, fig.Save(path, nil))
	return must.Get(os.ReadFile(path))(t)
}

func picture(t *testing.T, fig figures.Figure, name string) image.Image {
	t.Helper()
	return must.Get(png.Decode(bytes.NewReader(save(t, fig, name+".png"))))(t)
}

// count returns how many pixels of a region (in fractions of the picture) have a colour that the
// test accepts.
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

func dark(r, g, b int) bool   { return r < 0x40 && g < 0x40 && b < 0x40 }
func blue(r, g, b int) bool   { return b > r+60 && b > g+20 }             // the densest half
func orange(r, g, b int) bool { return r > 190 && g < 110 && b < 60 }     // a mark
func inked(r, g, b int) bool  { return r < 0xf0 || g < 0xf0 || b < 0xf0 } // not paper

func TestFitPlotShowsItsParts(t *testing.T) {
	// A wide strip below the heading, so that the legend's samples do not count.
	inPanel := func(img image.Image, accept func(r, g, b int) bool) int {
		return count(img, 0.09, 0.16, 0.98, 0.9, accept)
	}
	for name, fig := range map[string]figures.FitPlot{
		"density": figure(twoBranches()),
		"cloud":   figure(withCloud(), withCloud()),
		"mark":    figure(marked()),
		"three":   figure(twoBranches(), withCloud(), marked()),
	} {
		t.Run(name, func(t *testing.T) {
			img := picture(t, fig, name)
			if size := img.Bounds().Size(); size != image.Pt(1200, 800) {
				t.Errorf("size %v", size)
			}
			// Each part covers at least some hundred pixels. Without it, no pixel has its colour.
			if n := inPanel(img, blue); n > 2000 != (name != "mark") {
				t.Errorf("%d pixels of the density", n)
			}
			if n := inPanel(img, orange); n > 800 != (name == "mark" || name == "three") {
				t.Errorf("%d pixels of a mark", n)
			}
			if n := inPanel(img, dark); name != "cloud" && n < 300 {
				t.Errorf("%d pixels of context", n)
			}
			if n := count(img, 0.02, 0.02, 0.9, 0.1, dark); n < 800 {
				t.Errorf("%d pixels of title and legend", n)
			}
		})
	}
}

// A title of many settings takes as many lines as it needs; no word of it is lost.
func TestLongTitlesWrap(t *testing.T) {
	long := "acqnp (" + strings.Repeat("a setting of the model, ", 12) + "ensemble of 5) on data"
	f := figure(twoBranches())
	f.Title = long
	var lines []string
	for _, text := range texts(t, save(t, f, "long.svg")) {
		if strings.Contains(long, text) && len(text) > 10 {
			lines = append(lines, text)
		}
	}
	if strings.Join(lines, " ") != long {
		t.Errorf("lines %q", lines)
	}
	for _, line := range lines {
		if len(line) > 130 { // 1200 pixels of letters that are 9 wide or more
			t.Errorf("a line of %d letters", len(line))
		}
	}
}

func TestEqualFiguresAreEqualFiles(t *testing.T) {
	for _, name := range []string{"a.svg", "a.pdf", "a.png"} {
		if !bytes.Equal(save(t, figure(twoBranches()), name), save(t, figure(twoBranches()), name)) {
			t.Errorf("%s differs from draw to draw", name)
		}
	}
	if !bytes.Contains(save(t, figure(twoBranches()), "a.pdf"), []byte("/CreationDate (D:19700101")) {
		t.Error("a PDF bears the time of its making")
	}
	shuffled := twoBranches()
	for i, j := 0, len(shuffled.Grid)-1; i < j; i, j = i+1, j-1 {
		shuffled.Grid[i], shuffled.Grid[j] = shuffled.Grid[j], shuffled.Grid[i]
	}
	if !bytes.Equal(save(t, figure(twoBranches()), "b.svg"), save(t, figure(shuffled), "b.svg")) {
		t.Error("the order of the targets changes the figure")
	}
}

func TestOddFigures(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	one := twoBranches()
	one.Grid, one.Context, one.Targets = one.Grid[:1], nil, nil
	wild := twoBranches()
	wild.Grid[7].Density, wild.Grid[8].Density, wild.Grid[9].Density = brokenDensity{nan, nan}, brokenDensity{0, -inf}, brokenDensity{0.5, 1e300}
	line := func(y ...float64) figures.Panel {
		var line plotter.XYs
		for i := range y {
			line = append(line, plotter.XY{X: float64(i), Y: y[i]})
		}
		p := marked()
		p.Context, p.Targets = nil, nil
		p.Marks[0].Plotter, p.Marks[0].Covers = figures.Curve{Points: line, Style: draw.LineStyle{Color: color.Black, Width: 1}}, line
		return p
	}
	tiny := figures.Panel{Context: plotter.XYs{{X: 1e-9, Y: 1e12}, {X: 2e-9, Y: 1.1e12}}}
	huge := figures.Panel{Context: plotter.XYs{{X: -1e300, Y: 1e300}, {X: 1e300, Y: -1e300}}}
	farOff := figures.Panel{Context: plotter.XYs{{X: 1.7e18, Y: 0}, {X: 1.7e18 + 512, Y: 1}}}
	endless := figures.Panel{Context: plotter.XYs{{X: -1.7e308, Y: 0}, {X: 1.7e308, Y: 1}}}
	same := figures.Panel{Context: plotter.XYs{{X: 1e17, Y: 1}, {X: 1e17, Y: 1}}}
	for name, p := range map[string]figures.Panel{
		"one": one, "wild": wild, "flat": line(5, 5), "broken": line(1, nan, -inf, 1e300, 2), "tiny": tiny, "huge": huge, "same": same, "far off": farOff, "endless": endless, "empty": {},
	} {
		if n := count(picture(t, figure(p), name), 0, 0.12, 1, 1, inked); n < 500 {
			t.Errorf("%s: %d pixels drawn", name, n)
		}
	}
}

// An SVG is XML whatever the names of groups and columns are. XML has no control characters.
func TestNamesOfAnySVG(t *testing.T) {
	o := tiny(t, "cnp", 2)
	o.Units.XNames, o.Units.YNames = []string{"flow"}, []string{"speed\x1b[31m<&", "noise"}
	f := lanes()[0]
	f.Name = "a\x00b\x08\xffc \u202e"
	all := strings.Join(texts(t, save(t, figure(curves(t, o, figures.Subject{Question: f})...), "names.svg")), "\n")
	for _, want := range []string{`a\x00b\b\xffc`, `speed\x1b[31m<&`} {
		if !strings.Contains(all, want) {
			t.Errorf("the drawing has no %q in %q", want, all)
		}
	}
}
