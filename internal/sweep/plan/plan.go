// Package plan reads plans of runs: which configurations are trained, with which seeds and settings.
//
//	configs: [configs/lissajous/*.yaml, configs/rbf/acqnp.yaml]
//	seeds: 0..5
//	set: {train.steps: 20000}                                  # of every run
//	grid: {train.learning_rate: [1e-3, 5e-4]}                  # every combination of the lists
//	grid: {train.learning_rate: {from: 1e-4, to: 1e-2, log: true}}   # or ranges, of which
//	samples: 20                                                # candidates are drawn
//	halving: {first: 500, factor: 3}                           # stop the worse candidates early
//	evaluate: true                                             # each run ends with acqnp eval
//	runs: sweeps/paper                                         # where the run directories are
//
// A plan is checked as a whole when it is loaded, each run's configuration too.
package plan

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/run"
)

// A Plan is a checked list of runs.
type Plan struct {
	File     string // where it was read
	Dir      string // below which the run directories are
	Runs     []Run  // by their indices
	Evaluate bool   // whether each run ends with an evaluation
	Halving  *Halving
}

// A Run is a run of a plan. The indices count configurations slowest and seeds fastest.
type Run struct {
	Index      int
	Config     string   // the configuration file
	Set        []string // KEY=VALUE, for train --set
	Seed       uint64
	Dir        string // <runs>/<Group>[/<Candidate>]/seed-<Seed>
	Group      string // of the runs of one configuration: lissajous/acqnp
	Candidate  string // the settings of the grid: learning_rate=0.001; "" without a grid
	Experiment config.Experiment
}

// MaxRuns is the largest number of runs of a plan.
const MaxRuns = 100_000

// Load reads and checks the plan in a file. env returns the environment, as in config.Overrides. An
// error is an *invalid.Input that names the plan's line and key, or those of a configuration.
func Load(file string, env func() []string) (*Plan, error) {
	f, err := read(file)
	if err != nil {
		return nil, err
	}
	return f.expand(env)
}

// expand makes the runs of a plan.
func (f *planFile) expand(env func() []string) (*Plan, error) {
	if n := len(f.configs) * len(f.candidates) * len(f.seeds); n > MaxRuns {
		return nil, &invalid.Input{File: f.name, Found: fmt.Sprintf("%d runs", n), Expected: fmt.Sprintf("at most %d", MaxRuns)}
	}
	p := &Plan{File: f.name, Dir: f.runs, Evaluate: f.evaluate, Halving: f.halving}
	for _, file := range f.configs {
		content, err := config.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, candidate := range f.candidates {
			if err := f.addSeeds(p, file, content, candidate, env); err != nil {
				return nil, err
			}
		}
	}
	if err := f.checkHalving(p); err != nil {
		return nil, err
	}
	return p, f.checkDirs(p)
}

// addSeeds adds the runs of a configuration with the settings of a candidate.
func (f *planFile) addSeeds(p *Plan, file string, content []byte, candidate candidate, env func() []string) error {
	over := config.Overrides{Env: env}
	var set []string
	for _, s := range slices.Concat(f.set, candidate.settings) {
		text, err := s.text()
		if err != nil {
			return err
		}
		set = append(set, text)
		over.Lines = append(over.Lines, config.Line{File: f.name, Key: s.key, Value: s.value})
	}
	e, err := config.Parse(file, content, over)
	if err != nil {
		return err
	}
	// DefaultDir returns runs/<group>/seed-<seed>.
	group, err := filepath.Rel("runs", filepath.Dir(run.DefaultDir(file, e)))
	if err != nil {
		return err
	}
	for _, seed := range f.seeds {
		e.Train.Seed = seed
		p.Runs = append(p.Runs, Run{
			Index: len(p.Runs), Config: file, Set: set, Seed: seed, Group: filepath.ToSlash(group), Candidate: candidate.name, Experiment: e,
			Dir: filepath.Join(f.runs, group, candidate.name, "seed-"+strconv.FormatUint(seed, 10)),
		})
	}
	return nil
}

// checkDirs returns an *invalid.Input if two runs have the same directory.
func (f *planFile) checkDirs(p *Plan) error {
	first := make(map[string]int, len(p.Runs))
	for i, r := range p.Runs {
		j, twice := first[r.Dir]
		if !twice {
			first[r.Dir] = i
			continue
		}
		other := p.Runs[j]
		return &invalid.Input{File: f.name, Line: f.lineOf(r.Config), Key: "configs",
			Found:    fmt.Sprintf("%s for %s and for %s", r.Dir, other.Config, strings.TrimSpace(r.Config+" "+r.Candidate)),
			Expected: "a directory for each run: give one of the files another name"}
	}
	return nil
}
