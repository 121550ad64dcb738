package simple

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// noiseRounds is how often fitNoise fits scale, groups and shape in turn.
const noiseRounds = 3

// fitNoise fits the noise to misses of the points of groups, whose scale is about that given.
func fitNoise(groups []points.Group, misses [][]miss, b basis, scale float64) noise {
	n := normalNoise(b, scale)
	n.Parts = []part{{0, 0.6, 0.35}, {0, 1.1, 0.5}, {0, 2.2, 0.15}}
	f := noiseFit{noise: &n, misses: misses, start: slices.Clone(n.Parts)}
	for _, g := range groups {
		f.phi = append(f.phi, b.evaluate(g.Points))
		f.tau = append(f.tau, 0)
		f.scale = append(f.scale, make([]float64, g.Len()))
	}
	f.spreads = []float64{0, 0.3, 1}
	f.rescale()
	for round := range noiseRounds {
		f.fitShape()
		f.fitScale(round == 0)
		f.fitGroups()
	}
	f.fitShape()
	return n
}

// A noiseFit is a noise while it is fitted.
type noiseFit struct {
	*noise
	misses  [][]miss
	phi     []*mat.Dense
	tau     []float64   // of each group, as it seems
	scale   [][]float64 // s·e^τ of each point
	spreads []float64   // of η, to choose from
	start   []part
}

// rescale sets the scales of all points.
func (f *noiseFit) rescale() {
	for g, phi := range f.phi {
		for i := range f.misses[g] {
			f.scale[g][i] = math.Exp(min(max(dot(phi.RawRowView(i), f.Eta)+f.tau[g], -18), 18))
		}
	}
}

// fitShape fits the parts by expectation and maximisation. Their prior counts as much as four points.
func (f *noiseFit) fitShape() {
	const own, rounds = 4.0, 12
	k := len(f.Parts)
	each := make([]float64, k)
	for range rounds {
		count, sum, squares, total := make([]float64, k), make([]float64, k), make([]float64, k), 0.0
		for g, misses := range f.misses {
			for i, m := range misses {
				s := f.scale[g][i]
				f.logDensity(m, s, each)
				total += m.times()
				for j, p := range f.Parts {
					// What z is, given the miss and the part.
					v := s * s * p.Scale * p.Scale
					gain := v / (v + m.variance)
					z := p.Shift + gain*(m.by/s-p.Shift)
					square := z*z + gain*m.variance/(s*s)
					if m.side != 0 {
						z, square = m.hidden(p, s)
					}
					own := m.times() * each[j]
					count[j] += own
					sum[j] += own * z
					squares[j] += own * square
				}
			}
		}
		for j, at := range f.start {
			shift := sum[j] / (count[j] + own)
			v := (squares[j] - 2*shift*sum[j] + shift*shift*count[j] + own*at.Scale*at.Scale) / (count[j] + own)
			f.Parts[j] = part{shift, math.Sqrt(max(v, 1e-8)), (count[j] + own*at.Weight) / (total + own)}
		}
	}
}

// fitGroups chooses the deviation of τ, and sets τ of each group to its expectation.
func (f *noiseFit) fitGroups() {
	if len(f.misses) < 3 {
		return
	}
	most := math.Inf(-1)
	best := slices.Clone(f.tau)
	for _, deviation := range []float64{0, 0.15, 0.3, 0.5, 0.8} {
		at := noise{Group: deviation, Parts: f.Parts}
		total := 0.0
		tau := make([]float64, len(f.tau))
		for g, misses := range f.misses {
			scales := slices.Clone(f.scale[g])
			for i := range scales {
				scales[i] /= math.Exp(f.tau[g])
			}
			var log float64
			log, tau[g] = at.tauOf(misses, scales)
			total += log
		}
		if total > most+1 { // a nat for the parameter
			most, best, f.Group = total, tau, deviation
		}
	}
	f.tau = best
	f.rescale()
}

// fitScale fits η by its posterior mode, with the prior of the spread that has the largest evidence, by
// Laplace's approximation.
func (f *noiseFit) fitScale(choose bool) {
	start := slices.Clone(f.Eta)
	var best []float64
	most, chosen := math.Inf(-1), 0.0
	for _, spread := range f.spreads {
		copy(f.Eta, start)
		if spread == 0 {
			clear(f.Eta[1:])
		}
		if log := f.climb(f.priorOf(spread)); log > most {
			most, best, chosen = log, slices.Clone(f.Eta), spread
		}
	}
	if choose {
		f.spreads = []float64{chosen}
	}
	copy(f.Eta, best)
	f.rescale()
}

