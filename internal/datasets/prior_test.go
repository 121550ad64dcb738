package datasets

import (
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/random/dice"
)

// drawFamily returns n points of each function of family k of step 0: x and y [familySize, n].
func drawFamily(t *testing.T, draw process, k, n int) (x, y [familySize][]float32) {
	t.Helper()
	s := make([]float64, n)
	for b := range familySize {
		r := randomness{random.New(5, random.Data), 0, uint64(k*familySize+b) * functionWords}
		r.positions(s)
		x[b], y[b] = make([]float32, n), make([]float32, n)
		if err := draw(r, s, x[b], y[b]); err != nil {
			t.Fatal(err)
		}
	}
	return x, y
}

// quantiles returns three quantiles of values.
func quantiles(values []float64, p, q, r float64) [3]float64 {
	slices.Sort(values)
	at := func(p float64) float64 { return values[int(p*float64(len(values)))] }
	return [3]float64{at(p), at(q), at(r)}
}

// TestPriorIsStandardised draws 500 families. A family's mean and deviation of x and y are estimated
// from 48 other functions, so those of its 4 functions are 0 and 1 with an error of their own: about 0.5
// if the functions lie far apart, less otherwise. The median over families has an error of about 0.02.
func TestPriorIsStandardised(t *testing.T) {
	draw := prior(config.Data{})
	var means, deviations [2][]float64
	for k := range 500 {
		x, y := drawFamily(t, draw, k, 40)
		for i, v := range [2][familySize][]float32{x, y} {
			var all []float64
			for _, v := range slices.Concat(v[:]...) {
				if math.Abs(float64(v)) > 100 || v != v {
					t.Fatalf("family %d: found %v", k, v)
				}
				all = append(all, float64(v))
			}
			m := momentsOf(all)
			means[i], deviations[i] = append(means[i], m.mean), append(deviations[i], m.deviation)
		}
	}
	for i, name := range []string{"x", "y"} {
		m, d := quantiles(means[i], 0.05, 0.5, 0.95), quantiles(deviations[i], 0.05, 0.5, 0.95)
		if m[0] < -0.7 || math.Abs(m[1]) > 0.05 || m[2] > 0.7 {
			t.Errorf("%s: quantiles of the means of families %.3f", name, m)
		}
		if d[0] < 0.5 || d[1] < 0.85 || d[1] > 1.05 || d[2] > 1.7 {
			t.Errorf("%s: quantiles of the deviations of families %.3f", name, d)
		}
	}
}

// TestPriorHasFamiliesOfAllKinds checks how families differ. The bounds of quantiles over 500 families
// are far from them, several standard errors, because they state what a prior must cover.
func TestPriorHasFamiliesOfAllKinds(t *testing.T) {
	draw := prior(config.Data{})
	var noise, between, skew []float64
	for k := range 500 {
		f := newFamily(randomness{random.New(5, random.Data), 0, uint64(k*familySize) * functionWords})
		noise = append(noise, f.noise.share)
		_, y := drawFamily(t, draw, k, 60)
		means, within, third := make([]float64, familySize), 0.0, 0.0
		for b := range y {
			values := make([]float64, len(y[b]))
			for i, v := range y[b] {
				values[i] = float64(v)
			}
			m := momentsOf(values)
			means[b] = m.mean
			within += m.deviation * m.deviation / familySize
			for _, v := range values {
				third += math.Pow(m.of(v), 3) / float64(len(values)*familySize)
			}
		}
		spread := momentsOf(means).deviation
		between, skew = append(between, spread*spread/(spread*spread+within)), append(skew, third)
	}
	if q := quantiles(noise, 0.1, 0.5, 0.9); q[0] > 0.06 || q[1] < 0.2 || q[1] > 0.5 || q[2] < 0.85 {
		t.Errorf("the noise is a share %.3f of the variance, want from nearly none to nearly all", q)
	}
	if q := quantiles(between, 0.25, 0.5, 0.9); q[0] > 0.1 || q[1] < 0.05 || q[2] < 0.4 {
		t.Errorf("means of functions are a share %.3f of the variance, want from little to half", q)
	}
	if q := quantiles(skew, 0.1, 0.5, 0.9); q[0] > -0.3 || math.Abs(q[1]) > 0.2 || q[2] < 0.3 {
		t.Errorf("functions have the skewness %.3f, want both signs", q)
	}
}

