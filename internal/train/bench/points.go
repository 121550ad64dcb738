package bench

import (
	"fmt"
	"strconv"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/invalid"
)

// The bounds of Experiment's points.
const (
	LeastPoints = 4 // three points of context and a target
	MostPoints  = config.MaxPoints
)

// Experiment reads a configuration. Unless points is 0, every group of a training batch then has
// that many points, max(3, points/2) of them context; only benchmarks of curves can have that, others
// are an *invalid.Input. Experiment reads the file once, as a pipe has no second time.
func Experiment(file string, over config.Overrides, points int) (config.Experiment, error) {
	content, err := config.ReadFile(file)
	if err != nil {
		return config.Experiment{}, err
	}
	e, err := config.Parse(file, content, over)
	if err != nil || points == 0 {
		return e, err
	}
	flags, err := fixPoints(e, points)
	if err != nil {
		return e, err
	}
	over.Flags = append(over.Flags, flags...)
	return config.Parse(file, content, over)
}

// fixPoints returns the keys that give every group of a training batch n points, max(3, n/2) of
// them context. It returns an *invalid.Input if the benchmark is not one of curves.
func fixPoints(e config.Experiment, n int) ([]config.Flag, error) {
	context := max(3, n/2)
	flag := func(key string, value ...int) config.Flag {
		text := strconv.Itoa(value[0])
		if len(value) == 2 {
			text = fmt.Sprintf("[%d, %d]", value[0], value[1])
		}
		return config.Flag{Name: "--points", Key: key, Value: text}
	}
	if b, _ := catalogue.Find(e.Benchmark); b.Kind != catalogue.Synthetic {
		of := e.Benchmark
		if b.Kind == catalogue.CSV || b.Kind == catalogue.Tasks {
			of = "your own data"
		}
		return nil, &invalid.Input{File: "--points", Found: strconv.Itoa(n), Expected: "no --points: the groups of " + of + " have sizes of their own"}
	}
	// bench does not evaluate, but the checks of config compare these keys with those of the data.
	evalContext := max(e.Eval.MaxContext, context)
	return []config.Flag{
		flag("data.points", n, n), flag("data.min_context", context), flag("data.min_targets", n-context),
		flag("eval.max_context", evalContext), flag("eval.num_points", max(e.Eval.NumPoints, evalContext+1)),
	}, nil
}
