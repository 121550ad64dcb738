package rows_test

import (
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/test/must"
)

// Limits of y are read with their sides, from CSV, with decimal commas and from JSON, and a line counts them. Elsewhere they
// are refused with what to write.
func TestLimits(t *testing.T) {
	for _, text := range []string{"x,y\n1,<0.5\n2,7\n3,> 200\n4,<=3\n5,≥ 1e2\n", "x;y\n1;<0,5\n2;7\n3;> 200\n4;<=3\n5;≥ 1e2\n",
		`{"x":1,"y":"<0.5"}{"x":2,"y":7}{"x":3,"y":"> 200"}{"x":4,"y":"<=3"}{"x":5,"y":"≥ 1e2"}`} {
		path, warnings := datatest.CSV(t, text), new(warning.Record)
		l := rows.Layout{X: []string{"x"}, Y: []string{"y"}, LimitsOfY: true, Warnings: warnings}
		got := must.Get(l.Read(path))(t)[0].Points
		if want := []int8{points.Below, 0, points.Above, points.AtMost, points.AtLeast}; !gocmp.Equal(got.Y, []float64{0.5, 7, 200, 3, 100}) || !gocmp.Equal(got.Censored, want) {
			t.Errorf("%s: found %v, %v", text, got.Y, got.Censored)
		}
		if lines := strings.Join(warnings.Lines(), " "); !strings.HasSuffix(lines, "limits of y, such as <50 and >200: 2 below and 2 above, of 5 values; of these the side is known, and not y") {
			t.Errorf("warnings %q", lines)
		}
		l = rows.Layout{X: []string{"y"}, Y: []string{"x"}, LimitsOfY: true}
		must.Refuse(t, must.Err(l.Read(path)), `y: found "<0`, ", the limit itself: cells such as <50 are for y of acqnp fit alone")
		c, _ := must.Get(rows.ScanFile(config.Data{File: path}, ""))(t).Column("y")
		must.Refuse(t, must.Err(c.Form("f", true)), `y: found "<0`)
		if w := c.WithLimits(); w.Kind != rows.NumberColumn || w.Least != 0.5 || w.Most != 200 {
			t.Errorf("with limits a column of %s, %v to %v", w.Kind, w.Least, w.Most)
		}
	}
}
