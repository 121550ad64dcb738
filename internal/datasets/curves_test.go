package datasets_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/acqnp/acqnp/internal/random"
)

// manyFunctions returns evaluation functions of 500 points: x[f], y[f].
func manyFunctions(t *testing.T, benchmark string, interval []float64) (x, y [][]float64) {
	t.Helper()
	e := syntheticExperiment(benchmark)
	if interval != nil {
		e.Data.Interval = interval
	}
	source := open(t, e, "")
	for i := range 100 {
		b := made(t, source, i, true)
		for f := range b.Functions {
			fx, fy := make([]float64, b.Points), make([]float64, b.Points)
			for n := range b.Points {
				fx[n], fy[n] = float64(b.X[f*b.Points+n]), float64(b.Y[f*b.Points+n])
			}
			x, y = append(x, fx), append(y, fy)
		}
	}
	return x, y
}

// means returns the mean of g over the points of each function. These means are independent; the
// points of a function are not.
func means(x, y [][]float64, g func(x, y float64) float64) []float64 {
	m := make([]float64, len(x))
	for f := range x {
		for i := range x[f] {
			m[f] += g(x[f][i], y[f][i]) / float64(len(x[f]))
		}
	}
	return m
}

// quadrature returns the mean of g over U[lo, hi), to about 1e-9 for the waves here.
func quadrature(lo, hi float64, g func(float64) float64) float64 {
	return quad.Fixed(g, lo, hi, 24, quad.Legendre{}, 0) / (hi - lo)
}

