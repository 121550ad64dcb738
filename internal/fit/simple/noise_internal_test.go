package simple

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/acqnp/acqnp/internal/points"
)

// spacedNoise returns a group without a function, whose noise is scale(x) times the quantiles of a
// distribution, in the order of the golden ratio's multiples, and its misses.
func spacedNoise(quantile func(p float64) float64, scale func(x float64) float64) (points.Group, []miss) {
	g := points.Group{Points: points.New(1, 1, nil, nil)}
	var misses []miss
	for i := 1; i <= 400; i++ {
		x := -1.7 + 3.4*(float64(i)-0.5)/400
		_, u := math.Modf(float64(i) * 0.6180339887498949)
		y := scale(x) * quantile(u)
		g.X, g.Y, misses = append(g.X, x), append(g.Y, y), append(misses, miss{by: y, variance: 0})
	}
	return g, misses
}

// deviation returns that of z.
func (n *noise) deviation() float64 {
	mean, squares := 0.0, 0.0
	for _, p := range n.Parts {
		mean += p.Weight * p.Shift
		squares += p.Weight * (p.Shift*p.Shift + p.Scale*p.Scale)
	}
	return math.Sqrt(squares - mean*mean)
}

// The scale of normal noise is that of mgcv 1.8-41's gaulss:
//
//	i <- 1:400; x <- -1.7 + 3.4*(i-0.5)/400; u <- (i*0.6180339887498949) %% 1
//	r <- exp(-0.5 + 0.6*x + 0.3*sin(2*x)) * qnorm(u)
//	b <- gam(list(r ~ 1, ~ s(x)), family=gaulss())
//	1/predict(b, data.frame(x=c(-1.5,-0.75,0,0.75,1.5)), type="response")[,2]
//
// Both smooth, by other bases and other amounts. The bound is the standard error of a deviation that 25
// points tell, as about that many tell it at one x.
func TestScaleIsThatOfMgcv(t *testing.T) {
	g, misses := spacedNoise(distuv.UnitNormal.Quantile, func(x float64) float64 { return math.Exp(-0.5 + 0.6*x + 0.3*math.Sin(2*x)) })
	n := fitNoise([]points.Group{g}, [][]miss{misses}, newBasis([]points.Group{g}, 6), 1)
	want := []float64{0.217838, 0.299393, 0.605972, 1.224607, 1.641883}
	for i, s := range n.scales(points.New(1, 0, []float64{-1.5, -0.75, 0, 0.75, 1.5}, nil)) {
		if got := s * n.deviation(); math.Abs(math.Log(got/want[i])) > 0.14 {
			t.Errorf("deviation %d is %.4f, want %.4f", i, got, want[i])
		}
	}
}

// The shape of noise with heavy tails is that of the Student's t that MASS 7.3-58 fits to the same
// points, 0.7*qt(u, 3) for the u above: fitdistr(z, "t") has m = 0.000234, s = 0.705287, df = 3.13569.
func TestShapeIsThatOfStudent(t *testing.T) {
	student := distuv.StudentsT{Nu: 3, Sigma: 0.7}
	g, misses := spacedNoise(student.Quantile, func(float64) float64 { return 1 })
	n := fitNoise([]points.Group{g}, [][]miss{misses}, newBasis([]points.Group{g}, 6), 1)
	fitted := distuv.StudentsT{Mu: 0.000234, Sigma: 0.705287, Nu: 3.13569}
	loss, each := 0.0, make([]float64, len(n.Parts))
	for i, m := range misses {
		s := n.scales(points.New(1, 0, g.Row(i), nil))[0]
		loss += (fitted.LogProb(m.by) - n.logDensity(m, s, each)) / 400
	}
	// A mixture of three Gaussians with a scale that may depend on x has more parameters than t.
	if loss > 0.01 || loss < -0.02 {
		t.Errorf("a point's log density is %.4f below that of Student's t, want within −0.02 … 0.01", loss)
	}
	s := n.scales(points.New(1, 0, []float64{0}, nil))[0]
	// Eight of the points lie beyond ±4.
	for z, bound := range map[float64]float64{0: 0.15, 1: 0.15, 2: 0.15, 4: 1 / math.Sqrt(8)} {
		if got, want := n.logDensity(miss{by: z, variance: 0}, s, each), fitted.LogProb(z); math.Abs(got-want) > bound {
			t.Errorf("log density at %v is %.3f, want %.3f", z, got, want)
		}
	}
}

