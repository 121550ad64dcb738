package draft

import (
	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/train"
)

// result returns the configuration of the best candidate. If the data are few and the trials found how
// many steps to take, all data train, except those that calibrate. Otherwise a part of the data is for
// validation, and patience ends the training.
func (s *search) result(best candidate) (Result, error) {
	e, err := s.experiment(best)
	if err != nil {
		return Result{}, err
	}
	r := Result{Trials: s.outcomes, Chosen: best.title(), Ends: EndsByPatience}
	e.Data.ValidFraction, e.Train.ValidateEvery = s.validFraction(), 1
	if i, tried := s.known[best.key()]; tried && s.folds() > 1 && s.settled(s.outcomes[i]) {
		r.Ends = EndsBySteps
		// As the trials did: at a constant rate, with an average of the weights.
		e.Train.Steps, e.Train.Schedule, e.Train.EMA, e.Train.ValidateEvery = s.outcomes[i].Step, config.Constant, averaged, 0
		if e.Train.EnsembleSize, err = s.members(e); err != nil {
			return Result{}, err
		}
	} else if err := s.endByPatience(&e); err != nil {
		return Result{}, err
	}
	e.Train.CheckpointEvery = max(1000, e.Train.Steps/5)
	if _, err := datasets.Open(e, s.o.DataDir); err != nil {
		return Result{}, err
	}
	r.Experiment = e
	return r, nil
}

// endByPatience sets the validation, the patience and the largest number of steps.
func (s *search) endByPatience(e *config.Experiment) error {
	b, err := s.budget(*e)
	if err != nil {
		return err
	}
	e.Train.Steps, e.Train.ValidateEvery, e.Train.Patience = b.longest(), b.validateEvery(), patience
	return nil
}

// budget counts the operations of a configuration's training.
func (s *search) budget(e config.Experiment) (budget, error) {
	source, err := datasets.Open(e, s.o.DataDir)
	if err != nil {
		return budget{}, err
	}
	return budgetOf(train.Options{Experiment: e, Source: source})
}

// averaged is train.ema of a training on all data, as in the trials.
const averaged = 100

// mostMembers is the largest number of networks of an ensemble. Five gained up to a tenth of a nat where
// trainings differ much, which is about four fifths of the gain of many. An ensemble is never worse than
// the mean of its networks.
const mostMembers = 5

// members returns the number of networks of a configuration: as many as can be trained in the time of the
// longest training. It returns 0 for one network.
func (s *search) members(e config.Experiment) (int, error) {
	b, err := s.budget(e)
	if err != nil {
		return 0, err
	}
	n := min(b.longest()/e.Train.Steps, mostMembers)
	if n < 2 {
		return 0, nil
	}
	return n, nil
}

// Command returns the command that trains the configuration in a file.
func Command(file string) string {
	return "acqnp train --config " + invalid.ShellWord(file)
}
