// Package config turns a YAML file, flags and environment into one typed, checked Experiment.
package config

// Experiment is everything that defines a run: the benchmark, the model, its training and its evaluation.
// Once it comes out of Load every field that the benchmark and the model use is set, and those that they do not use are
// zero or nil. Where a zero or nil has a meaning of its own in a field that is used, the field says so.
type Experiment struct {
	Benchmark string `yaml:"benchmark" mapstructure:"benchmark"`
	Model     Model  `yaml:"model" mapstructure:"model"`
	Data      Data   `yaml:"data" mapstructure:"data"`
	Train     Train  `yaml:"train" mapstructure:"train"`
	Eval      Eval   `yaml:"eval" mapstructure:"eval"`
}

// Model is the architecture: hidden widths of each MLP, in the paper's notation [in]×[hidden…]×[out]. BNP is given in
// the terms of its authors instead: numbers of linear layers.
type Model struct {
	Name string `yaml:"name" mapstructure:"name"` // cnp canp bnp cqnp acqnp

	// All but bnp.
	Representation int   `yaml:"representation,omitempty" mapstructure:"representation"`
	Encoder        []int `yaml:"encoder,flow,omitempty" mapstructure:"encoder"`
	Adaptor        []int `yaml:"adaptor,flow,omitempty" mapstructure:"adaptor"` // acqnp alone
	Decoder        []int `yaml:"decoder,flow,omitempty" mapstructure:"decoder"`

	// canp: keys and queries are MLPs of x, [dx]×[hidden…]×[representation].
	KeyEncoder   []int `yaml:"key_encoder,flow,omitempty" mapstructure:"key_encoder"`
	QueryEncoder []int `yaml:"query_encoder,flow,omitempty" mapstructure:"query_encoder"`
	Heads        int   `yaml:"heads,omitempty" mapstructure:"heads"` // a divisor of representation

	// bnp: d_h, l_pre, l_post, l_dec and the number of bootstraps k.
	Width           int `yaml:"width,omitempty" mapstructure:"width"`
	PreDepth        int `yaml:"pre_depth,omitempty" mapstructure:"pre_depth"`
	PostDepth       int `yaml:"post_depth,omitempty" mapstructure:"post_depth"`
	DecoderDepth    int `yaml:"decoder_depth,omitempty" mapstructure:"decoder_depth"`
	TrainBootstraps int `yaml:"train_bootstraps,omitempty" mapstructure:"train_bootstraps"`
	EvalBootstraps  int `yaml:"eval_bootstraps,omitempty" mapstructure:"eval_bootstraps"`
}

// Data is what the benchmark's source needs. Keys that a benchmark does not use are refused in its config.
type Data struct {
	Seed uint64 `yaml:"seed" mapstructure:"seed"` // fixes splits and partitions; train.seed and eval.seed never do

	// Synthetic processes. Points is csv's too, MinContext the images'.
	Points     []int     `yaml:"points,flow,omitempty" mapstructure:"points"`        // training N ~ U{lo..hi}, both included; csv: nil is all of a function's points, up to MaxCSVPoints
	MinContext int       `yaml:"min_context,omitempty" mapstructure:"min_context"`   // N_c ~ U{min_context..N-min_targets}; images: U{min_context..HW/2-1}
	MinTargets int       `yaml:"min_targets,omitempty" mapstructure:"min_targets"`   //
	Interval   []float64 `yaml:"interval,flow,omitempty" mapstructure:"interval"`    // s ~ U[lo, hi)
	Harmonics  []int     `yaml:"harmonics,flow,omitempty" mapstructure:"harmonics"`  // sawtooth: K ~ U{lo..hi}
	ZeroMean   *bool     `yaml:"zero_mean,omitempty" mapstructure:"zero_mean"`       // sawtooth: without the α/2
	Length     float64   `yaml:"length_scale,omitempty" mapstructure:"length_scale"` // rbf, matern52: ℓ
	Amplitude  float64   `yaml:"amplitude,omitempty" mapstructure:"amplitude"`       // rbf, matern52: σ
	Noise      float64   `yaml:"noise,omitempty" mapstructure:"noise"`               // rbf, matern52: δ, a standard deviation

	// Speed-flow. Files is the images' too, TrainFraction freyface's and csv's, Context csv's.
	Files         []string  `yaml:"files,flow,omitempty" mapstructure:"files"`              // names below <data-dir>/<benchmark>, see imageFiles; speed-flow [lane2.csv, lane3.csv] or [hdrcde.rda]
	TrainFraction float64   `yaml:"train_fraction,omitempty" mapstructure:"train_fraction"` // 0.75 of each lane; of the frames; of the functions or of each one's points
	Context       []int     `yaml:"context,flow,omitempty" mapstructure:"context"`          // N_c ~ U{lo..hi} in training; csv: nil is 3..N-3 of the smallest function
	Partitions    int       `yaml:"partitions,omitempty" mapstructure:"partitions"`         // how many fixed partitions training cycles through
	FlowRange     []float64 `yaml:"flow_range,flow,omitempty" mapstructure:"flow_range"`    // flow is scaled into this: [0, 1], or the authors' [-1, 1]

	// Images.
	TrainLimit int    `yaml:"train_limit,omitempty" mapstructure:"train_limit"` // only the first so many images of the training split; 0: all
	TestLimit  int    `yaml:"test_limit,omitempty" mapstructure:"test_limit"`   // and of the test split
	Resize     int    `yaml:"resize,omitempty" mapstructure:"resize"`           // omniglot: height and width after resizing
	Filter     string `yaml:"filter,omitempty" mapstructure:"filter"`           // omniglot: bilinear, bicubic or box, the filter widened where the image shrinks
	TestCopies int    `yaml:"test_copies,omitempty" mapstructure:"test_copies"` // freyface: each test image so often, with a context of its own each time

	// csv.
	File     string   `yaml:"file,omitempty" mapstructure:"file"`         // a CSV file or a directory of them; from the working directory, else from <data-dir>/csv
	Function string   `yaml:"function,omitempty" mapstructure:"function"` // the column that names the function of a row; "": each file is one function
	XColumns []string `yaml:"x,flow,omitempty" mapstructure:"x"`
	YColumns []string `yaml:"y,flow,omitempty" mapstructure:"y"`
	SplitBy  string   `yaml:"split,omitempty" mapstructure:"split"` // what train_fraction divides: function (whole functions) or point (the points of each)
	Scale    string   `yaml:"scale,omitempty" mapstructure:"scale"` // standard (mean 0, deviation 1), range ([0, 1]) or none, learned on the training part
}

// Train is the optimiser and the loop. Exactly one of Steps and Epochs is set; Epochs is the images' alone.
type Train struct {
	Steps           int     `yaml:"steps,omitempty" mapstructure:"steps"`
	Epochs          int     `yaml:"epochs,omitempty" mapstructure:"epochs"` // of the training split; the last, smaller batch of each is kept
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
	Batches    int    `yaml:"batches" mapstructure:"batches"` // images and csv: at most so many; 0, theirs alone: all of the test split
	BatchSize  int    `yaml:"batch_size" mapstructure:"batch_size"`
	NumPoints  int    `yaml:"num_points,omitempty" mapstructure:"num_points"`   // synthetic
	MaxContext int    `yaml:"max_context,omitempty" mapstructure:"max_context"` // synthetic: N_c ~ U{min_context..max_context}
	Seed       uint64 `yaml:"seed" mapstructure:"seed"`
}
