package main

import (
	"image/color"
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/run"
)

// completing returns a small model of pictures of 4×3 pixels.
func completing(t *testing.T, channels int) predict.Trained {
	t.Helper()
	m, err := models.New(config.Model{Name: "cnp", Representation: 6, Encoder: []int{7}, Decoder: []int{7}}, 2, channels)
	if err != nil {
		t.Fatal(err)
	}
	s := datasets.Unscaled(2, channels)
	s.XOffset, s.XScale = []float64{1.5, 1}, []float64{1.5, 1}
	return predict.Trained{Model: m, Params: m.Initial(5), Device: device.CPU(1), Units: run.Units{Scaling: s}}
}

// ramp returns a 4×3 picture whose pixels, from the last to the first, have the value of their
// place in hundredths.
func ramp(channels int) pixels {
	m := pixels{Height: 4, Width: 3, Points: points.New(2, channels, nil, nil)}
	for p := 11; p >= 0; p-- {
		m.X = append(m.X, float64(p/3), float64(p%3))
		for c := range channels {
			m.Y = append(m.Y, float64(p)/100+float64(c)/10)
		}
	}
	return m
}

func TestCompletePutsPixelsInTheirPlaces(t *testing.T) {
	for _, channels := range []int{1, 3} {
		o, m := completing(t, channels), ramp(channels)
		rows, err := complete(t.Context(), o, []pixels{m, m}, []int{2, 5}, "CNP")
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) != 2 || len(rows[1].Cells) != 2 || rows[0].Label != "CNP" {
			t.Fatalf("%d rows", len(rows))
		}
		for p := range 12 {
			for c := range channels {
				want, at := float64(p)/100+float64(c)/10, p*channels+c
				if got := rows[1].Truth.Values[at]; got != want {
					t.Errorf("pixel %d, channel %d: %g", p, c, got)
				}
				for k, n := range []int{2, 5} {
					got := rows[1].Cells[k].Context.Values[at]
					if known := p >= 12-n; known && got != want || !known && !math.IsNaN(got) {
						t.Errorf("context of %d: pixel %d has %g", n, p, got)
					}
				}
			}
		}
		// The prediction at the pixel of row 2 and column 1 alone.
		f := points.Question{Known: m.Cut(0, 5), Targets: points.New(2, 0, []float64{2, 1}, nil)}
		for target, err := range o.Predict(t.Context(), []points.Question{f}) {
			if err != nil {
				t.Fatal(err)
			}
			variance := 0.0
			for c, d := range target.Channels {
				variance += d.Variance() / float64(channels)
				if got := rows[0].Cells[1].Mean.Values[7*channels+c]; math.Abs(got-d.Mean()) > 1e-6 { // float32, cut into other runs
					t.Errorf("mean %g, want %g", got, d.Mean())
				}
			}
			if got := rows[0].Cells[1].SD.Values[7]; math.Abs(got-math.Sqrt(variance)) > 1e-6 {
				t.Errorf("deviation %g, want %g", got, math.Sqrt(variance))
			}
		}
	}
}

func TestCompletionTellsUnknownPixelsApart(t *testing.T) {
	truth := picture{Height: 2, Width: 2, Channels: 3, Values: []float64{1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 2, 2}}
	known := picture{Height: 2, Width: 2, Channels: 1, Values: []float64{math.NaN(), 0, 0.5, 1}}
	deviation := picture{Height: 2, Width: 2, Channels: 1, Values: []float64{0.1, 0.2, math.Inf(1), math.NaN()}}
	fig := completion{Title: "pictures", Sizes: []int{3}, Rows: []completionRow{
		{Truth: truth, Cells: []completionCell{{Context: known, Mean: truth, SD: deviation}}},
	}}
	img := drawn(t, fig)
	seen := map[color.NRGBA]int{}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			seen[color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)]++
		}
	}
	// A picture is 84 pt or 112 pixels wide, and one of its pixels half of that, less the edges.
	const pixel = 50 * 50
	for name, c := range map[string]struct {
		colour color.NRGBA
		times  int
	}{
		"red": {color.NRGBA{R: 255, A: 255}, 2}, "green": {color.NRGBA{G: 255, A: 255}, 2}, "blue": {color.NRGBA{B: 255, A: 255}, 2},
		"grey": {color.NRGBA{128, 128, 128, 255}, 1}, "unknown": {color.NRGBA{0x35, 0x5c, 0x9c, 255}, 1},
		"largest deviation": {color.NRGBA{0x7a, 0xd1, 0x51, 255}, 2},
	} {
		if n := seen[c.colour]; n < c.times*pixel {
			t.Errorf("%d pixels of %s, want %d at least", n, name, c.times*pixel)
		}
	}
}
