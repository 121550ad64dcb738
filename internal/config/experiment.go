// Package config turns a YAML file, flags and environment into one typed, checked Experiment.
package config

// Experiment is everything that defines a run: the benchmark, the model, its training and its evaluation.
// Once it comes out of Load every field that the benchmark and the model use is set (no zero stands for a default), and
// those that they do not use are zero or nil.
type Experiment struct {
	Benchmark string `yaml:"benchmark" mapstructure:"benchmark"`
	Model     Model  `yaml:"model" mapstructure:"model"`
	Data      Data   `yaml:"data" mapstructure:"data"`
	Train     Train  `yaml:"train" mapstructure:"train"`
	Eval      Eval   `yaml:"eval" mapstructure:"eval"`
}

// Model is the architecture: hidden widths of each MLP, in the paper's notation [in]×[hidden…]×[out].
type Model struct {
	Name           string `yaml:"name" mapstructure:"name"` // cnp cqnp acqnp
	Representation int    `yaml:"representation" mapstructure:"representation"`
	Encoder        []int  `yaml:"encoder,flow" mapstructure:"encoder"`
	Adaptor        []int  `yaml:"adaptor,flow,omitempty" mapstructure:"adaptor"` // acqnp alone
	Decoder        []int  `yaml:"decoder,flow" mapstructure:"decoder"`
}

// Data is what the benchmark's source needs. Keys that a benchmark does not use are refused in its config.
type Data struct {
	Seed uint64 `yaml:"seed" mapstructure:"seed"` // fixes splits and partitions; train.seed and eval.seed never do

	// Synthetic processes.
	Points     []int     `yaml:"points,flow,omitempty" mapstructure:"points"`        // training N ~ U{lo..hi}, both included
	MinContext int       `yaml:"min_context,omitempty" mapstructure:"min_context"`   // N_c ~ U{min_context..N-min_targets}
	MinTargets int       `yaml:"min_targets,omitempty" mapstructure:"min_targets"`   //
	Interval   []float64 `yaml:"interval,flow,omitempty" mapstructure:"interval"`    // s ~ U[lo, hi)
	Harmonics  []int     `yaml:"harmonics,flow,omitempty" mapstructure:"harmonics"`  // sawtooth: K ~ U{lo..hi}
	ZeroMean   *bool     `yaml:"zero_mean,omitempty" mapstructure:"zero_mean"`       // sawtooth: without the α/2
	Length     float64   `yaml:"length_scale,omitempty" mapstructure:"length_scale"` // rbf, matern52: ℓ
	Amplitude  float64   `yaml:"amplitude,omitempty" mapstructure:"amplitude"`       // rbf, matern52: σ
	Noise      float64   `yaml:"noise,omitempty" mapstructure:"noise"`               // rbf, matern52: δ, a standard deviation

	// Speed-flow.
	Files         []string  `yaml:"files,flow,omitempty" mapstructure:"files"`              // [lane2.csv, lane3.csv] or [hdrcde.rda]; below <data-dir>/speed-flow
	TrainFraction float64   `yaml:"train_fraction,omitempty" mapstructure:"train_fraction"` // 0.75 of each lane
	Context       []int     `yaml:"context,flow,omitempty" mapstructure:"context"`          // N_c ~ U{lo..hi} in training
	Partitions    int       `yaml:"partitions,omitempty" mapstructure:"partitions"`         // how many fixed partitions training cycles through
	FlowRange     []float64 `yaml:"flow_range,flow,omitempty" mapstructure:"flow_range"`    // flow is scaled into this: [0, 1], or the authors' [-1, 1]
}

// Train is the optimiser and the loop.
type Train struct {
	Steps           int     `yaml:"steps" mapstructure:"steps"`
	BatchSize       int     `yaml:"batch_size" mapstructure:"batch_size"`
	NumTau          int     `yaml:"num_tau,omitempty" mapstructure:"num_tau"` // quantile models alone
	LearningRate    float64 `yaml:"learning_rate" mapstructure:"learning_rate"`
	WeightDecay     float64 `yaml:"weight_decay" mapstructure:"weight_decay"`
	Schedule        string  `yaml:"schedule" mapstructure:"schedule"` // constant or cosine
	Seed            uint64  `yaml:"seed" mapstructure:"seed"`
	LogEvery        int     `yaml:"log_every" mapstructure:"log_every"`
	CheckpointEvery int     `yaml:"checkpoint_every" mapstructure:"checkpoint_every"`
	KeepCheckpoints int     `yaml:"keep_checkpoints" mapstructure:"keep_checkpoints"`
}

// Eval is the evaluation protocol.
type Eval struct {
	NumTau     int    `yaml:"num_tau,omitempty" mapstructure:"num_tau"`
	Batches    int    `yaml:"batches" mapstructure:"batches"`
	BatchSize  int    `yaml:"batch_size" mapstructure:"batch_size"`
	NumPoints  int    `yaml:"num_points,omitempty" mapstructure:"num_points"`   // synthetic
	MaxContext int    `yaml:"max_context,omitempty" mapstructure:"max_context"` // synthetic: N_c ~ U{min_context..max_context}
	Seed       uint64 `yaml:"seed" mapstructure:"seed"`
}
