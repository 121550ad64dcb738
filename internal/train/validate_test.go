package train_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/engine/cpu"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/train"
)

// noise returns a source of three fixed sets of groups without any structure: a model can only learn
// the training set by heart.
func noise(train, valid, test datasets.Size) *datasets.Source {
	set := func(number uint64, size datasets.Size) datasets.Batches {
		return datasets.Batches{Size: size, Count: min(1, size.Groups), Make: func(_ int, b *datasets.Batch) error { return drawn(number, size, b) }}
	}
	return &datasets.Source{DX: 1, DY: 1, Scaling: datasets.Unscaled(1, 1), Train: set(1, train), Valid: set(2, valid), Eval: set(3, test)}
}

// few are the training groups of overfitted, which has enough others for steady means.
var few, many = datasets.Size{Groups: 2, Points: 12, Context: 4}, datasets.Size{Groups: 20, Points: 12, Context: 4}

var overfitted = noise(few, many, datasets.Size{Groups: 40, Points: 12, Context: 4})

func drawn(set uint64, s datasets.Size, b *datasets.Batch) error {
	n := s.Groups * s.Points
	*b = datasets.Batch{Groups: s.Groups, Points: s.Points, Context: s.Context, DX: 1, DY: 1, X: make([]float32, n), Y: make([]float32, n)}
	g := random.New(9, random.Data)
	for i := range n {
		b.X[i] = float32(4*g.Float(2*set, uint64(i)) - 2)
		b.Y[i] = float32(g.Normal(2*set+1, uint64(i)))
	}
	return nil
}

// validated returns the tiny experiment with a validation every other step.
func validated(t testing.TB, change ...func(*config.Experiment)) config.Experiment {
	every := func(e *config.Experiment) { e.Train.ValidateEvery, e.Train.LogEvery = 2, 5 }
	return experiment(t, append([]func(*config.Experiment){every}, change...)...)
}

// impatient trains by heart until its patience of 4 runs out, at step out of 200.
func impatient(t testing.TB, schedule string) config.Experiment {
	return validated(t, steps(200), func(e *config.Experiment) {
		e.Train.Patience, e.Train.Schedule, e.Train.LearningRate = 4, schedule, 0.02
		e.Train.CheckpointEvery, e.Train.KeepCheckpoints = 7, 0
	})
}

// lls returns valid_ll by step.
func lls(t testing.TB, dir string) map[int]float64 {
	t.Helper()
	found := map[int]float64{}
	for _, m := range metrics(t, dir) {
		if m.ValidLL != nil {
			found[m.Step] = *m.ValidLL
		}
	}
	return found
}

func TestValidationIsLoggedAndTheBestIsKept(t *testing.T) {
	dir := t.TempDir()
	e := validated(t, func(e *config.Experiment) { e.Train.CheckpointEvery, e.Train.KeepCheckpoints = 1, 12 })
	r := mustTrain(t, train.Options{Experiment: e, Dir: dir})
	must.Same(t, []int{2, 4, 5, 6, 8, 10, 12}, metricSteps(t, dir), "logged steps")
	found, best := lls(t, dir), 2
	for step := 2; step <= 12; step += 2 {
		if found[step] > found[best] {
			best = step
		}
	}
	if len(found) != 6 || r.Best == nil || *r.Best != (train.Best{Checkpoint: checkpoint(dir, "best"), Step: best, ValidLL: found[best]}) {
		t.Errorf("valid_ll %v, best %+v", found, r.Best)
	}
	all := metrics(t, dir)
	for i, m := range all {
		if want := map[bool]string{true: run.EndedBySteps}[i == len(all)-1]; m.Ended != want {
			t.Errorf("line of step %d: ended %q", m.Step, m.Ended)
		}
	}
	same := t.TempDir()
	mustTrain(t, train.Options{Dir: same, Experiment: experiment(t)})
	with := must.Get(run.ReadCheckpoint(checkpoint(dir, "step-12"), modelOf(t, e)))(t)
	without, err := run.ReadCheckpoint(checkpoint(same, "step-12"), modelOf(t, e))
	if err != nil || !slices.Equal(with.Params, without.Params) || !slices.Equal(with.M, without.M) || !slices.Equal(with.V, without.V) {
		t.Errorf("validation changes the training (%v)", err)
	}
	kept, err := run.ReadCheckpoint(checkpoint(dir, "best"), modelOf(t, e))
	if err != nil || kept.ValidLL() == nil || *kept.ValidLL() != found[best] {
		t.Errorf("the best checkpoint has the valid_ll %v (%v), want %v", kept.ValidLL(), err, found[best])
	}
	if with.ValidLL() != nil || without.ValidLL() != nil {
		t.Error("weights that are not averaged have a valid_ll")
	}
	if metrics(t, same)[3].Ended != run.EndedBySteps {
		t.Error("the last line of a run without validation does not say what ended it")
	}
}

