package figures_test

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"testing"

	"gonum.org/v1/plot/plotter"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/report/figures"
)

// shadedBy returns a panel with the same density at every x, and y from −4 to 4.
func shadedBy(d figures.Density) figures.Panel {
	p := figures.Panel{Context: plotter.XYs{{X: 0, Y: -4}, {X: 1, Y: 4}}}
	for i := range 101 {
		p.Grid = append(p.Grid, figures.PredictedPoint{X: float64(i) / 100, Density: d})
	}
	return p
}

func mixture(components ...likelihood.Gaussian) figures.Density {
	return likelihood.GaussianMixtureOf(components)
}

// The shades of the regions: the blue of each lies between that of the next and of the last.
const (
	half  = iota // denser than the 50% region's edge
	most         // between the edges at 50 and 90%
	faint        // beyond 90%
	line         // the median
)

func shadeOf(c color.Color) int {
	v := color.NRGBAModel.Convert(c).(color.NRGBA)
	switch {
	case v.R < 0x40 && v.B < 0x60:
		return line
	case v.R < 0x78:
		return half
	case v.R < 0xce:
		return most
	}
	return faint
}

// bands returns the shades in a column of pixels in the middle of the panel, from the top, and the
// lengths of the runs. The median and its edge count as the shade around them.
func bands(img image.Image) (shades, lengths []int) {
	x := img.Bounds().Dx() * 2 / 5 // away from the lines of the grid
	for y := 110; y < 725; y++ {
		s := shadeOf(img.At(x, y))
		if n := len(shades); n > 0 && (s == line || shades[n-1] == s) {
			lengths[n-1]++
			continue
		}
		if n := len(shades); n > 1 && lengths[n-1] < 6 && s == shades[n-2] { // the edge of the median
			lengths[n-2] += lengths[n-1] + 1
			shades, lengths = shades[:n-1], lengths[:n-1]
			continue
		}
		shades, lengths = append(shades, s), append(lengths, 1)
	}
	return shades, lengths
}

func TestShadingHoldsWhatItSays(t *testing.T) {
	p := shadedBy(mixture(likelihood.Gaussian{Mean: 0, Scale: 1}))
	shades, lengths := bands(picture(t, figure(p), "normal"))
	if len(shades) != 5 || shades[1] != most || shades[2] != half || shades[3] != most {
		t.Fatalf("shades %v of %v pixels", shades, lengths)
	}
	// The 50% region of a normal distribution is ±0.6745, the 90% region ±1.6449. y runs over 8.64
	// (8 and 4 % at either end) in some 590 pixels, so each edge is within a pixel of its place.
	inner, outer := float64(lengths[2]), float64(lengths[1]+lengths[2]+lengths[3])
	if got, want := inner/outer, 0.6745/1.6449; math.Abs(got-want) > 2/outer {
		t.Errorf("half of the prediction in %v of %v pixels: %.3f, expected %.3f", inner, outer, got, want)
	}
	if math.Abs(float64(lengths[1]-lengths[3])) > 2 {
		t.Errorf("%d and %d pixels at either side of a symmetric density", lengths[1], lengths[3])
	}
}

func TestShadingShowsBranches(t *testing.T) {
	p := shadedBy(mixture(likelihood.Gaussian{Mean: -2, Scale: 0.3}, likelihood.Gaussian{Mean: 2, Scale: 0.3}))
	shades, lengths := bands(picture(t, figure(p), "branches"))
	want := []int{faint, most, half, most, faint, most, half, most, faint}
	if len(shades) != len(want) {
		t.Fatalf("shades %v of %v pixels", shades, lengths)
	}
	for i := range want {
		if shades[i] != want[i] {
			t.Fatalf("shades %v of %v pixels", shades, lengths)
		}
	}
	if lengths[4] < 100 {
		t.Errorf("%d pixels between the branches", lengths[4])
	}
}

// A panel goes where the predictions go, if that is not far beyond the data.
func TestPanelsShowWherePredictionsGo(t *testing.T) {
	for rise, shown := range map[float64]bool{4: true, 1e6: false} {
		p := figures.Panel{Context: plotter.XYs{{X: 0, Y: 0}, {X: 0.2, Y: 1}}}
		for i := range 101 {
			x := float64(i) / 100
			p.Grid = append(p.Grid, figures.PredictedPoint{X: x, Density: mixture(likelihood.Gaussian{Mean: rise * x, Scale: 0.3})})
		}
		img := picture(t, figure(p), "rising")
		atEnd := count(img, 0.85, 0.14, 0.95, 0.9, func(r, _, b int) bool { return r < 0x78 && b > 0x90 })
		if (atEnd > 1000) != shown {
			t.Errorf("a rise to %g: %d pixels of the densest half at the end", rise, atEnd)
		}
	}
}

func TestShadingShowsNarrowDensities(t *testing.T) {
	// Much narrower than a pixel, and partly beyond the panel. One of two equal branches is half of the
	// prediction.
	for name, d := range map[string]figures.Density{
		"narrow":    mixture(likelihood.Gaussian{Mean: 1, Scale: 1e-9}, likelihood.Gaussian{Mean: -1, Scale: 1e-8}),
		"half away": mixture(likelihood.Gaussian{Mean: 1, Scale: 0.1}, likelihood.Gaussian{Mean: 900, Scale: 0.1}),
	} {
		img := picture(t, figure(shadedBy(d)), name)
		if n := count(img, 0.1, 0.14, 0.95, 0.9, func(r, g, b int) bool { return b > r+60 }); n < 700 {
			t.Errorf("%s: %d pixels of the density", name, n)
		}
	}
}

