package fit_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/fit/fittest"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// Subjects see items, of the first 24 of each. y = 0.5x + the subject's own + the item's + noise.
const (
	crossedNames  = 24
	crossedEach   = 12
	ofSubject     = 0.6
	ofItem        = 0.8
	ofTrial       = 0.4
	crossedAsking = 16 // subjects of each kind of question
)

// A trial is a row.
type trial struct {
	subject, item int
	x, y          float64
}

func trialOf(subject, item int) trial {
	g := random.New(77, random.Data)
	s, i := uint64(subject), uint64(item)
	x := 2*g.Float(s, 100+i) - 1
	return trial{subject, item, x, 0.5*x + ofSubject*g.Normal(s, 1) + ofItem*g.Normal(10_000+i, 1) + ofTrial*g.Normal(20_000+s, i)}
}

// trials returns those of a subject at a random order of items, from the first one on.
func trials(subject, first, n int) (all []trial) {
	order := random.New(78, random.Data).Order(uint64(subject), crossedNames)
	for _, item := range order[first : first+n] {
		all = append(all, trialOf(subject, item))
	}
	return all
}

var crossedTrain = sync.OnceValue(func() (all []trial) {
	for s := range crossedNames {
		all = append(all, trials(s, 0, crossedEach)...)
	}
	return all
})

var crossedFit = fittest.Once("subject,item,x,rt", "rt ~ x | subject + item", func() (rows []string) {
	for _, r := range crossedTrain() {
		rows = append(rows, fmt.Sprintf("s%03d,i%03d,%v,%v", r.subject, r.item, r.x, r.y))
	}
	return rows
})

// crossedQuestions returns the questions about targets, with what is known, as files have them: items are in the order of
// the alphabet, and those that the data lack follow.
func crossedQuestions(t *testing.T, f answer.Predictor, known, targets []trial) []points.Question {
	t.Helper()
	var all []points.Question
	at := map[int]int{}
	of := func(subject int) *points.Question {
		i, is := at[subject]
		if !is {
			i, all = len(all), append(all, points.Question{Name: fmt.Sprintf("s%03d", subject), Known: points.New(2, 1, nil, nil), Targets: points.New(2, 1, nil, nil)})
			at[subject] = i
		}
		return &all[i]
	}
	for _, r := range targets {
		q := of(r.subject)
		q.Targets.X, q.Targets.Y = append(q.Targets.X, r.x, float64(r.item)), append(q.Targets.Y, r.y)
	}
	for _, r := range known {
		q := of(r.subject)
		q.Known.X, q.Known.Y = append(q.Known.X, r.x, float64(r.item)), append(q.Known.Y, r.y)
	}
	var w warning.Record
	return f.Recall(all, false, &w)
}

// exactDensities returns the log density of each target given rows, by the normal distribution that all were drawn from.
func exactDensities(t *testing.T, rows, targets []trial) (all []float64) {
	t.Helper()
	between := func(a, b trial) (v float64) {
		if a.subject == b.subject {
			v = ofSubject * ofSubject
		}
		if a.item == b.item {
			v += ofItem * ofItem
		}
		return v
	}
	n := len(rows)
	v, y := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i, a := range rows {
		for j, b := range rows[:i+1] {
			v.SetSym(i, j, between(a, b))
		}
		v.SetSym(i, i, v.At(i, i)+ofTrial*ofTrial)
		y.SetVec(i, a.y-0.5*a.x)
	}
	var factor mat.Cholesky
	if !factor.Factorize(v) {
		t.Fatal("V is not positive")
	}
	for _, r := range targets {
		c, solved := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
		for i, a := range rows {
			c.SetVec(i, between(r, a))
		}
		must.Do(t, factor.SolveVecTo(solved, c))
		variance := between(r, r) + ofTrial*ofTrial - mat.Dot(c, solved)
		z := r.y - 0.5*r.x - mat.Dot(y, solved)
		all = append(all, -z*z/variance/2-math.Log(2*math.Pi*variance)/2)
	}
	return all
}

// Predictions of known and new subjects at known and new items are as good as those of the exact model, to 0.05 nats of
// estimated variances and of a mixture, and twice the standard error of the difference.
func TestCrossedGroupsAreNearlyExact(t *testing.T) {
	f := crossedFit(t)
	kinds := map[string]struct{ known, targets []trial }{}
	for k := range crossedAsking {
		add := func(kind string, known, targets []trial) {
			one := kinds[kind]
			one.known, one.targets = append(one.known, known...), append(one.targets, targets...)
			kinds[kind] = one
		}
		fresh := 100 + k
		add("new subject", trials(fresh, 0, 4), trials(fresh, 4, 4))
		add("both known", nil, trials(k, crossedEach, 4))
		add("new item", []trial{trialOf(k, crossedNames+k%2)}, []trial{trialOf(k, crossedNames+1-k%2)})
		add("both new", append(trials(fresh, 0, 3), trialOf(fresh, crossedNames+k%2)), []trial{trialOf(fresh, crossedNames+1-k%2)})
		add("nothing known", nil, []trial{trialOf(fresh, crossedNames+k)})
	}
	for kind, q := range kinds {
		questions, exact := crossedQuestions(t, f, q.known, q.targets), exactDensities(t, append(q.known, crossedTrain()...), q.targets)
		var less []float64
		for target, err := range f.Predict(t.Context(), questions) {
			must.Do(t, err)
			own := target.Channels[0].Distribution.LogDensity(questions[target.Group].Targets.Y[target.Target])
			less = append(less, exact[len(less)]-own)
		}
		mean, deviation := stat.MeanStdDev(less, nil)
		if se := deviation / math.Sqrt(float64(len(less))); !(mean < 0.05+2*se) || len(less) != len(q.targets) {
			t.Errorf("%s: %.3f ± %.3f nats below the exact model at %d targets", kind, mean, se, len(less))
		}
	}
}

