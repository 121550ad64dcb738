package paper_test

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/random"
)

// manyGroups returns evaluation groups of 500 points: x[f], y[f].
func manyGroups(t *testing.T, benchmark string, interval []float64) (x, y [][]float64) {
	t.Helper()
	e := syntheticExperiment(benchmark)
	if interval != nil {
		e.Data.Interval = interval
	}
	source := datatest.Open(t, e, "")
	for i := range 100 {
		b := datatest.Made(t, source.Eval, i)
		for f := range b.Groups {
			fx, fy := make([]float64, b.Points), make([]float64, b.Points)
			for n := range b.Points {
				fx[n], fy[n] = float64(b.X[f*b.Points+n]), float64(b.Y[f*b.Points+n])
			}
			x, y = append(x, fx), append(y, fy)
		}
	}
	return x, y
}

// means returns the mean of g over the points of each group. These means are independent; the
// points of a group are not.
func means(x, y [][]float64, g func(x, y float64) float64) []float64 {
	m := make([]float64, len(x))
	for f := range x {
		for i := range x[f] {
			m[f] += g(x[f][i], y[f][i]) / float64(len(x[f]))
		}
	}
	return m
}

func TestPositionsAreUniformOnTheInterval(t *testing.T) {
	for _, name := range []string{"sawtooth", "double-sine"} {
		for _, interval := range [][]float64{{-2, 2}, {1, 4}} {
			lo, hi := interval[0], interval[1]
			x, y := manyGroups(t, name, interval)
			for f := range x {
				for _, v := range x[f] {
					if v < lo || v >= hi {
						t.Fatalf("%s: x = %v outside [%v, %v)", name, v, lo, hi)
					}
				}
			}
			for p := 1.0; p <= 4; p++ { // moments of U[0, 1)
				expect(t, name+" x", means(x, y, func(x, _ float64) float64 { return math.Pow((x-lo)/(hi-lo), p) }), 1/(p+1))
			}
		}
	}
}

// Points are the documented formulas of the documented numbers: the first words of a group are its parameters;
// then come the positions, and then a coin for each point.
func TestCurvesAreTheirFormulas(t *testing.T) {
	const step, part = 3, 1 << 16
	for name, formula := range map[string]func(u func(k uint64) float64, s float64, coin bool) (x, y float64){
		"double-sine": func(u func(k uint64) float64, s float64, coin bool) (x, y float64) {
			if coin {
				return s, (0.5 + u(0)) * math.Sin((1+2*u(2))*s)
			}
			return s, (0.5 + u(1)) * math.Cos((1+2*u(3))*s)
		},
		"circle": func(u func(k uint64) float64, s float64, _ bool) (x, y float64) {
			return (0.5+u(0))*math.Cos(s) + u(1) - 0.5, (0.5+u(0))*math.Sin(s) + u(1) - 0.5
		},
		"lissajous": func(u func(k uint64) float64, s float64, _ bool) (x, y float64) {
			return (1 + u(0)) * math.Sin((0.5+1.5*u(2))*s+2*u(3)), (1 + u(1)) * math.Sin(s)
		},
	} {
		e := syntheticExperiment(name)
		b := datatest.Made(t, datatest.Open(t, e, "").Eval, step)
		g := random.New(e.Eval.Seed, random.Data|random.Evaluation)
		lo, hi := e.Data.Interval[0], e.Data.Interval[1]
		shares, coins := make([]float64, b.Points), make([]uint32, b.Points)
		for f := range b.Groups {
			base := uint64(f) * 4 * part
			g.Floats(step, base+part, shares)
			g.Words(step, base+2*part, coins)
			for i, share := range shares {
				x, y := formula(func(k uint64) float64 { return g.Float(step, base+k) }, lo+(hi-lo)*share, coins[i] < 1<<31)
				at := f*b.Points + i
				if math.Abs(float64(b.X[at])-x) > 1e-6 || math.Abs(float64(b.Y[at])-y) > 1e-6 { // float32 of up to π
					t.Fatalf("%s, group %d: point %d is (%v, %v), want (%v, %v)", name, f, i, b.X[at], b.Y[at], x, y)
				}
			}
		}
	}
}

// y is the direct sum, with the parameters from their documented places: the first four words of
// the group.
func TestSawtoothIsTheDirectSum(t *testing.T) {
	const groupWords = 1 << 18
	e := syntheticExperiment("sawtooth")
	source := datatest.Open(t, e, "")
	harmonics := map[int]bool{}
	for step := range 20 {
		b := datatest.Made(t, source.Eval, step)
		g := random.New(e.Eval.Seed, random.Data|random.Evaluation)
		for f := range b.Groups {
			u := func(k int) float64 { return g.Float(uint64(step), uint64(f*groupWords+k)) }
			alpha, omega, delta := 1+u(0), 1+2*u(1), -2+4*u(2)
			terms := 10 + g.IntN(uint64(step), uint64(f*groupWords+3), 10)
			harmonics[terms] = true
			for i := range b.Points {
				want, s := 0.0, float64(b.X[f*b.Points+i])
				for k := 1; k <= terms; k++ {
					want -= alpha / math.Pi * math.Pow(-1, float64(k)) * math.Sin(2*math.Pi*float64(k)*omega*(s+delta)) / float64(k)
				}
				if got := float64(b.Y[f*b.Points+i]); math.Abs(got-want) > 1e-6 { // float32 of up to 1.2, s as float32
					t.Fatalf("step %d, group %d: y(%v) = %v, want %v", step, f, s, got, want)
				}
			}
		}
	}
	if len(harmonics) != 10 {
		t.Errorf("%d different numbers of harmonics, want 10..19", len(harmonics))
	}
}

func TestSawtoothMeanIsZeroOrHalfTheAmplitude(t *testing.T) {
	x, y := manyGroups(t, "sawtooth", nil)
	expect(t, "y", means(x, y, func(_, y float64) float64 { return y }), 0)

	e := syntheticExperiment("sawtooth")
	zero := datatest.Made(t, datatest.Open(t, e, "").Eval, 0)
	*e.Data.ZeroMean = false
	raised := datatest.Made(t, datatest.Open(t, e, "").Eval, 0)
	var halves []float64
	for f := range zero.Groups {
		half := float64(raised.Y[f*zero.Points] - zero.Y[f*zero.Points])
		if half < 0.5-1e-6 || half > 1+1e-6 {
			t.Errorf("group %d is raised by %v, want α/2 of α in [1, 2)", f, half)
		}
		for i := range zero.Points {
			d := float64(raised.Y[f*zero.Points+i] - zero.Y[f*zero.Points+i])
			if math.Abs(d-half) > 1e-6 {
				t.Fatalf("group %d is raised by %v and %v", f, half, d)
			}
		}
		halves = append(halves, half)
	}
	expect(t, "α/2", halves, 0.75)
	e.Data.ZeroMean = nil
	if unset := datatest.Made(t, datatest.Open(t, e, "").Eval, 0); unset.Y[0] != zero.Y[0] {
		t.Error("the default is not the zero mean")
	}
}
