package figures_test

import (
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/report/figures"
)

// Of 0 and 1 a region says only which is likelier; with 2, it is a region again.
func TestTwoValuesHaveALineOfProbability(t *testing.T) {
	one, two := 1.0, 2.0
	for _, c := range []struct {
		high *float64
		line bool
	}{{&one, true}, {&two, false}} {
		of := likelihood.Support{Low: new(float64), High: c.high, Whole: true}
		p := figures.Panel{Title: "a", YLabel: "y", Context: plotter.XYs{{X: 0, Y: 1}}}
		for i := range 11 {
			d := likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: float64(i) / 10, Scale: 0.4}})
			p.Grid = append(p.Grid, figures.PredictedPoint{X: float64(i) / 10, Density: of.Of(d)})
		}
		svg := string(save(t, figure(p), "two.svg"))
		if line, region := strings.Contains(svg, "probability of the upper value"), strings.Contains(svg, "densest 50%"); line != c.line || region == c.line {
			t.Errorf("up to %g: a line %v, regions %v", *c.high, line, region)
		}
	}
}
