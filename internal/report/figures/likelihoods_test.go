package figures_test

import (
	"bytes"
	"testing"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/report/figures"
	"github.com/acqnp/acqnp/internal/report/tables"
)

// A mean far from the paper's is an arrow at the end of the axis, so that the paper's remain distinct.
func TestLikelihoodsFarOffAreArrows(t *testing.T) {
	row := func(ours float64) tables.Row {
		p := tables.Part{Mean: &ours, Paper: &catalogue.Number{Mean: 1, Spread: 0.1}}
		return tables.Row{Model: "acqnp", Variant: "<attention", Context: p, Target: p}
	}
	arcs := func(rows ...tables.Row) int { // circles of our means
		d, err := figures.Likelihoods(rows)
		if err != nil || d.Width != 400 || d.Height < 100 || bytes.Contains(d.SVG, []byte("<attention")) {
			t.Fatalf("error %v, %d × %d", err, d.Width, d.Height)
		}
		return bytes.Count(d.SVG, []byte("A3.2,3.2"))
	}
	if near, far := arcs(row(1.1), row(0.9)), arcs(row(1.1), row(-1e6)); near != 2*far || far == 0 {
		t.Errorf("%d and %d arcs, of two means near the paper's and of one", near, far)
	}
}