func TestPositionsAreUniformOnTheInterval(t *testing.T) {
	for _, name := range []string{"sawtooth", "double-sine"} {
		for _, interval := range [][]float64{{-2, 2}, {1, 4}} {
			lo, hi := interval[0], interval[1]
			x, y := manyFunctions(t, name, interval)
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

// Near s = 0 the two branches lie apart: |α1 sin ω1 s| < 0.23 where α2 cos ω2 s > 0.49.
func TestDoubleSineTossesAFairCoinForEveryPoint(t *testing.T) {
	x, y := manyFunctions(t, "double-sine", nil)
	var cosine, height, slope, changes []float64
	for f := range x {
		last := -1.0
		for i, s := range x[f] {
			if math.Abs(s) >= 0.05 {
				continue
			}
			branch := 0.0
			switch v := y[f][i]; {
			case v > 0.49:
				branch, height = 1, append(height, v/math.Cos(2*s))
			case math.Abs(v) < 0.23:
				slope = append(slope, v/s)
			default:
				t.Fatalf("y = %v at s = %v is on neither branch", v, s)
			}
			cosine = append(cosine, branch)
			if last >= 0 {
				changes = append(changes, math.Abs(branch-last))
			}
			last = branch
		}
	}
	expect(t, "points on the cosine", cosine, 0.5)
	expect(t, "changes of branch from point to point", changes, 0.5)
	expect(t, "α2", height, 1)
	if len(slope) < 4000 {
		t.Fatalf("%d points near 0 on the sine", len(slope))
	}
}

func TestDoubleSineMoments(t *testing.T) {
	x, y := manyFunctions(t, "double-sine", nil)
	over := func(g func(w, s float64) float64) float64 { // over ω ~ U[1, 3) and s ~ U[−2, 2)
		return quadrature(1, 3, func(w float64) float64 {
			return quadrature(-2, 2, func(s float64) float64 { return g(w, s) })
		})
	}
	// E α = 1, E α² = 13/12 for α ~ U[0.5, 1.5).
	expect(t, "E y", means(x, y, func(_, y float64) float64 { return y }),
		over(func(w, s float64) float64 { return math.Cos(w*s) / 2 }))
	expect(t, "E y²", means(x, y, func(_, y float64) float64 { return y * y }), 13.0/24)
	expect(t, "E y s", means(x, y, func(x, y float64) float64 { return y * x }),
		over(func(w, s float64) float64 { return math.Sin(w*s) * s / 2 }))
	expect(t, "E y s²", means(x, y, func(x, y float64) float64 { return y * x * x }),
		over(func(w, s float64) float64 { return math.Cos(w*s) * s * s / 2 }))
	expect(t, "E y² s²", means(x, y, func(x, y float64) float64 { return y * y * x * x }), 13.0/24*4/3)
}

// fitCircle returns α, δ and the s of the points of a function. All points satisfy x² + y² =
// 2δ(x+y) + α² − 2δ², which is linear in x+y, so least squares fit it.
func fitCircle(t *testing.T, x, y []float64) (radius, shift float64, s []float64) {
	t.Helper()
	var n, su, sv, suu, suv float64
	for i := range x {
		u, v := x[i]+y[i], x[i]*x[i]+y[i]*y[i]
		n, su, sv, suu, suv = n+1, su+u, sv+v, suu+u*u, suv+u*v
	}
	slope := (n*suv - su*sv) / (n*suu - su*su)
	shift = slope / 2
	radius = math.Sqrt((sv-slope*su)/n + 2*shift*shift)
	for i := range x {
		dx, dy := x[i]-shift, y[i]-shift
		if r := math.Hypot(dx, dy); math.Abs(r-radius) > 1e-6 { // x and y are float32 of up to 2
			t.Fatalf("a point at %v from the centre of a circle of radius %v", r, radius)
		}
		s = append(s, math.Atan2(dy, dx))
	}
	return radius, shift, s
}

func TestCirclePointsLieOnACircle(t *testing.T) {
	for _, limit := range []float64{math.Pi, 2} { // 2: as the authors' code has it
		x, y := manyFunctions(t, "circle", []float64{-limit, limit})
		var radii, shifts, squares, products []float64
		angles := make([][]float64, len(x))
		for f := range x {
			radius, shift, s := fitCircle(t, x[f], y[f])
			if radius < 0.5-1e-6 || radius > 1.5+1e-6 || math.Abs(shift) > 0.5+1e-6 {
				t.Fatalf("function %d: radius %v, shift %v", f, radius, shift)
			}
			for _, v := range s {
				if math.Abs(v) > limit+1e-5 { // an error of 1e-6 at a radius of 0.5 or more
					t.Fatalf("function %d: s = %v outside ±%v", f, v, limit)
				}
				angles[f] = append(angles[f], v/limit)
			}
			radii, shifts = append(radii, radius), append(shifts, shift)
			squares, products = append(squares, (radius-1)*(radius-1), shift*shift), append(products, (radius-1)*shift)
		}
		expect(t, "α", radii, 1)
		expect(t, "δ", shifts, 0)
		expect(t, "variances of α and δ", squares, 1.0/12)
		expect(t, "covariance of α and δ", products, 0)
		for p, want := range []float64{0, 1.0 / 3, 0, 1.0 / 5} { // moments of U[−1, 1)
			expect(t, "s", means(angles, angles, func(s, _ float64) float64 { return math.Pow(s, float64(p+1)) }), want)
		}
	}
}

func TestLissajousMoments(t *testing.T) {
	x, y := manyFunctions(t, "lissajous", nil)
	for f := range x {
		for i := range x[f] {
			if math.Abs(x[f][i]) > 2 || math.Abs(y[f][i]) > 2 {
				t.Fatalf("point %v, %v outside the square of side 4", x[f][i], y[f][i])
			}
		}
	}
	over := func(g func(x, y float64) float64) float64 { // ω ~ U[0.5, 2), δ ~ U[0, 2), s ~ U[−π, π)
		return quadrature(0.5, 2, func(w float64) float64 {
			return quadrature(0, 2, func(d float64) float64 {
				return quadrature(-math.Pi, math.Pi, func(s float64) float64 {
					return g(math.Sin(w*s+d), math.Sin(s))
				})
			})
		})
	}
	power := func(p float64) float64 { return (math.Pow(2, p+1) - 1) / (p + 1) } // E αᵖ for α ~ U[1, 2)
	for _, m := range []struct{ p, q float64 }{{1, 0}, {0, 1}, {2, 0}, {0, 2}, {1, 1}, {4, 0}, {0, 4}, {2, 2}, {1, 2}, {3, 1}} {
		monomial := func(x, y float64) float64 { return math.Pow(x, m.p) * math.Pow(y, m.q) }
		expect(t, "E xᵖyᵠ", means(x, y, monomial), power(m.p)*power(m.q)*over(monomial))
	}
}

// y is the direct sum, with the parameters from their documented places: the first four words of
// the function.
func TestSawtoothIsTheDirectSum(t *testing.T) {
	const functionWords = 1 << 18
	e := syntheticExperiment("sawtooth")
	source := open(t, e, "")
	harmonics := map[int]bool{}
	for step := range 20 {
		b := made(t, source, step, true)
		g := random.New(e.Eval.Seed, random.Data|random.Evaluation)
		for f := range b.Functions {
			u := func(k int) float64 { return g.Float(uint64(step), uint64(f*functionWords+k)) }
			alpha, omega, delta := 1+u(0), 1+2*u(1), -2+4*u(2)
			terms := 10 + g.IntN(uint64(step), uint64(f*functionWords+3), 10)
			harmonics[terms] = true
			for i := range b.Points {
				want, s := 0.0, float64(b.X[f*b.Points+i])
				for k := 1; k <= terms; k++ {
					want -= alpha / math.Pi * math.Pow(-1, float64(k)) * math.Sin(2*math.Pi*float64(k)*omega*(s+delta)) / float64(k)
				}
				if got := float64(b.Y[f*b.Points+i]); math.Abs(got-want) > 1e-6 { // float32 of up to 1.2, s as float32
					t.Fatalf("step %d, function %d: y(%v) = %v, want %v", step, f, s, got, want)
				}
			}
		}
	}
	if len(harmonics) != 10 {
		t.Errorf("%d different numbers of harmonics, want 10..19", len(harmonics))
	}
}

func TestSawtoothMeanIsZeroOrHalfTheAmplitude(t *testing.T) {
	x, y := manyFunctions(t, "sawtooth", nil)
	expect(t, "y", means(x, y, func(_, y float64) float64 { return y }), 0)

	e := syntheticExperiment("sawtooth")
	zero := made(t, open(t, e, ""), 0, true)
	*e.Data.ZeroMean = false
	raised := made(t, open(t, e, ""), 0, true)
	var halves []float64
	for f := range zero.Functions {
		half := float64(raised.Y[f*zero.Points] - zero.Y[f*zero.Points])
		if half < 0.5-1e-6 || half > 1+1e-6 {
			t.Errorf("function %d is raised by %v, want α/2 of α in [1, 2)", f, half)
		}
		for i := range zero.Points {
			d := float64(raised.Y[f*zero.Points+i] - zero.Y[f*zero.Points+i])
			if math.Abs(d-half) > 1e-6 {
				t.Fatalf("function %d is raised by %v and %v", f, half, d)
			}
		}
		halves = append(halves, half)
	}
	expect(t, "α/2", halves, 0.75)
	e.Data.ZeroMean = nil
	if unset := made(t, open(t, e, ""), 0, true); unset.Y[0] != zero.Y[0] {
		t.Error("the default is not the zero mean")
	}
}
