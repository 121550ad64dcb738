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

	"github.com/acqnp/acqnp/internal/report/figures"
)

// twoBranches returns an invented prediction of a double sine: half of the levels on each branch,
// the same levels at every x or others at each.
func twoBranches(sameLevels bool) figures.Panel {
	p := figures.Panel{Title: "double-sine", Lines: []figures.Line{
		{Kind: figures.QuantileLine, Level: 0.05}, {Kind: figures.QuantileLine, Level: 0.5},
		{Kind: figures.QuantileLine, Level: 0.95}, {Kind: figures.MeanLine}}}
	const levels, n = 20, 200
	for i := range n {
		x := -2 + 4*float64(i)/(n-1)
		a, b := 1.2*math.Sin(2*x), 0.8*math.Cos(1.5*x)
		low, high := math.Min(a, b), math.Max(a, b)
		q := figures.PredictedPoint{X: x, Values: []float64{low - 0.1, (a + b) / 2, high + 0.1, (a + b) / 2}}
		for k := range levels {
			u := (float64(k) + 0.5) / levels
			if !sameLevels {
				u = math.Mod(float64(i*levels+k)*0.6180339887, 1)
			}
			// The few levels around ½ cross between the branches, with little weight.
			side := 1 / (1 + math.Exp(-(u-0.5)*60))
			weight := (0.02 + 4*(u-0.5)*(u-0.5)) / levels
			q.Components = append(q.Components, figures.Component{U: u, Tau: u, Mu: low*(1-side) + high*side, Weight: weight})
		}
		p.Grid = append(p.Grid, q)
		if i%12 == 0 {
			p.Context = append(p.Context, plotter.XY{X: x, Y: a})
		} else if i%4 == 0 {
			p.Targets = append(p.Targets, plotter.XY{X: x, Y: b})
		}
	}
	return p
}

// withCloud returns a panel with a thousand context points around its levels.
func withCloud() figures.Panel {
	p := twoBranches(false)
	p.Context = nil
	for i := range 1000 {
		q := p.Grid[i%200]
		p.Context = append(p.Context, plotter.XY{X: q.X, Y: q.Components[i%20].Mu + 0.05*math.Sin(float64(i*i))})
	}
	return p
}

// gaussian returns a panel with only a mean and quantiles.
func gaussian() figures.Panel {
	p := twoBranches(true)
	for i := range p.Grid {
		p.Grid[i].Components = nil
	}
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
	if err := fig.Save(path, nil); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func picture(t *testing.T, fig figures.Figure, name string) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(save(t, fig, name+".png")))
	if err != nil {
		t.Fatal(err)
	}
	return img
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
func purple(r, g, b int) bool { return b > 50 && b > r && r > g+40 }      // τ near 0
func green(r, g, b int) bool  { return g > 180 && g > r+50 && g > b+80 }  // τ near 1
func orange(r, g, b int) bool { return r > 190 && r > g+80 && b < 60 }    // the mean
func inked(r, g, b int) bool  { return r < 0xf0 || g < 0xf0 || b < 0xf0 } // not paper

