package plan

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/acqnp/acqnp/internal/config/yamlnode"
	"github.com/acqnp/acqnp/internal/invalid"
)

// Halving says at which steps the candidates of a configuration are compared, and how many go on.
// The algorithm is in package sweep.
type Halving struct {
	First  int // the step of the first comparison
	Factor int // one of Factor candidates goes on
	line   int // in the plan
}

// ByValidLL is what halving compares candidates by: the best valid_ll of each run so far.
const ByValidLL = "valid_ll"

// Rungs returns the steps at which candidates are compared, ascending: First, First·Factor, … below
// the number of training steps.
func (h Halving) Rungs(steps int) (all []int) {
	for step := h.First; step < steps; step *= h.Factor {
		all = append(all, step)
		if step > steps/h.Factor {
			break // the product may overflow
		}
	}
	return all
}

// CheckArray returns an *invalid.Input if the runs of a plan wait for each other. Such runs cannot be
// elements of a job array.
func (p *Plan) CheckArray() error {
	if p.Halving == nil {
		return nil
	}
	return &invalid.Input{File: p.File, Line: p.Halving.line, Key: "halving", Found: "halving, under which runs wait for each other, in a job array",
		Expected: "acqnp sweep run " + p.File + " in one job, or a plan without halving"}
}

const halvingExpected = "{first: STEPS, factor: 3}"

// readHalving reads a mapping of first and factor, of which only first must be there.
func (f *planFile) readHalving(n *yaml.Node) error {
	entries, err := f.mapping("halving", n)
	if err != nil {
		return err
	}
	h := &Halving{Factor: 3, line: n.Line}
	for _, s := range entries {
		key, value := "halving."+s.key.Value, yamlnode.Resolve(s.value)
		switch s.key.Value {
		case "first":
			err = f.whole(key, value, 1, &h.First)
		case "factor":
			err = f.whole(key, value, 2, &h.Factor)
		default:
			err = f.refuse(s.key, "halving."+yamlnode.Shorten(s.key.Value), "an unknown key", "first or factor")
		}
		if err != nil {
			return err
		}
	}
	if h.First == 0 {
		return f.refuse(n, "halving.first", "nothing", "the step of the first comparison, as in "+halvingExpected)
	}
	f.halving = h
	return nil
}

// whole reads a whole number of at least low.
func (f *planFile) whole(key string, n *yaml.Node, low int, to *int) error {
	const high = 1_000_000_000
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" || n.Decode(to) != nil || *to < low || *to > high {
		return f.refuse(n, key, yamlnode.Describe(n), fmt.Sprintf("a whole number from %d to %d", low, high))
	}
	return nil
}

// checkHalving checks that the candidates of each configuration can be compared at each rung.
func (f *planFile) checkHalving(p *Plan) error {
	if f.halving == nil {
		return nil
	}
	refuse := func(found, expected string) error {
		return &invalid.Input{File: f.name, Line: f.halving.line, Key: "halving", Found: found, Expected: expected}
	}
	if len(f.candidates) < 2 {
		return refuse("a plan with one candidate", "a grid of two or more")
	}
	steps := map[string]int{}
	for _, r := range p.Runs {
		t, name := r.Experiment.Train, strings.TrimSpace(r.Config+" "+r.Candidate)
		if first, ok := steps[r.Config]; ok && first != t.Steps {
			return refuse(fmt.Sprintf("candidates of %d and of %d steps (%s)", first, t.Steps, name), "candidates of the same train.steps")
		}
		steps[r.Config] = t.Steps
		if t.ValidateEvery == 0 {
			return refuse(name+" without validation", "train.validate_every in the configurations or in set")
		}
		if f.halving.First >= t.Steps {
			return refuse(fmt.Sprintf("first: %d", f.halving.First), fmt.Sprintf("a step before the last, which is %d (%s)", t.Steps, name))
		}
		odd := func(rung int) bool { return rung%t.ValidateEvery != 0 }
		rungs := f.halving.Rungs(t.Steps)
		if i := slices.IndexFunc(rungs, odd); i >= 0 {
			return refuse(fmt.Sprintf("a comparison at step %d, which has no validation", rungs[i]),
				fmt.Sprintf("first: a multiple of train.validate_every, which is %d (%s)", t.ValidateEvery, name))
		}
	}
	return nil
}
