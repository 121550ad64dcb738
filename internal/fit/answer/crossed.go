package answer

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
)

// A crossed name that the data lack has no code. What it may be, the known points of all groups of a call tell, by the model
// that codes names: a posterior, of which codeWays draws are as likely as one another. Of each name they have the mean and
// the deviation of the posterior and, of several, their correlation. Then models are asked with each of them, and the
// mixture of their predictions is that of a name of which no more is known.

// codeWays is the number of draws. mostNew bounds the new names of which known points tell something.
const (
	codeWays = 32
	mostNew  = 1000
)

// addCodes gives questions the codes of the crossed names that the data lack.
func (f Predictor) addCodes(questions []points.Question, w *warning.Record) {
	at := f.CrossedAt()
	if at < 0 {
		return
	}
	known, names := len(f.XForms[at].Categories), 0
	for _, q := range questions {
		for _, v := range slices.Concat(q.Known.Column(at), q.Targets.Column(at)) {
			names = max(names, int(v)+1-known)
		}
	}
	if names <= 0 {
		return
	}
	if names > mostNew {
		w.Add("%s has %s that the data lack: known points tell nothing of those after the first %d", f.X[at], invalid.Plural(names, "name", "names"), mostNew)
	}
	codes, groups := make([][]float64, len(f.Y)), knownOnce(questions)
	for c := range codes {
		codes[c] = f.newCodes(c, groups, names)
	}
	for i := range questions {
		questions[i].Codes, questions[i].CodeWays = codes, codeWays
	}
}

// newCodes returns codeWays codes of each of so many new names, for column c of y, by the known points of groups.
func (f Predictor) newCodes(c int, known []points.Group, names int) (codes []float64) {
	m, coding, at := &f.CrossedModels[c], f.Stacks[c].Coding, f.CrossedAt()
	told := min(names, mostNew)
	isNew := func(v float64) bool { return f.isUnseen(at, v) }
	var groups []points.Points
	for _, g := range known {
		var rows []int // none of names of which nothing is told
		for i, v := range g.Column(at) {
			if int(v) < len(coding.Codes)+told {
				rows = append(rows, i)
			}
		}
		if p := g.Take(rows); slices.ContainsFunc(p.Column(at), isNew) {
			groups = append(groups, f.Numbers(c, f.Clamped(c, p)))
		}
	}
	off := max(0, m.Name*m.Name-coding.Square()) // the mean variance of a code: models know that they err so far
	mean, covariance := m.Posterior(groups, coding.Codes, off, told)
	mean = append(mean, make([]float64, names-told)...) // those of which nothing is told are like any
	return drawn(mean, covariance, m.Name*m.Name, off)
}

// drawn returns codeWays draws for each name: about its mean, with the covariance less a variance that models know of. Names
// beyond the covariance have one variance.
func drawn(mean []float64, covariance *mat.SymDense, variance, off float64) []float64 {
	told := covariance.SymmetricDim()
	levels, g := make([]float64, codeWays), random.New(0, random.Calibration|random.Validation)
	for i := range levels {
		levels[i] = distuv.UnitNormal.Quantile((float64(i) + 0.5) / codeWays)
	}
	floats.Scale(math.Sqrt(codeWays/floats.Dot(levels, levels)), levels)
	normal := mat.NewDense(len(mean), codeWays, nil)
	for k := range mean {
		for i, place := range g.Order(uint64(k), codeWays) {
			normal.Set(k, i, levels[place])
		}
	}
	joint := mat.DenseCopyOf(normal)
	var factor mat.Cholesky
	if factor.Factorize(covariance) {
		var lower mat.TriDense
		factor.LTo(&lower)
		joint.Slice(0, told, 0, codeWays).(*mat.Dense).Mul(&lower, normal.Slice(0, told, 0, codeWays))
	}
	var codes []float64
	for k, m := range mean {
		own := variance
		if k < told {
			own = covariance.At(k, k)
		}
		row, deviation := joint.RawRowView(k), math.Sqrt(max(0, own-off))
		order := make([]int, codeWays)
		floats.Argsort(slices.Clone(row), order)
		ranked := make([]float64, codeWays)
		for rank, i := range order { // the levels of a normal distribution, in the order of the draws
			ranked[i] = m + deviation*levels[rank]
		}
		codes = append(codes, ranked...)
	}
	return codes
}

// meanCodes returns the mean code of each new name of a question, for column c of y.
func meanCodes(q points.Question, c int) (means []float64) {
	if q.Codes == nil {
		return nil
	}
	for own := range slices.Chunk(q.Codes[c], q.CodeWays) {
		means = append(means, stat.Mean(own, nil))
	}
	return means
}

// oneWay returns a question with one of the ways of its new names, by turns: a draw of several targets has the same in all.
func oneWay(q points.Question, turn int) points.Question {
	if q.Codes == nil {
		return q
	}
	codes := make([][]float64, len(q.Codes))
	for c, all := range q.Codes {
		for k := turn % q.CodeWays; k < len(all); k += q.CodeWays {
			codes[c] = append(codes[c], all[k])
		}
	}
	q.Codes, q.CodeWays = codes, 1
	return q
}