// priorOf returns the variances of the coefficients of η.
func (f *noiseFit) priorOf(spread float64) []float64 {
	const wave = 1.2
	variance := f.Basis.prior(spread, wave, spread/2, 0, nil).variance
	for c := range f.Basis.Reach {
		variance[1+c] = spread*spread/4 + 1e-12
	}
	if spread == 0 {
		for i := range variance[1:] {
			variance[1+i] = 1e-12
		}
	}
	return variance
}

// climb maximises the log density of the misses times the prior of η. It returns the logarithm of the
// evidence.
func (f *noiseFit) climb(variance []float64) float64 {
	const rounds = 8
	log, gradient, information := f.slope(variance)
	var chol mat.Cholesky
	for range rounds {
		if !chol.Factorize(information) {
			return math.Inf(-1)
		}
		step := mat.NewVecDense(len(gradient), nil)
		_ = chol.SolveVecTo(step, mat.NewVecDense(len(gradient), gradient))
		before, gain := slices.Clone(f.Eta), 0.0
		for length := 1.0; length > 0.05; length /= 2 {
			for i := range f.Eta {
				f.Eta[i] = before[i] + length*step.AtVec(i)
			}
			next, g, h := f.slope(variance)
			if next > log {
				gain, log, gradient, information = next-log, next, g, h
				break
			}
			copy(f.Eta, before)
		}
		if gain < 1e-3 {
			break
		}
	}
	if !chol.Factorize(information) {
		return math.Inf(-1)
	}
	log -= chol.LogDet() / 2
	for _, v := range variance {
		log -= math.Log(v) / 2
	}
	return log
}

// slope returns the log density of the misses times the prior of η, its gradient and the expected
// information.
func (f *noiseFit) slope(variance []float64) (log float64, gradient []float64, information *mat.SymDense) {
	f.rescale()
	size := len(f.Eta)
	gradient, information = make([]float64, size), mat.NewSymDense(size, nil)
	for i, v := range variance {
		log -= f.Eta[i] * f.Eta[i] / (2 * v)
		gradient[i] -= f.Eta[i] / v
		information.SetSym(i, i, 1/v)
	}
	each := make([]float64, len(f.Parts))
	for g, misses := range f.misses {
		weighted := mat.NewDense(max(len(misses), 1), size, nil)
		for i, m := range misses {
			s := f.scale[g][i]
			log += m.times() * f.logDensity(m, s, each)
			d, h := 0.0, 0.0
			for k, p := range f.Parts {
				v := m.variance + s*s*p.Scale*p.Scale
				e := m.by - s*p.Shift
				rho := s * s * p.Scale * p.Scale / v
				if m.side != 0 {
					t := m.tail(p, s)
					by := m.side*s*p.Shift/t.sd - t.at*rho // the derivative of t.at by log s
					d += each[k] * t.mills * by
					h += each[k] * t.slope * by * by
					continue
				}
				d += each[k] * (rho*(e*e/v-1) + e*s*p.Shift/v)
				h += each[k] * (2*rho*rho + s*s*p.Shift*p.Shift/v)
			}
			d, h = m.times()*d, m.times()*h
			row := f.phi[g].RawRowView(i)
			for j, x := range row {
				gradient[j] += d * x
				weighted.Set(i, j, x*math.Sqrt(h))
			}
		}
		var own mat.SymDense
		own.SymOuterK(1, weighted.T())
		information.AddSym(information, &own)
	}
	return log, gradient, information
}

// tauOf returns the log density of a group's misses, whose scales are those given for a τ of 0, and the expectation of τ.
func (n *noise) tauOf(misses []miss, scales []float64) (log, tau float64) {
	factors, logs := n.nodes()
	each := make([]float64, len(n.Parts))
	for i, s := range scales {
		for j, factor := range factors {
			logs[j] += misses[i].times() * n.logDensity(misses[i], s*factor, each)
		}
	}
	log = likelihood.LogSumExp(logs)
	for j, l := range logs {
		tau += math.Exp(l-log) * math.Log(factors[j])
	}
	return log, tau
}

// normals returns the Gaussian that approximates the noise of each point of a group.
func (n *noise) normals(g points.Points, misses []miss) (shift, variance []float64) {
	scales, each := n.scales(g), make([]float64, len(n.Parts))
	_, tau := n.tauOf(misses, scales)
	shift, variance = make([]float64, len(scales)), make([]float64, len(scales))
	for i, s := range scales {
		shift[i], variance[i] = n.normal(misses[i], s*math.Exp(tau), each)
	}
	return shift, variance
}
