package predict_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/run"
)

// Of many new names the line has the first, and the work grows with their number: each text is asked for once.
func TestManyNewNames(t *testing.T) {
	const names, times = 300, 20
	u := run.Units{XNames: []string{"kind"}, Scaling: datasets.Scaling{XForms: []rows.Form{{Categories: []string{"a", "b"}}}}}
	f := points.Question{Targets: points.New(1, 0, nil, nil)}
	for i := range names * times {
		f.Targets.X = append(f.Targets.X, float64(2+i%names))
	}
	asked, w := 0, new(warning.Record)
	predict.WarnOfNames(u, []points.Question{f}, func(_ int, v float64) string {
		asked++
		return fmt.Sprintf("a%g", v)
	}, w)
	want := []string{"kind of 6000 of 6000 targets is not among the data's names: a2 (nearest: a), a3 (nearest: a), a4 (nearest: a), " +
		"a5 (nearest: a), a6 (nearest: a), a7 (nearest: a), …"}
	if !slices.Equal(w.Lines(), want) || asked != names {
		t.Errorf("%q, from %d texts; want %q, from %d", w.Lines(), asked, want, names)
	}
}
