package train

import (
	"errors"
	"time"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/files/tfevents"
	"github.com/acqnp/acqnp/internal/run"
)

// Options say what to train and where.
type Options struct {
	Experiment config.Experiment // resolved and checked
	Dir        string            // the run directory
	DataDir    string            // the directory of data files
	Device     device.Device     // nil: the CPU with all its cores
	Resume     bool              // continue the run in Dir, or start one if there is none
	Overwrite  bool              // remove the run in Dir first
	Source     *datasets.Source  // of the experiment; nil opens it
	Start      run.Start         // the file of weights to start from; none for weights drawn from the seed
	Version    string            // of the program, for the checkpoints
	WarmUp     time.Duration     // of Bench

	// Until is the step after which Run stops, as if it were interrupted there but without an error;
	// 0 for none. Schedules go by all steps, so a resumed run has the same bits as one in one piece.
	Until int

	Events *tfevents.Log // gets what metrics.jsonl gets; nil for none. The caller closes it

	OnStart func(Start)       // called before the first step, if there is one to make; may be nil
	OnStep  func(Update)      // called after every step; may be nil
	Warn    func(line string) // called when a resume skips a file or uses other kernels; may be nil
}

// Start describes a run before its first step.
type Start struct {
	Step, Steps int    // steps done and in all, over all resumes
	Parameters  int    // of the model
	Replanned   string // says what the learning rate does if the number of steps in all has changed; "" if not
}

// Update is the state after a step.
type Update struct {
	Step, Steps   int            // steps done and in all, over all resumes
	Loss          func() float64 // of the step's batch; the call waits for a device that works ahead
	LearningRate  float64
	RowsPerSecond float64       // since this process began; for rows, see Timing
	Elapsed       time.Duration // training time over all resumes
	Left          time.Duration // estimated, to the last step
}

// Result is the outcome of Run.
type Result struct {
	Checkpoint string        // path of the last checkpoint
	Step       int           // steps done, over all resumes
	Resumed    int           // the step that this run started from; 0 for a fresh one
	Finished   bool          // the run in Dir was complete already
	Loss       float64       // of the last step; NaN if Run made none
	Elapsed    time.Duration // training time over all resumes
	Ended      string        // run.EndedBySteps, run.EndedByPatience or EndedByUntil; "" if the context ended
	Best       *Best         // nil before the first validation
	Start      run.Start     // what the weights began with, also of a resumed run
}

// EndedByUntil is Result.Ended of a run that stopped at Options.Until. The log does not record it.
const EndedByUntil = "until"

// Best describes the weights with the best validation.
type Best struct {
	Checkpoint string  `json:"checkpoint"` // the path
	Step       int     `json:"step"`
	ValidLL    float64 `json:"valid_ll"` // the mean log-likelihood of the validation's targets
}

// ErrInterrupted is Run's error if the context ended. Run then wrote a checkpoint of the last step.
var ErrInterrupted = errors.New("interrupted: a checkpoint was written, --resume continues")