// The best weights beat the last on groups that neither training nor validation saw.
func TestTheBestBeatsTheLastOfAnOverfittedRun(t *testing.T) {
	dir := t.TempDir()
	e := validated(t, steps(600), func(e *config.Experiment) {
		e.Train.ValidateEvery, e.Train.CheckpointEvery = 10, 1000
		e.Model.Representation, e.Model.Encoder, e.Model.Decoder = 32, []int{32}, []int{32}
	})
	result := mustTrain(t, train.Options{Experiment: e, Dir: dir, Source: overfitted})
	if result.Best.Step > 300 {
		t.Errorf("the best is step %d of 600: nothing was learnt by heart", result.Best.Step)
	}
	of := func(which string) float64 {
		opened := must.Get(run.Open(dir))(t)
		trained := must.Get(predict.LoadRun(opened, which, run.UnitsOf(e, overfitted), device.CPU(0), nil))(t)
		trained.NumTau = 20
		r := must.Get(trained.Evaluate(t.Context(), overfitted, predict.EvalOptions{}))(t)
		return r.TargetLL.Mean
	}
	best, last := of(run.Preferred), of(run.Newest)
	if best < last+0.5 || best != of(run.Best) {
		t.Errorf("target log-likelihood of the best step %d: %.3f, of the last: %.3f", result.Best.Step, best, last)
	}
}

// Runs that patience ends do so after as many validations without a better one, and a run that was
// interrupted anywhere ends with the same bits at the same step.
func TestResumeWithinAPatienceGivesTheSameBits(t *testing.T) {
	for _, schedule := range []string{config.Constant, config.Plateau} {
		t.Run(schedule, func(t *testing.T) {
			e, whole := impatient(t, schedule), t.TempDir()
			want := mustTrain(t, train.Options{Experiment: e, Dir: whole, Source: overfitted, Device: device.CPU(1)})
			found := lls(t, whole)
			out := want.Best.Step + 2*e.Train.Patience
			end := out
			if schedule == config.Plateau {
				end += out / 10
			}
			last := metrics(t, whole)[len(metrics(t, whole))-1]
			if want.Ended != run.EndedByPatience || want.Step != end || last.Ended != run.EndedByPatience || last.Step != end {
				t.Fatalf("%+v, last line %+v, expected an end by patience at step %d", want, last, end)
			}
			for _, stop := range []int{1, want.Best.Step - 1, want.Best.Step, want.Best.Step + 1, want.Best.Step + 3, out - 1, end - 1} {
				dir := t.TempDir()
				o := train.Options{Experiment: e, Dir: dir, Resume: true, Source: overfitted, Device: device.CPU(2)}
				interruptAfter(t, o, stop)
				got := mustTrain(t, o)
				if got.Resumed != stop || got.Step != end || got.Best.Step != want.Best.Step || got.Ended != want.Ended {
					t.Errorf("interrupted after %d: %+v", stop, got)
				}
				sameTensors(t, got.Checkpoint, want.Checkpoint)
				sameTensors(t, got.Best.Checkpoint, want.Best.Checkpoint)
				again := lls(t, dir)
				for step, ll := range found {
					if again[step] != ll {
						t.Errorf("interrupted after %d: valid_ll of step %d %v, expected %v", stop, step, again[step], ll)
					}
				}
			}
		})
	}
}

