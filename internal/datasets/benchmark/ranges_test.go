package benchmark_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/test/must"
)

// The ranges of a benchmark's columns follow from its configuration and scaling.
func TestRanges(t *testing.T) {
	lanes := datasets.Scaling{XOffset: []float64{500}, XScale: []float64{500}, YOffset: []float64{0}, YScale: []float64{80}}
	pixels := datasets.Scaling{XOffset: []float64{13.5, 9.5}, XScale: []float64{13.5, 9.5}, YOffset: []float64{0.5}, YScale: []float64{1}}
	for name, c := range map[string]struct {
		text string
		s    datasets.Scaling
		x, y datasets.Range // of the first columns
	}{
		"speed-flow": {"data: {flow_range: [-1, 1]}", lanes, datasets.Range{High: 1000}, datasets.Range{High: 80}},
		// Without the file, ranges are two deviations about the mean.
		"csv":   {"data: {file: gone.csv, x: [a, b], y: [c], scale: standard}", pixels, datasets.Range{Low: -13.5, High: 40.5}, datasets.Range{Low: -1.5, High: 2.5}},
		"mnist": {"", pixels, datasets.Range{High: 27}, datasets.Range{High: 1}},
	} {
		e := must.Get(config.Parse("a.yaml", []byte("benchmark: "+name+"\nmodel: {name: cnp}\n"+c.text), config.Overrides{}))(t)
		r, err := benchmark.RangesOf(e, c.s, "")
		if err != nil || len(r.X) != len(c.s.XScale) || r.X[0] != c.x || r.Y[0] != c.y {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// The groups of a random process lie within its ranges, for other seeds too, but for a share: the
// tails of Gaussian processes are beyond any range.
func TestRangesOfProcesses(t *testing.T) {
	for _, b := range catalogue.All() {
		if b.Kind != catalogue.Synthetic {
			continue
		}
		e := must.Get(config.Parse("a.yaml", []byte("benchmark: "+b.Name+"\nmodel: {name: cnp}\n"), config.Overrides{}))(t)
		source := must.Get(benchmark.Open(e, ""))(t)
		r := must.Get(benchmark.RangesOf(e, source.Scaling, ""))(t)
		var batch datasets.Batch
		must.Do(t, source.Train.Make(0, &batch))
		outside := 0
		for i, x := range batch.X {
			if y := batch.Y[i]; float64(x) < r.X[0].Low || float64(x) > r.X[0].High || float64(y) < r.Y[0].Low || float64(y) > r.Y[0].High {
				outside++
			}
		}
		if share := float64(outside) / float64(len(batch.X)); share > 0.05 || r.X[0].High-r.X[0].Low > 20 {
			t.Errorf("%s: %+v, and %.1f%% of a batch outside", b.Name, r, 100*share)
		}
	}
}

// Rows that training leaves out do not widen the ranges of the columns.
func TestRangesAreOfTheRowsThatAreUsed(t *testing.T) {
	var text strings.Builder
	text.WriteString("g,x,y\nf0,-9,\n") // left out: it has no y
	for g := range 12 {
		for i := range 9 {
			fmt.Fprintf(&text, "f%d,%d,%d\n", g, 10*(i%2), i)
		}
	}
	file := filepath.Join(t.TempDir(), "rows.csv")
	must.Do(t, os.WriteFile(file, []byte(text.String()), 0o600))
	e := must.Get(config.Parse("a.yaml", fmt.Appendf(nil, "benchmark: csv\nmodel: {name: cnp}\ndata: {file: %q, group: g, missing: drop}\n", file), config.Overrides{}))(t)
	r := must.Get(benchmark.RangesOf(e, must.Get(benchmark.Open(e, ""))(t).Scaling, ""))(t)
	if r.X[0] != (datasets.Range{Low: 0, High: 10}) {
		t.Errorf("x from %g to %g, want 0 to 10", r.X[0].Low, r.X[0].High)
	}
}
