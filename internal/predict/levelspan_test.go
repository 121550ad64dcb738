package predict_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/test/must"
)

// TestLevelSpan gives ψ weights such that z = 6·max(0, u − x) − 3. The span of a point then depends
// only on its x.
func TestLevelSpan(t *testing.T) {
	o, s := asking(t, "acqnp"), source{batches: 1}.of()
	for _, tensor := range o.Model.Tensors() {
		if !strings.HasPrefix(tensor.Name, "_adaptor.") {
			continue
		}
		v := o.Params[tensor.Offset:][:tensor.Size()]
		clear(v)
		switch tensor.Name {
		case "_adaptor._net.0.weight": // of its first hidden number: columns r, x, u
			x := tensor.Shape[1] - 2
			v[x], v[x+1] = -1, 1
		case "_adaptor._net.2.weight":
			v[0] = 6
		case "_adaptor._net.2.bias":
			v[0] = -3
		}
	}
	got := must.Get(o.LevelSpan(t.Context(), s))(t)
	var b datasets.Batch
	must.Do(t, s.Eval.Make(0, &b))
	var spans []float64
	for _, x := range b.X {
		tau := func(u float64) float64 { return likelihood.Sigmoid(6*max(0, u-float64(x)) - 3) }
		spans = append(spans, tau(0.999)-tau(0.001))
	}
	slices.Sort(spans)
	if want := spans[len(spans)/2]; !(math.Abs(got-want) < 1e-6) { // float32
		t.Errorf("span %g, want %g", got, want)
	}
}

func TestLevelSpanOfCQNPIsFull(t *testing.T) {
	o := asking(t, "cqnp")
	o.NumTau = 1 // as in eval --num-quantiles 1; LevelSpan does not read it
	got, err := o.LevelSpan(t.Context(), source{batches: 1}.of())
	if err != nil || !(math.Abs(got-0.998) < 1e-6) { // float32
		t.Errorf("span %g, want 0.998 (%v)", got, err)
	}
}
