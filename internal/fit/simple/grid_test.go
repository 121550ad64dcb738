package simple_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// A process is a normal distribution of curves over a day, from time 0 to 1, with noise. Those here are not stationary.
type process struct {
	mean, noise func(t float64) float64
	cov         func(a, b float64) float64
}

// shifts are days on which mornings vary together, evenings vary more and against the mornings, and noise doubles over
// the day.
func shifts() process {
	morning := func(t float64) float64 { return math.Exp(-(t - 0.3) * (t - 0.3) / 0.02) }
	evening := func(t float64) float64 { return 2/(1+math.Exp(-20*(t-0.7))) - 0.6*morning(t) }
	return process{
		func(t float64) float64 { return 10 + 3*math.Sin(2*math.Pi*t) }, func(t float64) float64 { return 0.2 + 0.2*t },
		func(a, b float64) float64 {
			return 0.3 + morning(a)*morning(b) + evening(a)*evening(b) + 0.3*(0.3+a)*(0.3+b)*math.Exp(-math.Abs(a-b)/0.1)
		}}
}

// rushes are days of two peaks, whose deviation is 50 times that of the night. Correlations alone are stationary.
func rushes() process {
	scale := func(t float64) float64 {
		return 0.03 + math.Exp(-(t-0.33)*(t-0.33)/0.004) + 1.5*math.Exp(-(t-0.75)*(t-0.75)/0.006)
	}
	return process{
		func(t float64) float64 { return 3 + 2*scale(t) }, func(t float64) float64 { return 0.25 * scale(t) },
		func(a, b float64) float64 { return scale(a) * scale(b) * (0.3 + 0.7*math.Exp(-math.Abs(a-b)/0.1)) }}
}

// hours is the length of a day. x is the hour.
const hours = 24

// draw returns groups first to first+n−1 at these hours.
func (p process) draw(first, n int, at []float64) []points.Group {
	cov := mat.NewSymDense(len(at), nil)
	for i, a := range at {
		for j, b := range at[:i+1] {
			cov.SetSym(i, j, p.cov(a/hours, b/hours))
		}
	}
	var chol mat.Cholesky
	chol.Factorize(cov)
	var root mat.TriDense
	chol.LTo(&root)
	g := random.New(21, random.Validation)
	return groupsOf(n, len(at), func(_, i int) []float64 { return []float64{at[i]} }, func(k, i int) float64 {
		t, id := at[i]/hours, uint64(first+k)
		y := p.mean(t) + p.noise(t)*g.Normal(id, uint64(1000+i))
		for j := range i + 1 {
			y += root.At(i, j) * g.Normal(id, uint64(j))
		}
		return y
	})
}

// exact returns the log density of y at x of a group with a context.
func (p process) exact(context points.Points, x, y float64) float64 {
	n, t := context.Len(), x/hours
	mean, variance := p.mean(t), p.cov(t, t)+p.noise(t)*p.noise(t)
	if n > 0 {
		cov, cross, left := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
		for i, v := range context.X {
			a := v / hours
			for j, w := range context.X[:i+1] {
				cov.SetSym(i, j, p.cov(a, w/hours))
			}
			cov.SetSym(i, i, cov.At(i, i)+p.noise(a)*p.noise(a))
			cross.SetVec(i, p.cov(a, t))
			left.SetVec(i, context.Y[i]-p.mean(a))
		}
		var chol mat.Cholesky
		chol.Factorize(cov)
		var solved mat.VecDense
		_ = chol.SolveVecTo(&solved, cross)
		mean, variance = mean+mat.Dot(&solved, left), variance-mat.Dot(&solved, cross)
	}
	e := y - mean
	return -e*e/(2*variance) - math.Log(2*math.Pi*variance)/2
}

// regret returns how far the log density of predictions of new groups is behind the exact one, on average over points.
// The groups know 0 to four fifths of the points that may be known. The others are targets, four of them.
func (p process) regret(m simple.Model, at []float64, mayBeKnown func(i int) bool) float64 {
	g := random.New(22, random.Validation)
	sum, count := 0.0, 0.0
	order := make([]int, len(at))
	for k, group := range p.draw(10_000, 60, at) {
		for n, size := range []int{0, 1, 3, 10, hours * 4 / 5} {
			g.Perm(uint64(5*k+n), order)
			var known, others []int
			for _, i := range order {
				if mayBeKnown(i) && len(known) < size {
					known = append(known, i)
				} else if mayBeKnown(i) == mayBeKnown(1) {
					others = append(others, i)
				}
			}
			context, targets := group.Take(known), group.Take(others[:4])
			for i, d := range m.Given(context, targets) {
				sum += p.exact(context, targets.X[i], targets.Y[i]) - d.LogDensity(targets.Y[i])
				count++
			}
		}
	}
	return sum / count
}

