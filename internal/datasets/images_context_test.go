package datasets_test

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets"
)

// tiny returns sources of images of 4×4 pixels, so that every case occurs often: N_c ~ U{3..7}.
func tiny(t testing.TB) (datasets.Source, datasets.Source) {
	e := imageExperiment("omniglot")
	e.Data.Resize = 4
	dir := imageDir(t)
	s := open(t, e, dir)
	e.Train.Seed, e.Eval.Seed = 43, 43
	return s, open(t, e, dir)
}

func TestContextSizesAreUniform(t *testing.T) {
	s, _ := tiny(t)
	counts := map[int]float64{}
	const steps = 4000
	var b datasets.Batch
	for step := range steps {
		makeInto(t, s, step, false, &b)
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
		s := open(t, imageExperiment(name), imageDir(t))
		var draws []float64
		for step := range 1000 {
			makeInto(t, s, step, false, &b)
			if b.Context < 3 || b.Context > most {
				t.Fatalf("%s: N_c = %d", name, b.Context)
			}
			draws = append(draws, float64(b.Context))
		}
		expect(t, name+" N_c", draws, float64(3+most)/2)
		if got := s.TrainSize().Context; got != most {
			t.Errorf("%s: capacity %d, want %d", name, got, most)
		}
	}
}

// Every pixel is at every place of the order with the same frequency. Its place does not depend on
// that of its neighbour, on the orders of other images, or on those of the evaluation.
func TestContextPixelsAreUniform(t *testing.T) {
	s, alike := tiny(t)
	var places [16][16]float64 // [place][pixel]
	var follows [16][16]float64
	var b, e datasets.Batch
	perms, pairs, agree, meets := 0.0, 0.0, 0.0, 0.0
	for step := range 2000 {
		makeInto(t, s, step, false, &b)
		makeInto(t, alike, step%2, true, &e)
		for f := range b.Functions {
			perms++
			if f > 0 {
				pairs++
			}
			last := -1
			for k := range 16 {
				p := pixel(&b, f, k)
				places[k][p]++
				if last >= 0 {
					follows[last][p]++
				}
				last = p
				if f > 0 && p == pixel(&b, f-1, k) {
					agree++
				}
				if f < e.Functions && step < 2 && p == pixel(&e, f, k) {
					meets++
				}
			}
		}
	}
	five := func(p float64) float64 { return 5 * math.Sqrt(perms*p*(1-p)) }
	for k := range 16 {
		for p := range 16 {
			if math.Abs(places[k][p]-perms/16) > five(1.0/16) {
				t.Errorf("pixel %d at place %d %v times of %v", p, k, places[k][p], perms)
			}
			// 15 neighbours for 16·15 pairs.
			if p != k && math.Abs(follows[k][p]-perms/16) > five(1.0/16) {
				t.Errorf("pixel %d behind pixel %d %v times of %v", p, k, follows[k][p], perms)
			}
		}
	}
	if math.Abs(agree-pairs) > 5*math.Sqrt(pairs) { // matches of two random permutations: mean 1, variance 1
		t.Errorf("neighbouring images agree at %v places, want %v", agree, pairs)
	}
	if meets > 80 { // two batches of 16: 32 matches by chance, 512 if the orders were the same
		t.Errorf("training and evaluation agree at %v places", meets)
	}
}

func pixel(b *datasets.Batch, f, k int) int {
	i, j := b.X[2*(f*16+k)], b.X[2*(f*16+k)+1]
	return int(math.Round(float64(i+1)*1.5))*4 + int(math.Round(float64(j+1)*1.5))
}
