package train

import (
	"fmt"
	"strconv"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/feed"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/run/footprint"
)

// validLevels is the largest number of levels, or of bootstraps, of a validation.
const validLevels = 50

// A validator computes the log-likelihood of validation batches. Batches, levels and bootstraps are
// the same at every validation, so its results differ by the weights alone.
type validator struct {
	estimate footprint.Estimate
	program  engine.Program[float32]
	feeds    []*feed.Feed
}

// newValidator returns the validator of an experiment, not compiled yet. It makes all batches, as
// the source is busy with training later.
func newValidator(e config.Experiment, m *models.Model, source *datasets.Source, d device.Device) (*validator, error) {
	valid := source.Valid
	if valid.Count < 1 {
		return nil, &invalid.Input{Key: "train.validate_every", Found: strconv.Itoa(e.Train.ValidateEvery),
			Expected: "0: these data have no validation batches"}
	}
	draws, err := feed.New(m, feed.Choice{NumTau: min(e.Eval.NumTau, validLevels), Spacing: feed.Spacing(m),
		Bootstraps: min(e.Model.EvalBootstraps, validLevels), Seed: e.Eval.Seed, Evaluation: true})
	if err != nil {
		return nil, err
	}
	size := valid.Size
	v := &validator{estimate: footprint.Estimate{Device: d, Model: m, Mode: models.Evaluation, Capacity: ops.Extents{ // no feeds: they are made here
		Groups: size.Groups, Context: size.Context, Points: size.Points, Levels: draws.Count()}}}
	if v.feeds, err = feed.All(valid.Make, feed.TargetPoints, draws, valid.Count); err != nil {
		return nil, fmt.Errorf("validation: %w", err)
	}
	for i, f := range v.feeds {
		if !f.Extents.Fits(v.estimate.Capacity) {
			return nil, fmt.Errorf("validation batch %d: found %v, expected at most %v, the source's largest", i, f.Extents, v.estimate.Capacity)
		}
	}
	return v, nil
}

// compile compiles the validator's program.
func (v *validator) compile() (err error) {
	v.program, err = v.estimate.Compile()
	return err
}

// loglik returns the mean log-likelihood of the targets under the weights params: the mean over the
// targets of each group of a batch, then over all groups of all batches.
func (v *validator) loglik(params []float32) (float64, error) {
	copy(v.program.Params(), params)
	sum, groups := 0.0, 0
	for _, f := range v.feeds {
		f.Write(v.program)
		if err := v.program.Run(f.Extents); err != nil {
			return 0, fmt.Errorf("validation: %w", err)
		}
		sum += sumOfMeans(v.program.Output("loglik"), f.Extents)
		groups += f.Extents.Groups
	}
	return sum / float64(groups), nil
}

// sumOfMeans returns the sum over groups of the means over their points.
func sumOfMeans(loglik []float32, e ops.Extents) float64 {
	sum := 0.0
	for b := range e.Groups {
		mean := 0.0
		for _, p := range loglik[b*e.Points:][:e.Points] {
			mean += float64(p)
		}
		sum += mean / float64(e.Points)
	}
	return sum
}

func (v *validator) close() error {
	if v == nil || v.program == nil {
		return nil
	}
	return v.program.Close()
}

// validateAndReport validates the average of the weights if that is due, and reports the step. An
// average that is better than all before is saved.
func (l *loop) validateAndReport() error {
	if !l.due() {
		return l.report(nil)
	}
	state, ll, err := l.validated()
	if err != nil {
		return err
	}
	better := l.judge(ll)
	if err := l.report(&ll); err != nil {
		return err
	}
	switch {
	case better:
		c := l.current(state)
		c.Average = nil
		return l.dir.SaveBest(&c, l.model, l.o.Experiment.Train)
	case l.valid.Out == l.step && l.step < l.end():
		return l.goBack()
	}
	return nil
}

// validated returns the current state with the average of the weights for its weights, and the
// validation's log-likelihood under them.
func (l *loop) validated() (engine.State, float64, error) {
	state, err := l.trainer.State()
	if err != nil {
		return state, 0, l.named(err)
	}
	if l.average.of != nil {
		state.Params = l.average.of
	}
	ll, err := l.validator.loglik(state.Params)
	if err == nil && ll-ll != 0 {
		err = l.named(&engine.NonFiniteError{Batch: l.step - 1, Quantity: "valid_ll", Value: float32(ll)})
	}
	return state, ll, err
}

// goBack loads the best weights, from which the plateau schedule lowers the learning rate once the
// patience ran out. If their file is lost, training goes on from the weights that it has.
func (l *loop) goBack() error {
	c, err := run.ReadCheckpoint(l.dir.BestPath(), l.model)
	if err == nil && c.Step != l.valid.Step {
		err = &invalid.Input{File: c.Path, Key: "step", Found: strconv.Itoa(c.Step), Expected: strconv.Itoa(l.valid.Step)}
	}
	if err == nil {
		return l.startAgain(c.State)
	}
	if l.o.Warn != nil {
		l.o.Warn("the learning rate falls from the last weights, not from the best: " + err.Error())
	}
	return nil
}

// due reports whether the current step has a validation: every train.validate_every steps, and the
// last one. Without a schedule that ends with the steps, more steps may follow in a resumed run,
// which has to be the same as if it had not been interrupted; so its last step is no exception.
func (l *loop) due() bool {
	if l.validator == nil {
		return false
	}
	final := l.step == l.end() && (l.valid.Out > 0 || l.schedule.Schedule != config.Constant)
	return final || l.step%l.schedule.ValidateEvery == 0
}

// judge records the log-likelihood of a validation of the current step and returns whether it is
// better than all before. It notes if the patience runs out.
func (l *loop) judge(ll float64) (better bool) {
	v := &l.valid
	if better = v.Step == 0 || ll > v.Best; better {
		v.Best, v.Step, v.Worse = ll, l.step, 0
		return true
	}
	v.Worse++
	t := l.schedule
	falls, _ := fall(t, 0)
	if t.Patience > 0 && v.Worse >= t.Patience && v.Out == 0 && (t.Schedule != config.Plateau || l.step < falls) {
		v.Out = l.step
	}
	return false
}

// startAgain loads a state, whose weights also become the average.
func (l *loop) startAgain(s engine.State) error {
	l.average.of = append(l.average.of[:0], s.Params...)
	return l.trainer.Load(s)
}