func all(int) bool { return true }

// hourly are the hours of a day, and halves between them.
func hourly(parts int) (at []float64) {
	for i := range hours * parts {
		at = append(at, float64(i)/float64(parts))
	}
	return at
}

// fitGrid fits a model, and reads it from what a file holds.
func fitGrid(t *testing.T, groups []points.Group) *simple.Grid {
	t.Helper()
	m, err := simple.FitGrid(groups)
	must.Do(t, err)
	content, err := json.Marshal(m)
	must.Do(t, err)
	read := new(simple.Grid)
	must.Do(t, json.Unmarshal(content, read))
	must.Do(t, read.Check())
	return read
}

// With more groups, predictions approach the exact conditional normal distribution. Over eight draws of shifts, the
// regret is 0.09 to 0.17 nats from 20 groups and 0.03 to 0.06 from 80, and falls as 1/groups beyond; that of rushes is
// less. Where deviations differ by hour, a stationary kernel is half a nat behind at least.
func TestGridApproachesTheExact(t *testing.T) {
	at := hourly(1)
	for name, p := range map[string]process{"shifts": shifts(), "rushes": rushes()} {
		for groups, most := range map[int]float64{20: 0.15, 80: 0.06, 300: 0.02} {
			if r := p.regret(fitGrid(t, p.draw(0, groups, at)), at, all); r > most {
				t.Errorf("%s, %d groups: a regret of %.3f nats, want at most %.2f", name, groups, r, most)
			} else {
				t.Logf("%s, %d groups: %.3f", name, groups, r)
			}
		}
	}
	stationary, err := simple.FitGP(rushes().draw(0, 20, at))
	must.Do(t, err)
	if r := rushes().regret(stationary, at, all); r < 0.5 {
		t.Errorf("a stationary kernel has a regret of %.3f nats: the process does not tell", r)
	}
}

// Groups that each lack a seventh of the points and, a third of them, all of the evening, teach little less: the bound is
// that of as many whole groups, and a fifth more for what is lost.
func TestGridOfUnbalancedGroups(t *testing.T) {
	at, g := hourly(1), random.New(23, random.Validation)
	for name, p := range map[string]process{"shifts": shifts(), "rushes": rushes()} {
		groups := p.draw(0, 80, at)
		for k, group := range groups {
			var kept []int
			for i := range at {
				if g.Float(uint64(k), uint64(i)) > 1./7 && (k%3 > 0 || i < 18) {
					kept = append(kept, i)
				}
			}
			groups[k].Points = group.Take(kept)
		}
		if r := p.regret(fitGrid(t, groups), at, all); r > 1.2*0.06 {
			t.Errorf("%s: a regret of %.3f nats, want at most 0.07", name, r)
		} else {
			t.Logf("%s: %.3f", name, r)
		}
	}
}

// Between the hours, and half an hour after the last, no group has a point: a line stands for the curve, with what curves
// bend off it. The bounds are those at the hours, and twice as much where peaks are an hour wide.
func TestGridBetweenItsPoints(t *testing.T) {
	for name, most := range map[string]float64{"shifts": 0.06, "rushes": 0.12} {
		p := map[string]process{"shifts": shifts(), "rushes": rushes()}[name]
		m := fitGrid(t, p.draw(0, 80, hourly(1)))
		r := p.regret(m, hourly(2), func(i int) bool { return i%2 == 0 })
		if t.Logf("%s: %.3f", name, r); r > most {
			t.Errorf("%s: a regret of %.3f nats at half hours, want at most %.2f", name, r, most)
		}
	}
}

// A second reading at the hour of a known one is as uncertain as noise makes it, to a factor of two: of one reading an
// hour, noise and a rough curve can hardly be told apart.
func TestGridKnowsNoise(t *testing.T) {
	for name, p := range map[string]process{"shifts": shifts(), "rushes": rushes()} {
		group := p.draw(10_000, 1, hourly(1))[0]
		m := fitGrid(t, p.draw(0, 80, hourly(1)))
		for _, hour := range []int{2, 8, 18} {
			at := group.X[hour] / hours
			c, n := p.cov(at, at), p.noise(at)*p.noise(at)
			want := math.Sqrt(c - c*c/(c+n) + n)
			if sd := math.Sqrt(m.Given(group.Take([]int{hour}), points.New(1, 0, []float64{group.X[hour]}, nil))[0].Variance()); sd < want/2 || sd > 2*want {
				t.Errorf("%s at %d: a deviation of %.3f, want %.3f", name, hour, sd, want)
			} else {
				t.Logf("%s at %d: %.3f, exact %.3f", name, hour, sd, want)
			}
		}
	}
}