func TestFitPlotShowsItsParts(t *testing.T) {
	// A wide strip below the heading, so that the legend's samples do not count.
	inPanel := func(img image.Image, accept func(r, g, b int) bool) int {
		return count(img, 0.09, 0.16, 0.98, 0.9, accept)
	}
	for name, fig := range map[string]figures.FitPlot{
		"grid":     figure(twoBranches(true)),
		"random":   figure(twoBranches(false)),
		"cloud":    figure(withCloud(), withCloud()),
		"gaussian": figure(gaussian()),
		"three":    figure(twoBranches(true), twoBranches(false), gaussian()),
	} {
		t.Run(name, func(t *testing.T) {
			img := picture(t, fig, name)
			if size := img.Bounds().Size(); size != image.Pt(1200, 800) {
				t.Errorf("size %v", size)
			}
			levels := name != "gaussian"
			// Each mark covers at least some hundred pixels. Without it, no pixel has its colour.
			if n := inPanel(img, purple); n > 300 != levels {
				t.Errorf("%d pixels of low levels", n)
			}
			if n := inPanel(img, green); n > 300 != levels {
				t.Errorf("%d pixels of high levels", n)
			}
			if n := inPanel(img, orange); n < 800 {
				t.Errorf("%d pixels of the mean", n)
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

func TestHeavyLevelsAreDarker(t *testing.T) {
	p := figures.Panel{Lines: []figures.Line{{Kind: figures.MeanLine}}}
	for i := range 100 {
		p.Grid = append(p.Grid, figures.PredictedPoint{X: float64(i), Values: []float64{2}, Components: []figures.Component{
			{U: 0.1, Tau: 0.1, Mu: 1, Weight: 0.7}, {U: 0.2, Tau: 0.1, Mu: 3, Weight: 0.29}, {U: 0.3, Tau: 0.1, Mu: 4, Weight: 0.01},
		}})
	}
	img := picture(t, figure(p), "weights")
	darkest := func(top, bottom float64) int {
		least := 0x2ff
		count(img, 0.2, top, 0.9, bottom, func(r, g, b int) bool {
			if r > g+8 && b > g+8 { // of the levels' purple
				least = min(least, r+g+b)
			}
			return false
		})
		return least
	}
	// y runs from 1 near the bottom of the panel to 3 near its top; the mean lies between.
	heavy, light := darkest(0.75, 0.94), darkest(0.11, 0.35)
	if heavy >= light || light > 0x2f0 {
		t.Errorf("brightness %d of the heavy level, %d of the light one", heavy, light)
	}
}

// A title of many settings takes as many lines as it needs; no word of it is lost.
func TestLongTitlesWrap(t *testing.T) {
	long := "acqnp (" + strings.Repeat("a setting of the model, ", 12) + "ensemble of 5) on data"
	f := figure(twoBranches(true))
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
		if !bytes.Equal(save(t, figure(twoBranches(false)), name), save(t, figure(twoBranches(false)), name)) {
			t.Errorf("%s differs from draw to draw", name)
		}
	}
	if !bytes.Contains(save(t, figure(twoBranches(true)), "a.pdf"), []byte("/CreationDate (D:19700101")) {
		t.Error("a PDF bears the time of its making")
	}
	shuffled := twoBranches(true)
	for i, j := 0, len(shuffled.Grid)-1; i < j; i, j = i+1, j-1 {
		shuffled.Grid[i], shuffled.Grid[j] = shuffled.Grid[j], shuffled.Grid[i]
	}
	if !bytes.Equal(save(t, figure(twoBranches(true)), "b.svg"), save(t, figure(shuffled), "b.svg")) {
		t.Error("the order of the targets changes the figure")
	}
}

func TestOddFigures(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	one := twoBranches(true)
	one.Grid, one.Context, one.Targets = one.Grid[:1], nil, nil
	wild := twoBranches(true)
	wild.Grid[7].Values[3], wild.Grid[8].Values[0], wild.Grid[9].Components[3].Mu, wild.Grid[10].Components[2].Weight = nan, -inf, nan, nan
	wild.Grid[11].Values[3] = 1e300
	uneven := twoBranches(true)
	uneven.Grid[50].Components = uneven.Grid[50].Components[:7]
	flat := figures.Panel{Lines: []figures.Line{{Kind: figures.MeanLine}},
		Grid: []figures.PredictedPoint{{X: 0, Values: []float64{5}}, {X: 1, Values: []float64{5}}}}
	tiny := figures.Panel{Context: plotter.XYs{{X: 1e-9, Y: 1e12}, {X: 2e-9, Y: 1.1e12}}}
	huge := figures.Panel{Context: plotter.XYs{{X: -1e300, Y: 1e300}, {X: 1e300, Y: -1e300}}}
	farOff := figures.Panel{Context: plotter.XYs{{X: 1.7e18, Y: 0}, {X: 1.7e18 + 512, Y: 1}}}
	endless := figures.Panel{Context: plotter.XYs{{X: -1.7e308, Y: 0}, {X: 1.7e308, Y: 1}}}
	same := figures.Panel{Context: plotter.XYs{{X: 1e17, Y: 1}, {X: 1e17, Y: 1}}}
	for name, p := range map[string]figures.Panel{
		"one": one, "wild": wild, "uneven": uneven, "flat": flat, "tiny": tiny, "huge": huge, "same": same, "far off": farOff, "endless": endless, "empty": {},
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