// brokenDensity has numbers that are none.
type brokenDensity struct{ cdf, quantile float64 }

func (d brokenDensity) CDF(float64) float64      { return d.cdf }
func (d brokenDensity) Quantile(float64) float64 { return d.quantile }

func TestOddDensities(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	one := shadedBy(mixture(likelihood.Gaussian{Mean: 0, Scale: 1}))
	one.Grid = one.Grid[:1]
	alone := one
	alone.Context = nil
	wild := shadedBy(mixture(likelihood.Gaussian{Mean: 0, Scale: 1}))
	wild.Grid[3].Density, wild.Grid[4].X, wild.Grid[5].X = nil, nan, inf
	for name, p := range map[string]figures.Panel{
		"one": one, "alone": alone, "wild": wild,
		"nan": shadedBy(brokenDensity{nan, nan}), "none": shadedBy(brokenDensity{0, inf}), "all": shadedBy(brokenDensity{1, -inf}),
		"huge": shadedBy(mixture(likelihood.Gaussian{Mean: 1e300, Scale: 1e300})),
		"wide": shadedBy(mixture(likelihood.Gaussian{Mean: 0, Scale: 1e300})),
	} {
		if n := count(picture(t, figure(p), name), 0, 0.12, 1, 1, inked); n < 500 {
			t.Errorf("%s: %d pixels drawn", name, n)
		}
	}
}

func TestShadingIsOneImageOfVectorFiles(t *testing.T) {
	p := shadedBy(mixture(likelihood.Gaussian{Mean: 0, Scale: 1}))
	svg := save(t, figure(p), "shading.svg")
	if images, typed := bytes.Count(svg, []byte("<image")), bytes.Count(svg, []byte("data:image/png;base64,iVBORw0KGgo")); images != 1 || typed != 1 {
		t.Errorf("%d images in SVG, %d of them called the PNG that they are", images, typed)
	}
	if n := bytes.Count(save(t, figure(p), "shading.pdf"), []byte("/Subtype /Image")); n < 1 || n > 2 { // and its transparency
		t.Errorf("%d images in PDF", n)
	}
}

// The median is drawn where it is one curve, and not where it lies between two branches at some x.
func TestMedianIsDrawnIfItIsOneCurve(t *testing.T) {
	pixels := func(branched ...int) int {
		p := shadedBy(mixture(likelihood.Gaussian{Mean: 0, Scale: 1}))
		for _, i := range branched {
			p.Grid[i].Density = mixture(likelihood.Gaussian{Mean: -2, Scale: 0.3}, likelihood.Gaussian{Mean: 2, Scale: 0.3})
		}
		return count(picture(t, figure(p), "medians"), 0.1, 0.45, 0.95, 0.6, dark)
	}
	var some []int
	for i := range 40 {
		some = append(some, 30+i)
	}
	if whole, one, part := pixels(), pixels(40), pixels(some...); whole < 800 || one < 800 || part > 0 {
		t.Errorf("%d, %d and %d pixels of the median where 0, 1 and 40 of 101 densities have two peaks", whole, one, part)
	}
	// The densest half of whole numbers ends within one of them: with 32% at 1 and at 5, and 16% at 3, it has a
	// part of 3.
	counts := shadedBy(mixture(likelihood.Gaussian{Mean: 0, Scale: 1}))
	var parts []likelihood.Gaussian
	logits := []float64{math.Log(0.32), math.Log(0.1), math.Log(0.16), math.Log(0.1), math.Log(0.32)}
	for k := range logits {
		parts = append(parts, likelihood.Gaussian{Mean: float64(k + 1), Scale: 0.1})
	}
	whole := likelihood.Support{Low: new(float64), Whole: true}.Of(likelihood.WeightedGaussians(parts, logits))
	for i := range counts.Grid {
		counts.Grid[i].Density = whole
	}
	if n := count(picture(t, figure(counts), "counts"), 0.15, 0.2, 0.9, 0.6, dark); n < 800 {
		t.Errorf("%d pixels of the median of whole numbers", n)
	}
	// A median that jumps from one branch to the other is no curve.
	p := shadedBy(mixture(likelihood.Gaussian{Mean: 0, Scale: 1}))
	for i := range p.Grid {
		sign := 1.
		if i > len(p.Grid)/2 {
			sign = -1
		}
		p.Grid[i].Density = mixture(likelihood.Gaussian{Mean: 2 * sign, Scale: 0.3}, likelihood.Gaussian{Mean: 2.01 * sign, Scale: 0.3}, likelihood.Gaussian{Mean: -2 * sign, Scale: 0.3})
	}
	if n := count(picture(t, figure(p), "jump"), 0.1, 0.14, 0.95, 0.9, dark); n > 0 {
		t.Errorf("%d pixels of a median that jumps", n)
	}
}

// Panels of one column have the same range, unless one of them would be too small to see.
func TestPanelsShareAxes(t *testing.T) {
	ticks := func(scale float64) int {
		a := shadedBy(mixture(likelihood.Gaussian{Mean: 0, Scale: 1}))
		b := shadedBy(mixture(likelihood.Gaussian{Mean: 0, Scale: scale}))
		b.Context = nil
		return bytes.Count(save(t, figure(a, b), "shared.svg"), []byte(">-4<"))
	}
	if near, far := ticks(2), ticks(0.01); near != 2 || far != 1 {
		t.Errorf("−4 is at %d and %d axes of two panels, expected 2 where the ranges are alike and 1 where not", near, far)
	}
}