// Scales of groups are found, and none where there are none. Each group has 20 points with the noise's
// quantiles, times a factor.
func TestGroupsHaveScales(t *testing.T) {
	for _, factor := range []float64{1, 2} {
		var groups []points.Group
		var misses [][]miss
		for k := range 30 {
			g, m := spacedNoise(distuv.UnitNormal.Quantile, func(float64) float64 { return math.Pow(factor, float64(k%3-1)) })
			part := points.Group{Points: g.Cut(20*(k%20), 20*(k%20)+20)}
			groups, misses = append(groups, part), append(misses, m[20*(k%20):][:20])
		}
		n := fitNoise(groups, misses, newBasis(groups, 6), 1)
		if factor == 1 && n.Group > 0.15 {
			t.Errorf("groups with one scale seem to have a deviation of %.2f", n.Group)
		}
		// The true one is log 2·√(2/3) = 0.57.
		if factor == 2 && (n.Group < 0.3 || n.Group > 0.8) {
			t.Errorf("groups with scales of a deviation of 0.57 seem to have one of %.2f", n.Group)
		}
	}
}

// noisyGP is a GP with noise of three parts and of a scale that depends on x and on the group.
func noisyGP() *GP {
	b := basis{Reach: []float64{3}, Sines: []int{2}}
	of, _ := columnsOf(b)
	m := &GP{Units: Units{X: []scaling{{0, 1}}, Y: scaling{0, 1}}, Basis: b,
		Hyper: hyperOf([]float64{0, -0.4, -0.3, -0.2, 0.3, -0.9, 0, -0.7, -0.5, 0.3}, of),
		Noise: noise{Basis: b, Eta: []float64{-1, 0.3, 0.2, 0}, Group: 0.4, Parts: []part{{0, 0.7, 0.5}, {0.2, 1.1, 0.4}, {-0.5, 4, 0.1}}},
		W:     []float64{0.2, 0.5, -0.3, 0.1}, Cov: make([]float64, 16)}
	for i := range 4 {
		m.Cov[5*i] = 0.01
	}
	return m
}

// logDensity returns the log density of a group by quadrature over its scale, and by all ways to assign
// parts to its points, each a multivariate normal distribution.
func (m *GP) logDensity(g points.Points) float64 {
	phi, scales := m.Basis.evaluate(g), m.Noise.scales(g)
	factors, logs := m.Noise.nodes()
	n, k := g.Len(), len(m.Noise.Parts)
	total := 0.0
	for j, factor := range factors {
		for code := range int(math.Pow(float64(k), float64(n))) {
			mean, cov, share := make([]float64, n), mat.NewSymDense(n, nil), math.Exp(logs[j])
			for i, c := 0, code; i < n; i, c = i+1, c/k {
				p := m.Noise.Parts[c%k]
				share *= p.Weight
				s := scales[i] * factor
				mean[i] = dot(phi.RawRowView(i), m.W) + s*p.Shift
				for l := range i + 1 {
					v := m.Hyper.kernel(g.Row(i), g.Row(l))
					for a, x := range phi.RawRowView(i) {
						v += x * m.Cov[5*a] * phi.At(l, a)
					}
					cov.SetSym(i, l, v)
				}
				cov.SetSym(i, i, cov.At(i, i)+s*s*p.Scale*p.Scale)
			}
			normal, _ := distmv.NewNormal(mean, cov, nil)
			total += share * math.Exp(normal.LogProb(g.Y))
		}
	}
	return math.Log(total)
}

// Without a context the density is exact. Given one, the noise of each known point is replaced by a
// Gaussian; what that loses is bounded, also where one point is an outlier.
func TestDensityOfNoisyGP(t *testing.T) {
	m := noisyGP()
	for _, test := range []struct {
		name  string
		x, y  []float64
		bound float64
	}{
		{"no context", []float64{0.4}, []float64{1}, 1e-9},
		{"one point", []float64{-0.5, 0.4}, []float64{0.3, 1}, 0.02},
		{"four points", []float64{-1, -0.5, 0.1, 0.9, 0.4}, []float64{-0.2, 0.2, 0.7, 1.1, 1}, 0.05},
		{"an outlier", []float64{-1, -0.5, 0.1, 0.9, 0.4}, []float64{-0.2, 0.2, 9, 1.1, 1}, 0.05},
	} {
		g := points.New(1, 1, test.x, test.y)
		n := g.Len() - 1
		context := points.New(1, 1, g.X[:n], g.Y[:n])
		want := m.logDensity(g)
		if n > 0 {
			want -= m.logDensity(context)
		}
		if got := m.Given(context, g.Cut(n, g.Len()))[0].LogDensity(g.Y[n]); math.Abs(got-want) > test.bound {
			t.Errorf("%s: log density %.6f, want %.6f", test.name, got, want)
		}
	}
}
