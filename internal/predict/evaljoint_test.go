package predict_test

import (
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
)

// The joint log-likelihood of one target is its log-likelihood, at the same levels and bootstraps, in any
// number of orders. But each order has its own bootstraps.
func TestJointOfOneTargetIsItsLogLikelihood(t *testing.T) {
	for _, name := range models.Names() {
		s := source{batches: 3}.of()
		o := options(t, name, s)
		o.JointTargets, o.Orders = 1, 3
		if o.Model.Bootstrap() {
			o.Orders = 1
		}
		got := evaluate(t, o)
		for i, result := range got.PerBatch {
			var b datasets.Batch
			must.Do(t, s.Eval.Make(i, &b))
			want := 0.0
			for _, points := range densities(t, o.Trained, &b, drawn(o.Model, &b, uint64(i), 0)) {
				want += points[b.Context] / groups
			}
			if math.Abs(*result.JointLL-want) > tolerance {
				t.Errorf("%s, batch %d: got %v, want %v", name, i, *result.JointLL, want)
			}
		}
		if got.JointTargets != 1 || got.JointOrders != o.Orders {
			t.Errorf("%d targets, %d orders", got.JointTargets, got.JointOrders)
		}
		checkEstimate(t, "joint", *got.JointLL, []float64{*got.PerBatch[0].JointLL, *got.PerBatch[1].JointLL, *got.PerBatch[2].JointLL})
	}
}

// single returns a source with one group in each of its batches. Its y are spread widely, so that the orders differ. It
// states a larger size than it has, so that 1024 orders take two runs.
func single(batches int) *datasets.Source {
	s := source{batches: batches}.of()
	two := s.Eval.Make
	s.Eval.Size = datasets.Size{Groups: 1, Points: 60, Context: 50}
	s.Eval.Make = func(i int, b *datasets.Batch) error {
		err := two(i, b)
		b.Groups, b.X, b.Y = 1, b.X[:b.Points], b.Y[:2*b.Points]
		for k := range b.Y {
			b.Y[k] *= 2
		}
		return err
	}
	return s
}

var orders = [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}

// inEveryOrder returns the joint log densities of the first three targets of batch i in raw units, one
// for each order, by the explicit loop of JointLogDensity.
func inEveryOrder(t *testing.T, o evaluation, i int) []float64 {
	t.Helper()
	var b datasets.Batch
	must.Do(t, o.Source.Eval.Make(i, &b))
	all := o.Units.Scaling.Raw(b.X, b.Y)
	var logs []float64
	for _, order := range orders {
		f := points.Question{Known: all.Cut(0, b.Context)}
		for _, k := range order {
			f.Targets.Append(all.Cut(b.Context+k, b.Context+k+1))
		}
		log := must.Get(predict.JointLogDensity(o, f))(t)
		logs = append(logs, log)
	}
	return logs
}

// jointEvaluations are of all likelihoods but BNP's, in units that have an offset, a scale and a logarithm. Levels
// are the same everywhere, as JointLogDensity would draw others.
func jointEvaluations(t *testing.T) map[string]evaluation {
	t.Helper()
	all := map[string]evaluation{}
	for _, name := range append(models.Names(), config.Heads()[1:]...) {
		if name == "bnp" {
			continue
		}
		head, model := "", name
		if slices.Contains(config.Heads(), name) {
			head, model = name, "cnp"
		}
		o := options(t, model, single(5))
		if head != "" {
			m := must.Get(models.New(config.Model{Name: model, Head: head, Parts: 3, Representation: 6, Encoder: []int{7}, Decoder: []int{7}, SigmaFloor: 0.15}, 1, 2))(t)
			o.Model, o.Params = m, m.Initial(3)
		}
		for k := range o.Params { // so that the orders differ more
			o.Params[k] *= 2
		}
		o.Levels, o.Units, o.JointTargets = predict.GridLevels, logUnits(), 3
		all[name] = o
	}
	return all
}

