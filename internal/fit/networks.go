package fit

import (
	"context"
	"errors"
	"sync"

	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/fit/network"
	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/train"
)

// withNetwork returns the kinds and a network on what the Gaussian process leaves.
func withNetwork(kinds []stack.Kind) []stack.Kind {
	for i, k := range kinds {
		if k.Name == stack.GaussianProcess {
			kinds[i].Fit = once(k.Fit)
			return append(kinds, stack.Kind{Name: network.Name, Read: network.Read, After: k.Name, Ensemble: true, Fit: onBase(kinds[i].Fit), Most: k.Most, PerRow: 10e-3})
		}
	}
	return kinds
}

type fitter = func(context.Context, stack.Training) (simple.Model, error)

// once returns a fitter that fits a model once for each training, however often it is asked for.
func once(fit fitter) fitter {
	type key struct {
		fold      int
		log, logX bool
	}
	type result struct {
		sync.Once
		model simple.Model
		err   error
	}
	var m sync.Mutex
	results := map[key]*result{}
	return func(ctx context.Context, t stack.Training) (simple.Model, error) {
		m.Lock()
		r := results[key{t.Fold, t.Log, t.LogX}]
		if r == nil {
			r = new(result)
			results[key{t.Fold, t.Log, t.LogX}] = r
		}
		m.Unlock()
		r.Do(func() { r.model, r.err = fit(ctx, t) })
		return r.model, r.err
	}
}

var errFew = errors.New("too few points for a network")

// onBase returns a fitter of networks. fit fits their bases.
func onBase(fit fitter) fitter {
	return func(ctx context.Context, t stack.Training) (simple.Model, error) {
		base, err := fit(ctx, t)
		if err != nil {
			return nil, err
		}
		m := network.New(base, t.Groups)
		e, err := network.Experiment()
		if err != nil {
			return nil, err
		}
		tasks := network.NewTasks(m, t.Groups, t.Seed)
		if !tasks.Enough() {
			return nil, errFew
		}
		e.Train.Seed = t.Seed
		trial, err := train.Try(ctx, train.Options{Experiment: e, Source: tasks, Device: device.CPU(1)})
		m.Params = trial.Params
		return m, err
	}
}
