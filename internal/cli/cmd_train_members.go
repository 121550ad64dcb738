package cli

import (
	"context"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/train"
	"github.com/acqnp/acqnp/internal/train/seeds"
)

// trainMembers trains all networks of an ensemble but the first, together. The caller then trains the
// first. So a run directory whose own training has ended holds a whole ensemble.
func (o *trainOptions) trainMembers(ctx context.Context, first train.Options, p progress.Reporter) error {
	n := first.Experiment.Train.Ensemble() - 1
	if n == 0 {
		return nil
	}
	if err := o.checkNew(first.Dir); err != nil {
		return err
	}
	if began, ok := run.Began(first.Dir); o.resume && ok && len(config.ResumeDifferences(began, first.Experiment)) > 0 {
		return nil // train.Run says why it does not resume
	}
	runs := make([]train.Options, n)
	for i := range runs {
		member := first
		member.Device = nil
		member.Dir, member.Experiment = run.MemberDir(first.Dir, i+1), first.Experiment.Member(i+1)
		err := o.checkNew(member.Dir)
		if err != nil {
			return err
		}
		if member.Source, err = datasets.Open(member.Experiment, o.dataDir); err != nil {
			return err
		}
		runs[i] = member
	}
	outcomes, err := o.together(ctx, runs, p)
	if err != nil {
		return err
	}
	return seeds.Failure(runs, outcomes)
}
