package paper_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/test/must"
)

// Validation batches are within their size, have targets, are the same at every call, and are
// neither those of training nor those of evaluation.
func TestSyntheticValidation(t *testing.T) {
	for _, name := range syntheticNames {
		source := datatest.Open(t, syntheticExperiment(name), "")
		again := datatest.Open(t, syntheticExperiment(name), "")
		most, targets := source.Valid.Size, 0
		for i := range source.Valid.Count {
			var b, same datasets.Batch
			must.Do(t, source.Valid.Make(i, &b))
			if err := again.Valid.Make(i, &same); err != nil || !cmp.Equal(b, same) {
				t.Fatalf("%s: batch %d is another at its second call (%v)", name, i, err)
			}
			if b.Groups > most.Groups || b.Points > most.Points || b.Context > most.Context || b.Context >= b.Points {
				t.Errorf("%s: %d groups of %d points, %d context, beyond %v", name, b.Groups, b.Points, b.Context, most)
			}
			targets += b.Groups * (b.Points - b.Context)
			if i == 0 && (datatest.Made(t, source.Eval, i).Y[0] == b.Y[0] || datatest.Made(t, source.Train, i).Y[0] == b.Y[0]) {
				t.Errorf("%s: batch %d is one of evaluation or training", name, i)
			}
		}
		if targets > 2100 {
			t.Errorf("%s: %d targets", name, targets)
		}
	}
}