// A run that lost its newest checkpoint goes back to an older one, with the patience of that step.
func TestResumeBeforeTheBestGivesTheSameBits(t *testing.T) {
	e, dir := impatient(t, config.Constant), t.TempDir()
	e.Train.CheckpointEvery, e.Train.KeepCheckpoints = 1, 1000
	want := mustTrain(t, train.Options{Experiment: e, Dir: dir, Source: overfitted})
	weights, best := tensors(t, want.Checkpoint), tensors(t, want.Best.Checkpoint)
	for step := want.Best.Step - 1; step <= want.Step; step++ {
		must.Do(t, os.Remove(filepath.Join(dir, "checkpoints", stepName(step))))
	}
	got := mustTrain(t, train.Options{Experiment: e, Dir: dir, Source: overfitted, Resume: true})
	if got.Resumed != want.Best.Step-2 || *got.Best != *want.Best || got.Ended != run.EndedByPatience {
		t.Errorf("%+v, expected %+v", got, want)
	}
	if string(tensors(t, got.Checkpoint)) != string(weights) || string(tensors(t, got.Best.Checkpoint)) != string(best) {
		t.Error("the run ended with other tensors")
	}
}

// A run that is at its end is left alone, whatever ended it.
func TestFinishedRunIsLeftAlone(t *testing.T) {
	for ended, e := range map[string]config.Experiment{run.EndedBySteps: validated(t), run.EndedByPatience: impatient(t, config.Constant)} {
		dir := t.TempDir()
		first := mustTrain(t, train.Options{Experiment: e, Dir: dir, Source: overfitted})
		log, last := must.Read(t, filepath.Join(dir, "metrics.jsonl")), must.Read(t, first.Checkpoint)
		again := mustTrain(t, train.Options{Experiment: e, Dir: dir, Source: overfitted, Resume: true,
			OnStep: func(u train.Update) { t.Errorf("step %d of a finished run", u.Step) }})
		if !again.Finished || again.Step != first.Step || again.Checkpoint != first.Checkpoint || again.Ended != ended || *again.Best != *first.Best {
			t.Errorf("%+v, want %+v", again, first)
		}
		if string(must.Read(t, filepath.Join(dir, "metrics.jsonl"))) != string(log) || string(must.Read(t, first.Checkpoint)) != string(last) {
			t.Errorf("ended by %s: its files have changed", ended)
		}
		e.Train.Patience++
		_, err := train.Run(t.Context(), train.Options{Experiment: e, Dir: dir, Source: overfitted, Resume: true})
		must.Refuse(t, err, "train.patience")
	}
}

// With a constant learning rate, more steps can follow, and the run is the same as one that had
// them from the start.
func TestMoreStepsAfterAValidation(t *testing.T) {
	dir, whole := t.TempDir(), t.TempDir()
	mustTrain(t, train.Options{Experiment: validated(t, steps(5)), Dir: dir})
	got := mustTrain(t, train.Options{Experiment: validated(t), Dir: dir, Resume: true})
	want := mustTrain(t, train.Options{Experiment: validated(t), Dir: whole})
	sameTensors(t, got.Checkpoint, want.Checkpoint)
	sameTensors(t, got.Best.Checkpoint, want.Best.Checkpoint)
	if got.Best.Step != want.Best.Step || got.Best.ValidLL != want.Best.ValidLL || got.Resumed != 5 {
		t.Errorf("%+v, expected %+v", got, want)
	}
}

func TestThePlateausFallEndsWithTheSteps(t *testing.T) {
	dir := t.TempDir()
	e := validated(t, steps(55), func(e *config.Experiment) { e.Train.Schedule, e.Train.LogEvery = config.Plateau, 1 })
	r := mustTrain(t, train.Options{Experiment: e, Dir: dir})
	all := metrics(t, dir)
	if r.Ended != run.EndedBySteps || len(all) != 55 || all[54].ValidLL == nil {
		t.Fatalf("%+v, %d lines, last %+v", r, len(all), all[len(all)-1])
	}
	for i, m := range all {
		want := 0.01 * min(1, float64(55-i)/5)
		if math.Abs(m.LearningRate-want) > 1e-15 {
			t.Errorf("step %d: learning rate %v, expected %v", i, m.LearningRate, want)
		}
	}
}

