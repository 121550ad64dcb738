package stack

import (
	"context"
	"fmt"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// Logs are the log densities that a stack's models without each fold, mixed as they are for predictions, give the points
// of that fold.
type Logs struct {
	split *split
	logs  []float64 // of the split's targets
}

// Folds is the number of folds.
const Folds = folds

// OutOfFold asks the models without each fold about its points; of says which fold that is, see Held. Questions are
// those of a fit: contexts of several sizes and, alone, none. Of the same groups with other x, they ask for the same
// points. At most about most questions are asked. OpenFolds must have read the models of a file.
func (s *Stack) OutOfFold(ctx context.Context, groups []points.Group, of [][]int, alone bool, most, threads int) (Logs, error) {
	p := &split{byPoint: s.ByPoint, groups: len(groups), most: most, alone: alone, view: s.view}
	p.cut(groups, of, 0)
	var trials []*trial
	var weights [len(spans)][]float64
	for _, c := range s.Candidates {
		if c.Weight == 0 {
			continue
		}
		t := &trial{kind: Kind{Name: c.Name}, scale: scale{y: c.Scale, x: c.LogX}, answers: make([]likelihood.GaussianMixture, len(p.targets)), logs: make([]float64, len(p.targets))}
		for fold, m := range c.folds() {
			t.models[fold] = m.Model
		}
		trials = append(trials, t)
		for b, w := range c.Weights {
			weights[b] = append(weights[b], w)
		}
	}
	why := make([]string, len(trials)*folds)
	inParallel(ctx, len(why), threads, func(i int) {
		t, fold := trials[i/folds], i%folds
		_, why[i], _ = p.ask(ctx, t, fold, t.models[fold])
	})
	out := Logs{p, make([]float64, len(p.targets))}
	for i, w := range why {
		if w != "" {
			return out, fmt.Errorf("%s: %s", trials[i/folds].kind.Name, w)
		}
	}
	for i, t := range p.targets {
		out.logs[i] = logMix(logsAt(trials, i), weights[t.span])
	}
	return out, ctx.Err()
}

// Mean returns the mean log density of a target over groups, and its standard error.
func (l Logs) Mean() (mean, se float64) { return l.split.mean(l.logs) }

// Above returns by how much l is above others about the same points, and the standard error of this difference over
// groups.
func (l Logs) Above(other Logs) (by, se float64) {
	differences := make([]float64, len(l.logs))
	for i, v := range other.logs {
		differences[i] = l.logs[i] - v
	}
	return l.split.mean(differences)
}
