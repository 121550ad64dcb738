package random_test

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// The known-answer vectors that the authors of Philox publish with Random123 (kat_vectors,
// philox4x32 10).
func TestKnownAnswers(t *testing.T) {
	for _, c := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{[4]uint32{}, [2]uint32{}, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{
			[4]uint32{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, [2]uint32{0xffffffff, 0xffffffff},
			[4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
		},
		{
			[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
		},
	} {
		g := random.New(uint64(c.key[1])<<32|uint64(c.key[0]), random.Stream(c.counter[3]))
		step := uint64(c.counter[2])<<32 | uint64(c.counter[1])
		for w, want := range c.want {
			if got := g.Uint32(step, uint64(c.counter[0])<<2|uint64(w)); got != want {
				t.Errorf("counter %x, word %d: got %08x, want %08x", c.counter, w, got, want)
			}
		}
	}
}

func TestStreamsKeepTheirNumbers(t *testing.T) {
	// A seed stands for these numbers. A stream with another number would change every run.
	for i, s := range []random.Stream{random.Data, random.Sizes, random.Levels, random.Bootstrap, random.Shuffle,
		random.Pixels, random.Split, random.Weights, random.Draws, random.Search, random.Calibration, random.Orders} {
		if int(s) != i+1 {
			t.Errorf("stream %d has the number %d", i+1, s)
		}
		if s&random.Evaluation != 0 {
			t.Errorf("stream %d meets the evaluation bit", s)
		}
	}
}

func TestManyNumbersEqualThoseOneByOne(t *testing.T) {
	g := random.New(7, random.Data)
	for offset := uint64(0); offset < 9; offset++ {
		for n := 0; n < 23; n++ {
			fills, floats, words, normals := make([]float32, n+1), make([]float64, n+1), make([]uint32, n+1), make([]float64, n+1)
			fills[n], floats[n], words[n], normals[n] = -1, -1, 99, -1
			g.Fill(3, offset, fills[:n])
			g.Floats(3, offset, floats[:n])
			g.Words(3, offset, words[:n])
			g.Normals(3, offset, normals[:n])
			for i := range n {
				at := offset + uint64(i)
				if float64(fills[i]) != floats[i] || floats[i] != g.Float(3, at) || words[i] != g.Uint32(3, at) || normals[i] != g.Normal(3, at) {
					t.Fatalf("offset %d, length %d: other numbers at %d", offset, n, i)
				}
			}
			if fills[n] != -1 || floats[n] != -1 || words[n] != 99 || normals[n] != -1 {
				t.Fatalf("offset %d, length %d: wrote past the end", offset, n)
			}
		}
	}
	dst := make([]float32, 4096)
	must.NotAllocate(t, "Fill", 10, func() { g.Fill(1, 5, dst) })
}

// moments returns the mean and the second to fourth central moments of v.
func moments(v []float64) (mean, m2, m3, m4 float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		d := x - mean
		m2 += d * d / float64(len(v))
		m3 += d * d * d / float64(len(v))
		m4 += d * d * d * d / float64(len(v))
	}
	return
}

const many = 1 << 18 // draws of the statistical tests; bounds are five standard errors at this size

func near(t *testing.T, what string, got, want, deviation float64) {
	t.Helper()
	if bound := 5 * deviation / math.Sqrt(many); math.Abs(got-want) > bound {
		t.Errorf("%s: got %v, want %v ± %v", what, got, want, bound)
	}
}

func TestFloatIsUniform(t *testing.T) {
	g := random.New(1, random.Data)
	v := make([]float64, many)
	var cells [256]float64
	var serial float64
	for i := range v {
		v[i] = g.Float(uint64(i%17), uint64(i))
		if v[i] < 0 || v[i] >= 1 || v[i]*(1<<24) != math.Trunc(v[i]*(1<<24)) {
			t.Fatalf("%v is no multiple of 2⁻²⁴ in [0, 1)", v[i])
		}
		cells[int(v[i]*256)]++
		if i > 0 {
			serial += (v[i] - 0.5) * (v[i-1] - 0.5) / many
		}
	}
	mean, variance, _, _ := moments(v)
	near(t, "mean", mean, 0.5, math.Sqrt(1.0/12))
	near(t, "variance", variance, 1.0/12, math.Sqrt(1.0/180))
	near(t, "serial covariance", serial, 0, 1.0/12)
	var chi2 float64
	for _, n := range cells {
		chi2 += (n - many/256) * (n - many/256) / (many / 256)
	}
	if math.Abs(chi2-255) > 5*math.Sqrt(2*255) { // 255 degrees of freedom: mean 255, variance 510
		t.Errorf("χ² of 256 cells is %v", chi2)
	}
}

func TestNormalIsStandardNormal(t *testing.T) {
	g := random.New(2, random.Draws)
	v := make([]float64, many)
	var within1, within2, serial float64
	for i := range v {
		v[i] = g.Normal(5, uint64(i))
		if math.IsNaN(v[i]) || math.Abs(v[i]) > 6.7 {
			t.Fatalf("draw %d is %v", i, v[i])
		}
		if math.Abs(v[i]) < 1 {
			within1 += 1.0 / many
		}
		if math.Abs(v[i]) < 2 {
			within2 += 1.0 / many
		}
		if i > 0 {
			serial += v[i] * v[i-1] / many
		}
	}
	mean, m2, m3, m4 := moments(v)
	near(t, "mean", mean, 0, 1)
	near(t, "variance", m2, 1, math.Sqrt(2))
	near(t, "third moment", m3, 0, math.Sqrt(15))
	near(t, "fourth moment", m4, 3, math.Sqrt(96))
	near(t, "within one deviation", within1, math.Erf(1/math.Sqrt2), 0.5)
	near(t, "within two deviations", within2, math.Erf(2/math.Sqrt2), 0.5)
	near(t, "serial covariance", serial, 0, 1)
}

func TestSeedsStreamsStepsAndIndicesAreIndependent(t *testing.T) {
	type at struct {
		seed   uint64
		stream random.Stream
		step   uint64
		index  uint64
	}
	base := at{seed: 43, stream: random.Data, step: 9}
	for name, other := range map[string]at{
		"seed":           {44, random.Data, 9, 0},
		"upper seed":     {43 + 1<<32, random.Data, 9, 0},
		"stream":         {43, random.Sizes, 9, 0},
		"evaluation":     {43, random.Data | random.Evaluation, 9, 0},
		"step":           {43, random.Data, 10, 0},
		"upper step":     {43, random.Data, 9 + 1<<32, 0},
		"index":          {43, random.Data, 9, many},
		"seed and step":  {9, random.Data, 43, 0},
		"step as stream": {43, random.Stream(9), uint64(random.Data), 0},
	} {
		var covariance float64
		equal := 0
		for i := uint64(0); i < many; i++ {
			a := random.New(base.seed, base.stream).Float(base.step, base.index+i)
			b := random.New(other.seed, other.stream).Float(other.step, other.index+i)
			covariance += (a - 0.5) * (b - 0.5) / many
			if a == b {
				equal++
			}
		}
		near(t, "another "+name, covariance, 0, 1.0/12)
		if equal > 5 { // expected 2¹⁸/2²⁴
			t.Errorf("another %s: %d equal numbers", name, equal)
		}
	}
}

func TestIntNIsUniform(t *testing.T) {
	g := random.New(3, random.Sizes)
	for _, n := range []int{1, 2, 7, 95} {
		counts := make([]float64, n)
		for i := uint64(0); i < many; i++ {
			counts[g.IntN(i, 1, n)]++ // panics if out of range
		}
		p := 1 / float64(n)
		for _, c := range counts {
			near(t, "frequency", c/many, p, math.Sqrt(p*(1-p)))
		}
	}
	if got := g.IntN(0, 0, 1<<32); got != int(g.Uint32(0, 0)) {
		t.Errorf("2³² values: got %d", got)
	}
}

func TestPermIsAUniformPermutation(t *testing.T) {
	g := random.New(4, random.Shuffle)
	dst := make([]int, 4)
	counts := map[[4]int]float64{}
	for step := uint64(0); step < many; step++ {
		g.Perm(step, dst)
		counts[[4]int(dst)]++
	}
	if len(counts) != 24 {
		t.Fatalf("%d different permutations of 4", len(counts))
	}
	for p, c := range counts {
		seen := [4]bool{}
		for _, v := range p {
			seen[v] = true
		}
		if seen != [4]bool{true, true, true, true} {
			t.Fatalf("%v is no permutation", p)
		}
		near(t, "frequency", c/many, 1.0/24, math.Sqrt(23)/24)
	}
	g.Perm(0, nil)
}