// A column that is the same for all points of a group, and one that is not, shift predictions, also by the hour.
func TestGridWithOtherColumns(t *testing.T) {
	at, g, p := hourly(1), random.New(24, random.Validation), shifts()
	with := func(first int, groups []points.Group) []points.Group {
		for k := range groups {
			own, x := g.Normal(uint64(first+k), 0), []float64(nil)
			for i, v := range groups[k].X {
				varying := g.Normal(uint64(first+k), uint64(1+i))
				x = append(x, own, v, varying)
				groups[k].Y[i] += 2*own*(0.5+v/hours) - varying
			}
			groups[k].X, groups[k].DX = x, 3
		}
		return groups
	}
	m, without := fitGrid(t, with(0, p.draw(0, 80, at))), fitGrid(t, p.draw(0, 80, at))
	plain, shifted := p.draw(10_000, 60, at), with(10_000, p.draw(10_000, 60, at))
	behind, count := 0.0, 0.0
	for k := range plain {
		known, targets := []int{2, 9, 20}, []int{5, 12, 18, 23}
		want := without.Given(plain[k].Take(known), plain[k].Take(targets))
		for i, d := range m.Given(shifted[k].Take(known), shifted[k].Take(targets)) {
			a := targets[i]
			behind += want[i].LogDensity(plain[k].Y[a]) - d.LogDensity(shifted[k].Y[a])
			count++
		}
	}
	t.Logf("%.3f", behind/count)
	if behind/count > 0.025 {
		t.Errorf("%.3f nats behind the same data without the columns, want at most 0.025: four coefficients of 80 groups", behind/count)
	}
}

// The same groups give the same bytes, in the order of the columns, and what is read predicts the same bits.
func TestGridHasTheSameBits(t *testing.T) {
	groups := rushes().draw(0, 12, hourly(1))
	groups[3].Points = groups[3].Take([]int{0, 1, 2, 5, 9, 12, 13, 14, 15, 16, 17, 18, 20})
	one, err := simple.FitGrid(groups)
	must.Do(t, err)
	two := fitGrid(t, groups)
	a, err := json.Marshal(one)
	must.Do(t, err)
	b, err := json.Marshal(two)
	must.Do(t, err)
	if !slices.Equal(a, b) {
		t.Error("two fits differ")
	}
	known, x := groups[0].Take([]int{1, 7}), []float64{3, 4.5, 30}
	for i, d := range one.Given(known, points.New(1, 0, x, nil)) {
		if e := two.Given(known, points.New(1, 0, x, nil))[i]; d.Mean() != e.Mean() || d.Variance() != e.Variance() {
			t.Errorf("at %v: %v ± %v after reading, %v ± %v before", x[i], e.Mean(), e.Variance(), d.Mean(), d.Variance())
		}
	}
}

// Groups share a grid if the values of x that half of them have hold four fifths of the rows.
func TestShareGrid(t *testing.T) {
	g := random.New(25, random.Validation)
	y := func(k, i int) float64 { return g.Normal(uint64(k), uint64(i)) }
	line := func(_, i int) []float64 { return []float64{float64(i)} }
	for name, test := range map[string]struct {
		groups []points.Group
		share  bool
		says   string // the error of a fit
	}{
		"a grid":            {groupsOf(6, 3, line, y), true, ""},
		"a second column":   {groupsOf(6, 4, func(k, i int) []float64 { return []float64{float64(k), float64(i)} }, y), true, ""},
		"half have each":    {groupsOf(8, 6, func(k, i int) []float64 { return []float64{float64(2*i + k%2)} }, y), true, ""},
		"a third have each": {groupsOf(9, 6, func(k, i int) []float64 { return []float64{float64(3*i + k%3)} }, y), false, "share too few"},
		"a quarter is off it": {groupsOf(8, 8, func(k, i int) []float64 {
			return []float64{float64(i) + map[bool]float64{true: float64(k) / 10}[i < 2]}
		}, y), false, "share too few"},
		"two x":        {groupsOf(8, 8, func(_, i int) []float64 { return []float64{float64(i % 2)} }, y), false, "share too few"},
		"each x twice": {groupsOf(8, 8, func(_, i int) []float64 { return []float64{float64(i / 2)} }, y), false, "share too few"},
		"one group":    {groupsOf(1, 8, line, y), false, "share too few"},
		"few groups":   {groupsOf(5, 8, line, y), true, "5 groups without a fold are too few for a covariance over the 8 values of x that they share: it takes 6"},
		"a long grid":  {groupsOf(6, 201, line, y), true, "groups share 201 values of x, and a grid has at most 200"},
	} {
		_, err := simple.FitGrid(test.groups)
		if got := simple.ShareGrid(test.groups); got != test.share || (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: share a grid: %v, the error of a fit: %v; want %v and %q", name, got, err, test.share, test.says)
		}
	}
}
