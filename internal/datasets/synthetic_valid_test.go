package datasets_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/test/must"
)

// Validation batches are within their size, have targets, are the same at every call, and are
// neither those of training nor those of evaluation.
func TestSyntheticValidation(t *testing.T) {
	for _, name := range syntheticNames {
		source := open(t, syntheticExperiment(name), "").(datasets.Validated)
		again := open(t, syntheticExperiment(name), "").(datasets.Validated)
		most, targets := source.ValidSize(), 0
		for i := range source.ValidBatches() {
			var b, same datasets.Batch
			must.Do(t, source.Valid(i, &b))
			if err := again.Valid(i, &same); err != nil || !cmp.Equal(b, same) {
				t.Fatalf("%s: batch %d is another at its second call (%v)", name, i, err)
			}
			if b.Functions > most.Functions || b.Points > most.Points || b.Context > most.Context || b.Context >= b.Points {
				t.Errorf("%s: %d functions of %d points, %d context, beyond %v", name, b.Functions, b.Points, b.Context, most)
			}
			targets += b.Functions * (b.Points - b.Context)
			if i == 0 && (made(t, source, i, true).Y[0] == b.Y[0] || made(t, source, i, false).Y[0] == b.Y[0]) {
				t.Errorf("%s: batch %d is one of evaluation or training", name, i)
			}
		}
		if targets > 2100 {
			t.Errorf("%s: %d targets", name, targets)
		}
	}
}
