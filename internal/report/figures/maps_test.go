package figures_test

import (
	"bytes"
	"image/color"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/report/figures"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
)

// slope is a map whose median grows from left to right and whose width grows upwards.
func slope() figures.MapPlot {
	r := figures.MapRow{Title: "field", Channel: "rain", Context: plotter.XYZs{{X: 2, Y: 2, Z: 2}}, Held: plotter.XYZs{{X: 8, Y: 8, Z: 8}}}
	for i := range 11 {
		r.Columns, r.Rows = append(r.Columns, float64(i)), append(r.Rows, float64(i))
	}
	for j := range 11 {
		for i := range 11 {
			r.Median, r.Width = append(r.Median, float64(i)), append(r.Width, float64(j))
		}
	}
	return figures.MapPlot{Title: "cnp on csv", X: figures.Axis{Name: "east"}, Y: figures.Axis{Name: "north"}, Rows: []figures.MapRow{r}}
}

func TestMapsGrowWhereTheirNumbersDo(t *testing.T) {
	img := picture(t, slope(), "slope")
	light := func(x, y float64) int { // at a share of the picture's width and height
		c := color.GrayModel.Convert(img.At(int(x*float64(img.Bounds().Dx())), int(y*float64(img.Bounds().Dy())))).(color.Gray)
		return int(c.Y)
	}
	// The map of the median lies in the left half, that of the width in the right half. Large medians
	// are light, large widths dark.
	for _, y := range []float64{0.35, 0.75} {
		if a, b, c := light(0.1, y), light(0.2, y), light(0.38, y); !(a+20 < b && b+20 < c) {
			t.Errorf("lightness %d, %d, %d of the median from left to right", a, b, c)
		}
	}
	for _, x := range []float64{0.6, 0.8} {
		if a, b, c := light(x, 0.3), light(x, 0.5), light(x, 0.78); !(a+20 < b && b+20 < c) {
			t.Errorf("lightness %d, %d, %d of the width downwards", a, b, c)
		}
	}
	svg := string(save(t, slope(), "slope.svg"))
	for _, text := range []string{"field: median of rain", "field: width of the 90% interval", "east", "north", "known points", "held-out"} {
		if !strings.Contains(svg, text) {
			t.Errorf("no %q in the picture", text)
		}
	}
	unnamed := slope()
	unnamed.Rows[0].Title = ""
	if svg := string(save(t, unnamed, "unnamed.svg")); !strings.Contains(svg, ">median of rain<") || !strings.Contains(svg, ">width of the 90% interval<") {
		t.Error("without a name, the titles are not those of the numbers alone")
	}
	if n := strings.Count(svg, "<image"); n != 4 { // two maps and two bars
		t.Errorf("%d images", n)
	}
}

func TestOddMaps(t *testing.T) {
	one := slope()
	one.Rows[0].Columns, one.Rows[0].Rows, one.Rows[0].Median, one.Rows[0].Width = []float64{3}, []float64{4}, []float64{5}, []float64{0}
	line := slope()
	line.Rows[0].Rows, line.Rows[0].Median, line.Rows[0].Width = []float64{1}, line.Rows[0].Median[:11], line.Rows[0].Width[:11]
	wild := slope()
	wild.Rows[0].Median[3], wild.Rows[0].Median[4], wild.Rows[0].Width[5] = math.NaN(), math.Inf(1), 1e300
	wild.Rows[0].Context = append(wild.Rows[0].Context, plotter.XYZ{X: math.NaN(), Y: math.Inf(1), Z: math.NaN()})
	for name, f := range map[string]figures.MapPlot{"one": one, "line": line, "wild": wild} {
		for _, extension := range []string{".png", ".pdf"} {
			if content := save(t, f, name+extension); len(content) < 4000 {
				t.Errorf("%s%s has %d bytes", name, extension, len(content))
			}
		}
	}
}

// columns returns a small model of that many columns of x, the last with names if named, and a subject.
func columns(t *testing.T, n int, named bool) (predict.Trained, figures.Subject) {
	t.Helper()
	c := config.Model{Name: "acqnp", Representation: 6, Encoder: []int{7}, Decoder: []int{7}, Adaptor: []int{5}}
	scaling := datasets.Scaling{YOffset: []float64{5}, YScale: []float64{2}}
	width := n
	for range n {
		scaling.XOffset, scaling.XScale = append(scaling.XOffset, 0), append(scaling.XScale, 10)
	}
	if named {
		scaling.XForms = make([]rows.Form, n)
		scaling.XForms[n-1].Categories = []string{"a", "b", "c"}
		scaling.YForms = make([]rows.Form, 1)
		width += 2
	}
	m := must.Get(models.New(c, width, 1))(t)
	o := predict.Trained{Model: m, Params: m.Initial(3), NumTau: 3, Levels: predict.RandomLevels, Seed: 43, Benchmark: "csv",
		Units: run.Units{Scaling: scaling, XNames: strings.Split("abcdef", "")[:n], YNames: []string{"rain"}}}
	s := figures.Subject{Question: points.Question{Name: "field", Targets: points.New(n, 1, nil, nil)}}
	for i := range 400 {
		for k := range n {
			s.Targets.X = append(s.Targets.X, float64((i*(k+7)+i/(k+1))%3))
		}
		s.Targets.Y = append(s.Targets.Y, float64(i%9))
	}
	s.Known, s.Held = points.New(n, 1, s.Targets.X[:3*n], []float64{1, 2, 3}), s.Targets
	return o, s
}

func TestPicturesFollowTheColumnsOfX(t *testing.T) {
	for name, c := range map[string]struct {
		columns int
		named   bool
		text    string
	}{
		"one":       {1, false, "densest 50%"},
		"names":     {1, true, "densest 50%"},
		"two":       {2, false, "width of the 90% interval"},
		"two named": {2, true, "50 and 90% of a prediction"},
		"three":     {3, false, "50 and 90% of a prediction"},
	} {
		o, s := columns(t, c.columns, c.named)
		figure := must.Get(figures.NewPrediction(t.Context(), o, []figures.Subject{s}, figures.Options{}))(t)
		svg := save(t, figure, name+".svg")
		if !bytes.Contains(svg, []byte(c.text)) || !bytes.Contains(svg, []byte("field")) {
			t.Errorf("%s: a picture without %q", name, c.text)
		}
		if len(svg) > 1<<20 {
			t.Errorf("%s: %d bytes", name, len(svg))
		}
	}
}

// Between names there is no y: each has a median of its own.
func TestMediansOfNamesAreNotJoined(t *testing.T) {
	for named, want := range map[bool]int{false: 1, true: 3} {
		o, s := columns(t, 1, named)
		figure := must.Get(figures.NewPrediction(t.Context(), o, []figures.Subject{s}, figures.Options{}))(t)
		const casing = "stroke-width:3\"" // beneath a median, and nowhere else
		if n := strings.Count(string(save(t, figure, "medians.svg")), casing); n != want {
			t.Errorf("names %t: %d pieces of the median, want %d", named, n, want)
		}
	}
}

func TestPicturesOfNothingInTwoColumns(t *testing.T) {
	for _, n := range []int{2, 3} {
		o, s := columns(t, n, false)
		s.Targets, s.Known, s.Held = points.Points{}, points.Points{}, points.Points{}
		figure, err := figures.NewPrediction(t.Context(), o, []figures.Subject{s}, figures.Options{})
		if err == nil {
			err = figure.Save(filepath.Join(t.TempDir(), "nothing.png"), nil)
		}
		if n == 3 && err != nil || n == 2 && err == nil {
			t.Errorf("%d columns: %v", n, err)
		}
	}
}
