package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/run"
)

// mostAttempts is the number of attempts in a row without progress after which a run has failed.
const mostAttempts = 3

// train trains and evaluates a run, or leaves it to another process that does. An error ends the
// sweep.
func (p *pool) train(slot int, m *member) (err error) {
	// Look first: Hold would take long to watch the heartbeats of a run on another machine.
	if s, err := m.State(p.Plan.Evaluate, run.StateOf); err != nil || s.Phase == run.Running {
		return errors.Join(err, p.leave(m))
	}
	release, err := run.Hold(m.Dir, run.Sweeping, p.Board.Warn)
	if errors.Is(err, run.ErrBusy) {
		return p.leave(m)
	}
	if errors.Is(err, context.Canceled) { // by the signal that ends the sweep
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	lane := p.Board.Lane(m.Dir)
	defer lane.End()
	var before run.State // of a child that ended without an error
	for p.ctx.Err() == nil {
		s, err := m.State(p.Plan.Evaluate, run.StateOf)
		if err != nil {
			return err
		}
		if s.Phase == before.Phase && s.Step == before.Step { // no other child would bring it further
			return p.giveUp(m, ending{code: codeFailed, message: "the command ended without an error, but the run's log has no end: move the run away to train it again"})
		}
		enough, until := false, 0
		p.update(func() {
			m.see(s)
			enough, until = m.parked() || m.dropped, m.until
		})
		if enough {
			return nil
		}
		switch s.Phase {
		case run.Done:
			p.Board.Note(m.Dir+": done", progress.Field{Name: "run", Value: m.Dir})
			return nil
		case run.Running:
			return p.leave(m)
		}
		if err := run.ClearFailure(m.Dir); err != nil {
			return err
		}
		e, err := start(p.ctx, p.Program, p.command(slot, m, s.Phase, until), p.environment(slot), func(v event) { p.heard(m, lane, v) })
		if err != nil {
			return err
		}
		if goOn, err := p.judge(m, e, s.Phase != run.Trained); !goOn || err != nil {
			return err
		}
		before = s
	}
	return nil
}

// leave leaves a run to another process for a while, after a look at its state.
func (p *pool) leave(m *member) error {
	s, err := m.State(p.Plan.Evaluate, run.StateOf)
	p.update(func() {
		m.see(s)
		m.notBefore = time.Now().Add(look)
	})
	return err
}

// update calls change with the pool's lock.
func (p *pool) update(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// command returns the arguments of the child that trains or evaluates a run.
func (p *pool) command(slot int, m *member, phase run.Phase, until int) []string {
	var args []string
	if phase == run.Trained {
		args = []string{"eval", "--run", m.Dir}
	} else {
		args = []string{"train", "--config", m.Config, "--seed", strconv.FormatUint(m.Seed, 10), "--run-dir", m.Dir, "--resume", "--no-eval"}
		if until > 0 {
			args = append(args, "--until", strconv.Itoa(until))
		}
		for _, s := range m.Set {
			args = append(args, "--set", s)
		}
	}
	args = append(args, "--json", "--threads", strconv.Itoa(p.jobs.Threads))
	if d := p.jobs.Devices; len(d) > 0 {
		args = append(args, "--device", d[slot%len(d)])
	}
	return append(args, p.Flags...)
}

// environment returns the environment of a child; nil is that of this process.
func (p *pool) environment(slot int) []string {
	if len(p.jobs.Visible) == 0 {
		return nil
	}
	return append(os.Environ(), "CUDA_VISIBLE_DEVICES="+p.jobs.Visible[slot%len(p.jobs.Visible)])
}

// heard shows an event of a run's child, and notes its step.
func (p *pool) heard(m *member, lane *progress.Lane, v event) {
	switch v.Event {
	case "warning":
		p.Board.Warn(m.Dir + ": " + v.Message)
	case "progress":
		text := fmt.Sprintf("%s %d/%d", v.Unit, v.Done, v.Total)
		if v.Loss != nil {
			text += fmt.Sprintf(", loss %.4f", *v.Loss)
		}
		if v.LeftS != nil {
			text += ", " + seconds(*v.LeftS) + " left"
		}
		lane.Update(v.Done, v.Total, text)
		if v.Unit == "step" {
			p.update(func() { m.step, m.steps = v.Done, v.Total })
		}
		p.show()
	}
}

// seconds formats a time in whole seconds: 1h2m3s.
func seconds(s float64) string {
	return (time.Duration(s) * time.Second).String()
}

// judge decides what follows from the end of a run's child. trained says whether it trained or
// evaluated. judge reports whether to go on with the run.
func (p *pool) judge(m *member, e ending, trained bool) (goOn bool, err error) {
	switch {
	case e.code == codeDone:
		p.update(func() { m.trained, m.attempts = m.trained || trained, 0 })
		return true, nil
	case p.ctx.Err() != nil:
		return false, nil
	case e.cause == causeBusy:
		return false, p.leave(m)
	}
	s, err := m.State(p.Plan.Evaluate, run.StateOf)
	if err != nil {
		return false, err
	}
	p.update(func() {
		m.attempts++
		if s.Step > m.furthest {
			m.furthest, m.attempts = s.Step, 1
		}
	})
	hopeless := e.code == codeInput || e.cause == run.Diverged
	if !hopeless && m.attempts < mostAttempts {
		p.Board.Warn(fmt.Sprintf("%s: %s; trying again", m.Dir, e.message))
		p.update(func() { m.notBefore = time.Now().Add(time.Duration(m.attempts) * time.Second) })
		return false, nil
	}
	return false, p.giveUp(m, e)
}

// causeBusy is the cause of an error that another process trains the run.
const causeBusy = "busy"

// giveUp records that a run has failed.
func (p *pool) giveUp(m *member, e ending) error {
	host, _ := os.Hostname()
	f := run.Failure{ExitCode: e.code, Cause: e.cause, Message: e.message, Attempts: max(1, m.attempts), Host: host, Time: time.Now().UTC()}
	if err := run.WriteFailure(m.Dir, f); err != nil {
		return err
	}
	p.Board.Warn(fmt.Sprintf("%s failed: %s", m.Dir, e.message))
	p.update(func() { m.failure, m.phase = &f, run.Failed })
	return nil
}