// TestPriorErrorsAreStandard draws 60 kinds of noise: 4000 numbers of each have mean 0 and variance 1
// within five standard errors. Those of the variance follow from the fourth moment; tails as heavy as
// these need twice as many.
func TestPriorErrorsAreStandard(t *testing.T) {
	const n = 4000
	for k := range uint64(60) {
		d := dice.New(random.New(2, random.Data), k, 0)
		draw := newErrors(d)
		var mean, square, fourth float64
		for i := range uint64(n) {
			point := dice.New(random.New(3, random.Data), k, i*pointWords)
			v := draw(point)
			mean, square, fourth = mean+v/n, square+v*v/n, fourth+v*v*v*v/n
			if used := point.Word() - i*pointWords; used > pointWords {
				t.Fatalf("kind %d takes %d words a point, more than %d", k, used, pointWords)
			}
		}
		if math.Abs(mean) > 5/math.Sqrt(n) || math.Abs(square-1) > 10*math.Sqrt((fourth-square*square)/n) {
			t.Errorf("kind %d: mean %.3f, variance %.3f", k, mean, square)
		}
	}
}

// TestPriorWords draws many families and checks that none takes the words of another.
func TestPriorWords(t *testing.T) {
	g := random.New(7, random.Data)
	for k := range uint64(300) {
		d := dice.New(g, k, 0)
		newLayout(d)
		newNoise(d)
		curves := newCurves(d)
		other := newCurves(d)
		if d.Word() > referenceWords-8 { // a few numbers follow
			t.Errorf("family %d takes %d words, more than %d", k, d.Word(), referenceWords)
		}
		d = dice.New(g, k, 0)
		curves(d)
		other(d)
		if most := uint64(eachReference - 8 - referencePoints*(1+3+pointWords/2)); d.Word() > most {
			t.Errorf("a function of family %d takes %d words, more than %d", k, d.Word(), most)
		}
	}
}

// TestPriorFamiliesAreOfFour checks that a function depends on its number alone, and that it shares
// its family with the others of its four.
func TestPriorFamiliesAreOfFour(t *testing.T) {
	at := func(b int) (x, y []float32) {
		x, y = make([]float32, 30), make([]float32, 30)
		r := randomness{random.New(5, random.Data), 1, uint64(b) * functionWords}
		s := make([]float64, 30)
		r.positions(s)
		if err := prior(config.Data{})(r, s, x, y); err != nil {
			t.Fatal(err)
		}
		return x, y
	}
	e := config.Experiment{Benchmark: "prior", Data: config.Data{Points: []int{30, 30}, MinTargets: 3, Interval: []float64{0, 1}},
		Train: config.Train{BatchSize: 10, Seed: 5}}
	var b Batch
	if err := newSynthetic(e).Train(1, &b); err != nil {
		t.Fatal(err)
	}
	grids := 0
	for k := range 10 {
		x, y := at(k)
		if !slices.Equal(x, b.X[k*30:][:30]) || !slices.Equal(y, b.Y[k*30:][:30]) {
			t.Errorf("function %d depends on those before it", k)
		}
	}
	draw := prior(config.Data{})
	for k := range 100 { // families whose functions have the same few x
		x, _ := drawFamily(t, draw, k, 60)
		first := slices.Compact(slices.Sorted(slices.Values(x[0])))
		if len(first) > 8 {
			continue
		}
		second := slices.Compact(slices.Sorted(slices.Values(x[1])))
		if slices.Equal(first, second) {
			grids++
		}
	}
	if grids < 5 { // about a tenth
		t.Errorf("%d of 100 families have a common grid of x", grids)
	}
}