// Known points of other subjects at a new item move and narrow its prediction.
func TestOthersTellOfANewItem(t *testing.T) {
	f := crossedFit(t)
	asked := trial{subject: 500, item: crossedNames}
	of := func(known []trial) predict.Distribution {
		q := crossedQuestions(t, f, known, []trial{asked})
		return must.Get(f.Distributions(t.Context(), q[0]))(t)[0][0]
	}
	var known []trial
	for s := range 12 {
		known = append(known, trial{s, crossedNames, 0, 1})
	}
	before, after := of(nil), of(known)
	spread := func(d predict.Distribution) float64 { return d.Quantile(0.84) - d.Quantile(0.16) }
	if !(after.Quantile(0.5) > before.Quantile(0.5)+0.5) || !(spread(after) < 0.85*spread(before)) {
		t.Errorf("the median goes from %v to %v, the spread from %v to %v", before.Quantile(0.5), after.Quantile(0.5), spread(before), spread(after))
	}
}

// A subject that two questions of a call are about tells of a new item once.
func TestASubjectTellsOnce(t *testing.T) {
	f := crossedFit(t)
	q := crossedQuestions(t, f, []trial{{0, crossedNames, 0, 1}}, []trial{{subject: 500, item: crossedNames}})
	again := f.Recall([]points.Question{{Name: q[0].Name, Targets: q[0].Targets}, {Name: q[1].Name, Known: q[1].Known}, {Name: q[1].Name, Known: q[1].Known}}, false, new(warning.Record))
	want, got := must.Get(f.Distributions(t.Context(), q[0]))(t)[0][0], must.Get(f.Distributions(t.Context(), again[0]))(t)[0][0]
	if want.Quantile(0.5) != got.Quantile(0.5) || want.Quantile(0.1) != got.Quantile(0.1) {
		t.Errorf("the median is %v, want %v", got.Quantile(0.5), want.Quantile(0.5))
	}
}

// A known y of 0 or less that counts as the least of the data is said, also where only the model that codes items takes
// logarithms.
func TestLogarithmsOfCodesAreSaid(t *testing.T) {
	one := *crossedFit(t).Fit
	one.CrossedModels, one.YRanges = slices.Clone(one.CrossedModels), slices.Clone(one.YRanges)
	one.CrossedModels[0].Log, one.YRanges[0].Low = true, 0.1
	f, known := answer.Predictor{Fit: &one}, points.New(2, 1, []float64{0, 1}, []float64{-2})
	if y := one.Clamped(0, known).Y[0]; y != 0.1 {
		t.Fatalf("y counts as %v", y)
	}
	var w warning.Record
	f.Warn([]points.Question{{Name: "s", Known: known, Targets: points.New(2, 0, []float64{0, 1}, nil)}}, nil, &w)
	if lines := strings.Join(w.Lines(), "\n"); !strings.Contains(lines, "rt of 1 known point is 0 or less and counts as 0.1") {
		t.Errorf("found the lines %q", lines)
	}
}

// Joint draws of a subject at one new item vary together as the model says: by the subject's and by the item's share.
func TestJointDrawsShareANewItem(t *testing.T) {
	f := crossedFit(t)
	const draws = 200
	q := crossedQuestions(t, f, nil, []trial{{subject: 500, item: crossedNames}, {subject: 500, item: crossedNames}})
	s := must.Get(f.Sequence(q, draws))(t)
	s.Begin(0, q[0])
	var y [2][]float64
	g := random.New(5, random.Data)
	for i := range y {
		must.Do(t, s.Next(context.Background(), i, func(draw int, target predict.Target) []float64 {
			v := target.Channels[0].Quantile(g.Float(uint64(draw), uint64(i)))
			y[i] = append(y[i], v)
			return []float64{v}
		}))
	}
	want := (ofSubject*ofSubject + ofItem*ofItem) / (ofSubject*ofSubject + ofItem*ofItem + ofTrial*ofTrial)
	if got := stat.Correlation(y[0], y[1], nil); math.Abs(got-want) > 0.1 { // three errors of 200 draws, and estimated variances
		t.Errorf("draws have the correlation %.3f, want %.3f", got, want)
	}
}
