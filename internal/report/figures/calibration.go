package figures

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/report/tables"
)

// A Calibration shows whether predictions are calibrated, from the scores of targets: the histogram
// of the PIT, and observed by nominal coverage.
type Calibration struct {
	Title  string // of a file
	Means  score.Means
	Groups []score.Group // may be empty
}

// outside is the probability with which a calibrated model leaves a band.
const outside = 0.05

// A Reliability is the share of targets inside the central interval of probability Nominal, and the
// range in which it lies for 95 of 100 calibrated models.
type Reliability struct{ Nominal, Observed, Low, High float64 }

// Independent returns the number of independent targets that tell as much as the scored ones.
// Targets of one group are alike: if their coverage differs between groups by more than chance,
// they count less. It is from 1 to the number of targets, and at least that of groups.
func (c Calibration) Independent() int {
	n, effects, known := float64(c.Means.Targets), 0.0, 0.0
	for _, of := range []func(score.Coverage) float64{
		func(c score.Coverage) float64 { return c.Half },
		func(c score.Coverage) float64 { return c.Most },
	} {
		if effect := designEffect(c.Groups, of); effect > 0 {
			effects, known = effects+effect, known+1
		}
	}
	if known > 0 {
		n = min(n, n/(effects/known))
	}
	return max(1, int(math.Round(max(n, float64(len(c.Groups))))))
}

// designEffect returns the variance of a coverage over groups in units of that of independent
// targets, or 0 if it is unknown.
func designEffect(groups []score.Group, of func(score.Coverage) float64) float64 {
	groups = slices.Clone(groups)
	count, n, inside := float64(len(groups)), 0.0, 0.0
	for i, f := range groups {
		if f.Points -= f.Limits; f.Points == 0 {
			f.Coverage = score.Coverage{}
		}
		groups[i] = f
		n += float64(f.Points)
		inside += float64(f.Points) * of(f.Coverage)
	}
	mean, squares := inside/n, 0.0
	if count < 2 || mean <= 0 || mean >= 1 {
		return 0
	}
	for _, f := range groups {
		d := float64(f.Points) * (of(f.Coverage) - mean)
		squares += d * d
	}
	return squares * count / (count - 1) / (n * mean * (1 - mean))
}

// Band returns the range in which the shares of all bins of the PIT lie for at least 95 of 100
// calibrated models.
func (c Calibration) Band() (low, high float64) {
	bins := float64(len(c.Means.PIT))
	return binomialRange(c.Independent(), 1/bins, outside/bins)
}

// BinsOutside returns the number of bins of the PIT below and above the band.
func (c Calibration) BinsOutside() (below, above int) {
	low, high := c.Band()
	for _, share := range c.Means.PIT {
		switch {
		case share < low-rounding:
			below++
		case share > high+rounding:
			above++
		}
	}
	return below, above
}

// rounding is a bound of the rounding errors of shares.
const rounding = 1e-9

// Reliability returns the coverage of central intervals, each two bins of the PIT wider than the one
// before.
func (c Calibration) Reliability() []Reliability {
	pit, n := c.Means.PIT, c.Independent()
	half, observed := len(pit)/2, 0.0
	var list []Reliability
	for k := 1; k < half; k++ {
		observed += pit[half-k] + pit[half+k-1]
		r := Reliability{Nominal: float64(k) / float64(half), Observed: observed}
		r.Low, r.High = binomialRange(n, r.Nominal, outside)
		list = append(list, r)
	}
	return list
}

// binomialRange returns the range of the share of n independent trials that succeed with probability
// p. The share is below it with a probability of at most half of outside, and above it likewise.
func binomialRange(n int, p, outside float64) (low, high float64) {
	b := distuv.Binomial{N: float64(n), P: p}
	// first returns the least number of successes k with P(K ≤ k) > level.
	first := func(level float64) int {
		lo, hi := 0, n
		for lo < hi {
			if k := (lo + hi) / 2; b.CDF(float64(k)) > level {
				hi = k
			} else {
				lo = k + 1
			}
		}
		return lo
	}
	return float64(first(outside/2)) / float64(n), float64(first(1-outside/2)) / float64(n)
}

// Sizes of calibration pictures: 400 pixels wide, to be legible on a phone.
const (
	calibrationWidth  = vg.Length(300)
	calibrationHeight = vg.Length(225)
)

var (
	barColour = color.NRGBA{R: 0x2a, G: 0x78, B: 0x8e, A: 0xff}
	outColour = seriesColours[1] // of bars outside the band
	evenStyle = draw.LineStyle{Color: ink, Width: 1, Dashes: []vg.Length{4, 3}}
)

// Pictures draws the histogram of the PIT and the reliability.
func (c Calibration) Pictures() ([]tables.Drawing, error) {
	pit, err := drawing("PIT histogram", calibrationWidth, calibrationHeight, c.histogram().Draw)
	if err != nil {
		return nil, err
	}
	reliability, err := drawing("Reliability", calibrationWidth, calibrationHeight, c.reliability().Draw)
	pit.Alt, reliability.Alt = c.histogramText(), c.reliabilityText()
	return []tables.Drawing{pit, reliability}, err
}