// rawJoint returns the joint log density in raw units that an evaluation's batch has.
func rawJoint(o evaluation, e run.Eval, i int) float64 {
	return 3 * (*e.PerBatch[i].JointLL + e.PerBatch[i].RawJoint + o.Units.Scaling.RawShift())
}

// near returns the index of the number that got is equal to, or −1. They are sums of float32 in runs of
// other sizes.
func near(got float64, all []float64) int {
	return slices.IndexFunc(all, func(want float64) bool { return math.Abs(got-want) <= 1e-5*math.Abs(want) })
}

// With one order, each group has one of the six values of the chain rule, and not all have the same
// order.
func TestJointInOneOrderIsTheChainRule(t *testing.T) {
	for name, o := range jointEvaluations(t) {
		e, seen := evaluate(t, o), map[int]bool{}
		for i := range e.PerBatch {
			got, logs := rawJoint(o, e, i), inEveryOrder(t, o, i)
			at := near(got, logs)
			if at < 0 {
				t.Errorf("%s, batch %d: %v is none of %v", name, i, got, logs)
			}
			seen[at] = true
		}
		if len(seen) == 1 {
			t.Errorf("%s: always order %v", name, seen)
		}
	}
}

// With many orders, the density is the mean over all of them. They go through several runs.
func TestJointIsTheMeanOverOrders(t *testing.T) {
	const number = 1024
	for name, o := range jointEvaluations(t) {
		o.Orders, o.Batches = number, 2
		e := evaluate(t, o)
		mean := 0.0
		for i := range e.PerBatch {
			logs := inEveryOrder(t, o, i)
			want, spread := likelihood.LogSumExp(logs)-math.Log(6), 0.0
			for _, v := range logs {
				spread += math.Pow(math.Exp(v-want)-1, 2) / 6
			}
			got, bound := rawJoint(o, e, i), 5*math.Sqrt(spread/number)
			if math.Abs(got-want) > bound+1e-4 {
				t.Errorf("%s, batch %d: %v, want %v ± %v, of %v", name, i, got, want, bound, logs)
			}
			mean += got / 6 // batches and targets
		}
		if e.Raw == nil || math.Abs(e.Raw.JointLL.Mean-mean) > 1e-9 || e.JointOrders != number {
			t.Errorf("%s: %+v of %d orders, want %v", name, e.Raw, e.JointOrders, mean)
		}
	}
}

// revealed returns single(1) with its targets in another order, and one of them as the only target after known others in
// the context.
func revealed(order []int, known int) *datasets.Source {
	s := single(1)
	all := s.Eval.Make
	s.Eval.Make = func(i int, b *datasets.Batch) error {
		err := all(i, b)
		x, y := slices.Clone(b.X), slices.Clone(b.Y)
		for k, from := range order {
			b.X[b.Context+k] = x[b.Context+from]
			copy(b.Y[2*(b.Context+k):], y[2*(b.Context+from):][:2])
		}
		b.Context += known
		b.Points = b.Context + 1
		b.X, b.Y = b.X[:b.Points], b.Y[:2*b.Points]
		return err
	}
	return s
}

// BNP's channels depend on each other. The chain rule by hand adds the log-likelihoods of evaluations
// whose first batch has the same bootstraps.
func TestJointOfBootstraps(t *testing.T) {
	o := options(t, "bnp", single(1))
	o.JointTargets = 3
	got, logs := 3*evaluate(t, o).JointLL.Mean, make([]float64, len(orders))
	o.JointTargets = 0
	for i, order := range orders {
		for known := range order {
			o.Source = revealed(order, known)
			logs[i] += evaluate(t, o).TargetLL.Mean
		}
	}
	if near(got, logs) < 0 {
		t.Errorf("%v is none of %v", got, logs)
	}
}

func TestJointOfTooManyTargetsIsRefused(t *testing.T) {
	o := options(t, "cnp", source{batches: 2}.of())
	o.JointTargets = 8
	must.Refuse(t, must.Err(o.Evaluate(t.Context(), o.Source, o.EvalOptions)), "evaluation batch 0: --joint: found 8, expected at most 7, the targets of each group")
}
