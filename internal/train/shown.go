package train

import (
	"context"
	"fmt"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/run"
)

// RunShown calls Run and reports to p: model, device and run directory, warnings, steps, and with
// validation what ended the run. threads is the number of the engine's threads. RunShown sets o.Warn,
// o.OnStart and o.OnStep.
func RunShown(ctx context.Context, o Options, threads int, p progress.Reporter) (Result, error) {
	defer p.End()
	o.Warn = p.Warn
	afresh, begun := o.Resume && !run.HasCheckpoint(o.Dir), run.Begun(o.Dir)
	o.OnStart = func(s Start) {
		o.announce(s, threads, afresh, p)
		if afresh && begun { // somebody expects its steps
			p.Warn(o.Dir + ": --resume found no checkpoint of its run, so training begins at step 0")
		}
		if s.Replanned != "" {
			p.Note(s.Replanned)
		}
		p.Begin("train", "step", s.Step, s.Steps)
	}
	o.OnStep = func(u Update) {
		p.Update(progress.State{Done: u.Step, Loss: u.Loss, RowsPerSecond: u.RowsPerSecond})
	}
	r, err := Run(ctx, o)
	switch {
	case err != nil:
	case r.Ended == EndedByUntil:
		p.End()
		p.Note(fmt.Sprintf("training stopped after step %d, as --until says; --resume continues", r.Step), progress.Field{Name: "ended", Value: r.Ended})
	case r.Best != nil:
		p.End()
		p.Note("training ended "+r.why(o.Experiment.Train), progress.Field{Name: "ended", Value: r.Ended},
			progress.Field{Name: "best", Value: r.Best})
	}
	return r, err
}

// why says what ended a run with validation, and which of its weights are the best.
func (r Result) why(t config.Train) string {
	reason := "after all steps"
	if r.Ended == run.EndedByPatience {
		reason = fmt.Sprintf("by patience (%s without a better one)", invalid.Plural(t.Patience, "validation", "validations"))
	}
	return fmt.Sprintf("at step %d %s, best at step %d with valid_ll %.4f", r.Step, reason, r.Best.Step, r.Best.ValidLL)
}

// announce notes model, device and run directory.
func (o Options) announce(s Start, threads int, afresh bool, p progress.Reporter) {
	text := fmt.Sprintf("training %s on %s: %d parameters, %v, run directory %s",
		o.Experiment.Named(), o.Experiment.Benchmark, s.Parameters, o.Device, o.Dir)
	switch {
	case afresh:
		text += ", begun at step 0: it has no checkpoint to resume"
	case s.Step > 0:
		text += fmt.Sprintf(", resumed after step %d", s.Step)
	}
	p.Note(text, progress.Field{Name: "device", Value: o.Device.Name()}, progress.Field{Name: "threads", Value: threads},
		progress.Field{Name: "parameters", Value: s.Parameters}, progress.Field{Name: "run", Value: o.Dir},
		progress.Field{Name: "resumed", Value: s.Step})
}