// drawing returns a picture for a page.
func drawing(title string, width, height vg.Length, draws func(draw.Canvas)) (tables.Drawing, error) {
	canvas, err := newCanvas("svg", width, height, nil)
	if err != nil {
		return tables.Drawing{}, err
	}
	draws(draw.Crop(draw.New(canvas), 4, -8, 4, -6))
	var b bytes.Buffer
	_, err = canvas.WriteTo(&b)
	return tables.Drawing{Title: title, Width: int(width / vg.Inch * 96), Height: int(height / vg.Inch * 96), SVG: b.Bytes()}, err
}

// Save draws the histogram of the PIT and the reliability side by side into path. The format follows from the
// extension.
func (c Calibration) Save(path string, w *warning.Record) error {
	box := func(colour color.Color) func(*draw.Canvas) { return func(c *draw.Canvas) { fillBox(c, colour) } }
	return Save(path, w, figureWidth, figureHeight*3/5, func(to draw.Canvas) {
		to = Heading(draw.Crop(to, 14, -20, 12, -14), c.Title, []Entry{
			{"inside the band", lineWidth, box(barColour)},
			{"outside it", lineWidth, box(outColour)},
			{"95% of calibrated models", lineWidth, box(bandColour)},
			LineEntry("calibrated on average", evenStyle),
		})
		drawPlots(to, []*plot.Plot{c.histogram(), c.reliability()}, 2)
	})
}

// newCalibrationPlot returns an empty panel with x from 0 to 1.
func newCalibrationPlot(x, y string) *plot.Plot {
	p := newPlot(x, y)
	p.X.Min, p.X.Max = 0, 1
	p.X.Tick.Marker, p.Y.Tick.Marker = fewTicks, fewTicks
	return p
}

// histogram draws the shares of the bins as bars in front of the band.
func (c Calibration) histogram() *plot.Plot {
	p := newCalibrationPlot("PIT", "share of targets")
	low, high := c.Band()
	p.Y.Min, p.Y.Max = 0, 1.08*max(slices.Max(c.Means.PIT), high)
	level := func(y float64) plotter.XYs { return plotter.XYs{{X: 0, Y: y}, {X: 1, Y: y}} }
	edge := draw.LineStyle{Color: ink, Width: 0.7}
	inside, beyond := &plotter.Histogram{FillColor: barColour}, &plotter.Histogram{FillColor: outColour}
	const gap = 0.0025
	for i, share := range c.Means.PIT {
		bars, n := inside, float64(len(c.Means.PIT))
		if share < low-rounding || share > high+rounding {
			bars = beyond
		}
		bars.Bins = append(bars.Bins, plotter.HistogramBin{Min: float64(i)/n + gap, Max: float64(i+1)/n - gap, Weight: share})
	}
	p.Add(band{level(low), level(high), bandColour}, inside, beyond,
		Curve{level(low), edge}, Curve{level(high), edge}, Curve{level(1 / float64(len(c.Means.PIT))), evenStyle})
	return p
}

// reliability draws the observed coverage of central intervals by the nominal one.
func (c Calibration) reliability() *plot.Plot {
	p := newCalibrationPlot("nominal coverage", "observed coverage")
	p.Y.Min, p.Y.Max = 0, 1
	ends := func(middle plotter.XYs) plotter.XYs {
		return append(append(plotter.XYs{{}}, middle...), plotter.XY{X: 1, Y: 1})
	}
	var low, high, observed plotter.XYs
	for _, r := range c.Reliability() {
		low, high = append(low, plotter.XY{X: r.Nominal, Y: r.Low}), append(high, plotter.XY{X: r.Nominal, Y: r.High})
		observed = append(observed, plotter.XY{X: r.Nominal, Y: r.Observed})
	}
	p.Add(band{ends(low), ends(high), bandColour}, Curve{ends(nil), evenStyle},
		Curve{ends(observed), draw.LineStyle{Color: barColour, Width: 2}}, dots{observed, dotStyle{color: barColour, radius: 3}})
	return p
}

func (c Calibration) histogramText() string {
	low, high := c.Band()
	text := fmt.Sprintf("The band is from %.1f to %.1f%%; ", 100*low, 100*high)
	below, above := c.BinsOutside()
	if below+above == 0 {
		return text + fmt.Sprintf("all %d bars end in it.", len(c.Means.PIT))
	}
	return text + fmt.Sprintf("%d of %d bars end below it and %d above it.", below, len(c.Means.PIT), above)
}

func (c Calibration) reliabilityText() string {
	return fmt.Sprintf("The 50%% intervals hold %.1f%% of the targets, the 90%% intervals %.1f%%. %s count as %d independent ones.",
		100*c.Means.Coverage.Half, 100*c.Means.Coverage.Most, invalid.Plural(c.Means.Targets, "target", "targets"), c.Independent())
}
