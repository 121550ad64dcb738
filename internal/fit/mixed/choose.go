package mixed

import (
	"math"

	"github.com/acqnp/acqnp/internal/random"
)

// A Choice is the form that cross-validation prefers.
type Choice struct {
	Fixed, Random int // the degrees
}

// mostChosen is the largest number of functions that Choose looks at, evenly spread over all. The degrees that
// more of them prefer hardly differ, and each takes a fit for every fold and pair of degrees.
const mostChosen = 500

// folds is the number of parts that Choose holds out in turn.
const folds = 5

// contexts are the sizes of the contexts that Choose predicts from.
var contexts = []int{0, 1, 2, 5, 10, 20, 50}

// Choose returns the degrees whose model predicts held-out functions best, from contexts of several
// sizes. It returns false if no model can be fitted.
func Choose(functions []Function) (best Choice, ok bool) {
	if len(functions) < 2 {
		return best, false
	}
	if n := len(functions); n > mostChosen {
		some := make([]Function, mostChosen)
		for i := range some {
			some[i] = functions[i*n/mostChosen]
		}
		functions = some
	}
	most := math.Inf(-1)
	points := 0
	for _, f := range functions {
		points += f.points()
	}
	for _, fixed := range []int{1, 2, 3, 5} {
		for r := range min(fixed, 2) + 1 {
			form := FormOf(functions, fixed, r)
			p, q := form.count()
			smaller := FormOf(functions, max(fixed-1, 0), r)
			if sp, sq := smaller.count(); 4*p > points || q > 4 || fixed > 1 && sp == p && sq == q {
				continue
			}
			if ll := crossValidated(functions, form); ll > most {
				most, best = ll, Choice{fixed, r}
			}
		}
	}
	return best, !math.IsInf(most, -1)
}

// crossValidated returns the log density of held-out points. Each function and each size of its
// context counts the same. It returns −∞ if the model cannot be fitted.
func crossValidated(functions []Function, form Form) float64 {
	sum, n := 0.0, 0
	for k := range min(folds, len(functions)) {
		var rest []Function
		for i, f := range functions {
			if i%folds != k {
				rest = append(rest, f)
			}
		}
		m, err := Fit(rest, form)
		if err != nil {
			return math.Inf(-1)
		}
		for i := k; i < len(functions); i += folds {
			for _, size := range contexts {
				if size < functions[i].points() {
					sum += m.logDensity(mixedUp(functions[i], uint64(i)), size)
					n++
				}
			}
		}
	}
	if math.IsNaN(sum) {
		return math.Inf(-1)
	}
	return sum / float64(n)
}

// mixedUp returns the points of function i in a random order.
func mixedUp(f Function, i uint64) Function {
	order := make([]int, f.points())
	random.New(0, random.Validation).Perm(i, order)
	g := Function{DX: f.DX}
	for _, k := range order {
		g.X, g.Y = append(g.X, f.X[k*f.DX:][:f.DX]...), append(g.Y, f.Y[k])
	}
	return g
}

// logDensity returns the mean log density of the points after the first ones, the context.
func (m Model) logDensity(f Function, context int) float64 {
	s, sum := m.Given(f.X[:context*f.DX], f.Y[:context]), 0.0
	for k, y := range f.Y[context:] {
		mean, sd := s.Predict(f.X[(context+k)*f.DX:][:f.DX])
		z := (y - mean) / sd
		sum -= z*z/2 + math.Log(sd) + math.Log(2*math.Pi)/2
	}
	return sum / float64(len(f.Y)-context)
}
