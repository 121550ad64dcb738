package predict

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/invalid"
)

// A Source makes evaluation batches. A datasets.Source is one, and so is a datasets.Tasks.
type Source interface {
	Dims() (dx, dy int)
	EvalSize() datasets.Size
	EvalBatches() int
	Eval(i int, dst *datasets.Batch) error
}

// OpenSource returns the evaluation batches of an experiment, or those of a tasks file unless tasks
// is "". It returns an *invalid.Input if the file's dimensions are not those of the experiment's
// data, or if the experiment's model reads groups, which no tasks file has.
func OpenSource(e config.Experiment, dataDir, tasks string) (Source, error) {
	own, err := datasets.Open(e, dataDir)
	if tasks == "" {
		return own, err
	}
	if e.Model.Aggregation == config.Groups {
		return nil, &invalid.Input{File: "--tasks", Found: tasks, Expected: "no tasks file: it does not say which rows are of one group"}
	}
	opened, openErr := datasets.OpenTasks(tasks)
	if openErr != nil || err != nil { // a tasks file needs no data of the benchmark
		return opened, openErr
	}
	dx, dy := opened.Dims()
	if x, y := own.Dims(); dx != x || dy != y {
		opened.Close()
		return nil, &invalid.Input{File: tasks, Found: fmt.Sprintf("x of %d and y of %d dimensions", dx, dy),
			Expected: fmt.Sprintf("%d and %d, as %s has", x, y, e.Benchmark)}
	}
	return opened, nil
}