func TestAValidationOfOneGroupAndNone(t *testing.T) {
	one := noise(few, datasets.Size{Groups: 1, Points: 5, Context: 4}, many) // one target
	r := mustTrain(t, train.Options{Experiment: validated(t), Dir: t.TempDir(), Source: one})
	if r.Best == nil || r.Best.Step < 2 {
		t.Errorf("%+v", r)
	}
	for _, s := range []*datasets.Source{noise(few, datasets.Size{}, many), counted()} {
		dir := filepath.Join(t.TempDir(), "run")
		_, err := train.Run(t.Context(), train.Options{Experiment: validated(t), Dir: dir, Source: s})
		must.Refuse(t, err, "train.validate_every: found 2", "no validation batches")
		if _, err := os.Stat(dir); err == nil {
			t.Error("a directory was made")
		}
	}
}

func TestNaNInAValidationStops(t *testing.T) {
	dir := t.TempDir()
	broken := *overfitted
	broken.Valid.Make = func(i int, b *datasets.Batch) error {
		err := overfitted.Valid.Make(i, b)
		b.Y[7] = float32(math.NaN())
		return err
	}
	_, err := runWith(t.Context(), train.Options{Experiment: validated(t), Dir: dir}, &broken, cpu.New)
	wantNonFinite(t, err, 2, "valid_ll", "")
	if !strings.Contains(err.Error(), "at step 2") || !strings.Contains(err.Error(), "the log-likelihood of the validation is NaN") {
		t.Errorf("message %q", err)
	}
	wantFiles(t, dir, "config.yaml", "metrics.jsonl")
}

// Once the patience ran out, the plateau schedule goes on from the best weights. If they are lost,
// it says so and goes on from the last.
func TestThePlateauFallsFromTheBestWeights(t *testing.T) {
	e := impatient(t, config.Plateau)
	e.Train.CheckpointEvery, e.Train.KeepCheckpoints = 1, 1000
	for _, lost := range []bool{false, true} {
		dir := t.TempDir()
		var warnings []string
		best, out := 0, 0
		var kept run.Checkpoint
		o := train.Options{Experiment: e, Dir: dir, Source: overfitted, Warn: func(line string) { warnings = append(warnings, line) }}
		o.OnStep = func(u train.Update) {
			if _, err := os.Stat(checkpoint(dir, "best")); err == nil {
				best = bestStep(t, dir)
			}
			if out == 0 && best > 0 && u.Step == best+2*e.Train.Patience {
				var err error
				if kept, err = run.ReadCheckpoint(checkpoint(dir, "best"), modelOf(t, e)); err != nil {
					t.Error(err)
				}
				if out = u.Step; lost {
					must.Write(t, []byte("torn"), checkpoint(dir, "best"))
				}
			}
		}
		mustTrain(t, o)
		at := must.Get(run.ReadCheckpoint(checkpoint(dir, "step-"+strconv.Itoa(out)), modelOf(t, e)))(t)
		same := slices.Equal(at.Params, kept.Params) && slices.Equal(at.M, kept.M) && slices.Equal(at.Average, kept.Params)
		if same == lost || len(warnings) != map[bool]int{true: 1}[lost] {
			t.Errorf("lost %v: at the best weights %v, warnings %q", lost, same, warnings)
		}
	}
}

// bestStep returns the step of the best checkpoint so far.
func bestStep(t *testing.T, dir string) int {
	t.Helper()
	all := metrics(t, dir)
	return all[run.BestOf(all)].Step
}

// A validation is what an evaluation of the same batches finds.
func TestValidationAgreesWithEvaluation(t *testing.T) {
	e, dir := validated(t), t.TempDir()
	best := mustTrain(t, train.Options{Experiment: e, Dir: dir, Source: overfitted}).Best
	c := must.Get(run.ReadCheckpoint(checkpoint(dir, "best"), modelOf(t, e)))(t)
	swapped := *overfitted
	swapped.Eval = swapped.Valid
	got := must.Get(predict.New(e, modelOf(t, e), c.Params, run.Units{}, device.CPU(1)).Evenly().Evaluate(t.Context(), &swapped, predict.EvalOptions{}))(t)
	// 1e-5: the former averages in another order.
	if d := math.Abs(got.TargetLL.Mean - best.ValidLL); !(d < 1e-5) {
		t.Errorf("evaluation %v, validation %v", got.TargetLL.Mean, best.ValidLL)
	}
}
