package train

import (
	"fmt"
	"strconv"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/run"
)

// replan compares the number of steps that the checkpoint's run was to make with the one that it is to
// make now. It notes what the learning rate does if they differ. It returns an *invalid.Input if more steps are
// done, or if those done would have had another learning rate.
func (l *loop) replan(c run.Checkpoint) error {
	e, err := config.Parse(c.Path, []byte(c.Config), config.Overrides{})
	if err != nil {
		return err
	}
	began, now := e.Train, l.schedule
	if began.Steps, err = Steps(began, l.o.Source); err != nil {
		return err
	}
	bad := l.badLength()
	switch {
	case c.Step > now.Steps:
		bad.Expected = fmt.Sprintf("at least %d steps, which the run has done already", c.Step)
		return bad
	case began.Steps == now.Steps:
		return nil
	case !continues(began, now, c.Validation.Out, c.Step):
		bad.Expected = fmt.Sprintf("%d steps: the %s learning rates of the %d steps done follow from that number; --overwrite trains "+
			"anew, --weights with another --run-dir starts a new run from the weights of this one", began.Steps, now.Schedule, c.Step)
		return bad
	}
	out := c.Validation.Out
	ends := fmt.Sprintf("goes on to step %d instead of %d", now.Steps, began.Steps)
	if out > 0 {
		ends = fmt.Sprintf("ends at step %d, because its patience ran out", lastStep(now, out))
	}
	l.replanned = fmt.Sprintf("the run %s: %s", ends, course(now, out))
	return nil
}

// badLength returns an error for the number of steps, or of epochs, without what is expected.
func (l *loop) badLength() *invalid.Input {
	t := l.schedule
	if t.Epochs > 0 {
		return &invalid.Input{File: l.o.Dir, Key: "train.epochs", Found: fmt.Sprintf("%d, which is %d steps", t.Epochs, t.Steps)}
	}
	return &invalid.Input{File: l.o.Dir, Key: "train.steps", Found: strconv.Itoa(t.Steps)}
}

// endHere makes the restored step the last of a run that was planned for more steps and is to make no more now:
// its log and config.yaml say so, for all who ask whether the run has ended. It returns an *invalid.Input if the log
// has no line of that step.
func (l *loop) endHere() error {
	if l.replanned == "" || l.saved != l.end() || l.valid.Out > 0 { // patience has ended the log before
		return nil
	}
	found, err := l.dir.EndLog(l.saved, l.ended())
	switch {
	case err != nil:
		return err
	case !found:
		bad := l.badLength()
		bad.Expected = fmt.Sprintf("at least %d steps: the run has done %d already, and its log has no line of the last", l.saved+1, l.saved)
		return bad
	}
	return l.dir.WriteConfig(l.config)
}

// continues reports whether the first done steps of a run that was to make began.Steps are those of one
// that makes now.Steps. out is the step at which the patience ran out, or 0.
func continues(began, now config.Train, out, done int) bool {
	switch {
	case now.Schedule == config.Constant || done == 0:
		return true
	case now.Schedule == config.Cosine:
		return false
	}
	latest, _ := fall(began, 0)
	newLatest, _ := fall(now, 0)
	if latest = min(latest, newLatest); out == 0 {
		return done < latest
	}
	_, end := fall(began, out)
	_, newEnd := fall(now, out)
	return out < latest && (done == out || end == newEnd)
}

// course says what the learning rate does.
func course(t config.Train, out int) string {
	from, to := fall(t, out)
	switch {
	case t.Schedule == config.Constant:
		return fmt.Sprintf("the learning rate stays at %g", t.LearningRate)
	case t.Schedule == config.Cosine:
		return fmt.Sprintf("the learning rate falls from %g to 0 over all steps", t.LearningRate)
	case t.Patience > 0 && out == 0:
		return fmt.Sprintf("the learning rate stays at %g until the patience runs out or step %d, and then falls to 0", t.LearningRate, from)
	}
	return fmt.Sprintf("the learning rate falls from %g to 0 between steps %d and %d", t.LearningRate, from, to)
}
