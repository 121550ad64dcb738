package paper_test

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

func TestContextSizesAreUniform(t *testing.T) {
	e := imageExperiment("omniglot")
	e.Data.Resize = 4 // N_c ~ U{3..7}
	s := datatest.Open(t, e, imageDir(t))
	counts := map[int]float64{}
	const steps = 4000
	var b datasets.Batch
	for step := range steps {
		must.Do(t, s.Train.Make(step, &b))
		counts[b.Context]++
	}
	for n := 3; n <= 7; n++ {
		// Binomial with p = 1/5: within five standard deviations.
		if bound := 5 * math.Sqrt(steps*0.2*0.8); math.Abs(counts[n]-steps*0.2) > bound {
			t.Errorf("N_c = %d in %v of %d batches, want %v ± %.0f", n, counts[n], steps, steps*0.2, bound)
		}
		delete(counts, n)
	}
	if len(counts) > 0 {
		t.Errorf("N_c beyond {3..7}: %v", counts)
	}
	for name, most := range map[string]int{"mnist": 391, "svhn": 511, "freyface": 279} {
		s := datatest.Open(t, imageExperiment(name), imageDir(t))
		var draws []float64
		for step := range 1000 {
			must.Do(t, s.Train.Make(step, &b))
			if b.Context < 3 || b.Context > most {
				t.Fatalf("%s: N_c = %d", name, b.Context)
			}
			draws = append(draws, float64(b.Context))
		}
		expect(t, name+" N_c", draws, float64(3+most)/2)
		if got := s.Train.Size.Context; got != most {
			t.Errorf("%s: capacity %d, want %d", name, got, most)
		}
	}
}

// The pixels of each image come in an order of its own, that of the stream at the number of the image in training or in
// the evaluation.
func TestPixelsComeInTheOrderOfTheStream(t *testing.T) {
	e := imageExperiment("freyface")
	s := datatest.Open(t, e, imageDir(t))
	for evaluation, g := range map[bool]random.Generator{false: random.New(e.Train.Seed, random.Pixels),
		true: random.New(e.Eval.Seed, random.Pixels|random.Evaluation)} {
		order := make([]int, 28*20)
		b := datatest.Made(t, datatest.Batches(s, evaluation), 1)
		for f := range b.Groups {
			g.Perm(uint64(16+f), order)
			for k, p := range order {
				i, j := float64(b.X[2*(f*b.Points+k)]+1)*13.5, float64(b.X[2*(f*b.Points+k)+1]+1)*9.5
				if got := int(math.Round(i))*20 + int(math.Round(j)); got != p {
					t.Fatalf("evaluation %v: pixel %d of image %d at place %d, want %d", evaluation, got, f, k, p)
				}
			}
		}
	}
}
