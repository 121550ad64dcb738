// Package config reads and checks the configuration of a run.
//
// A configuration is one YAML file, complete in itself, with the sections model, data, train and
// eval. Load merges it with --set, other flags and ACQNP_ environment variables, fills in the
// paper's values for the benchmark and the model, and returns an Experiment. Every value has passed
// all checks that need no data: its own rule (rules.go), the limits of memory and random streams
// (limits.go), what keys must hold together (relations.go), and whether the benchmark and the model
// use the key at all (schema.go). An error is an *invalid.Input with the file and line, the flag or
// the variable, and the key.
//
// A key is the dotted path of a value in the file, such as train.steps. Flags win over the
// environment, the environment over the file, and the file over the paper's values.
//
// No other package checks what a configuration says. Package datasets checks only what depends on
// the data, such as a context that is larger than a function in a file.
package config

import "cmp"

// Experiment is everything that defines a run: the benchmark, the model, its training and its
// evaluation. Load sets every field that the benchmark and the model use; all others are zero or
// nil. If zero or nil is a meaningful value of a field, the comment of the field says so.
type Experiment struct {
	Benchmark string `yaml:"benchmark" mapstructure:"benchmark"`
	Model     Model  `yaml:"model" mapstructure:"model"`
	Data      Data   `yaml:"data" mapstructure:"data"`
	Train     Train  `yaml:"train" mapstructure:"train"`
	Eval      Eval   `yaml:"eval" mapstructure:"eval"`
}

// The values of model.adaptor_form.
const (
	Plain    = "plain"    // the paper's: τ = sigmoid(ψ([r, x, u])); the decoder reads τ
	Residual = "residual" // ψ is added to the logit of CQNP's τ; the decoder reads τ and u
)

// The values of model.scale_form: the scale σ of a component at level τ. s = f + (1−f)·softplus(·) is
// the decoder's scale.
const (
	PaperScale   = "paper"   // σ = s
	NaturalScale = "natural" // σ = 4τ(1−τ)·s, so that the tails of no component are wider than 4s
)

// The values of model.head: what the decoder of a model without levels states of each channel of y.
const (
	GaussianHead = "gaussian"         // a Gaussian: the paper's
	MixtureHead  = "gaussian-mixture" // a mixture of model.parts Gaussians
)

// DefaultParts is the number of Gaussians of a MixtureHead without model.parts.
const DefaultParts = 20

// Heads returns the values of model.head, the default first.
func Heads() []string { return []string{GaussianHead, MixtureHead} }

// HeadName returns Head, or its default if it is not set.
func (m Model) HeadName() string { return cmp.Or(m.Head, GaussianHead) }

// The values of model.aggregation.
const (
	Mean        = "mean"        // one r for each function: the paper's
	Attention   = "attention"   // one r for each point: CANP's encoder
	Transformer = "transformer" // one r for each point
)

// The values of train.loss: the points whose mean log-likelihood is maximised.
const (
	AllPoints = "all"     // context and target points: the paper's
	Targets   = "targets" // target points alone
)

// The values of data.sizes: how functions of different sizes make batches.
const (
	AllSizes     = "all"      // a batch holds functions of similar sizes; a function may have any size
	SmallestSize = "smallest" // each batch takes as many points as the smallest function has: that of version 0.2
)

// The values of train.schedule, of the learning rate.
const (
	Constant = "constant"
	Cosine   = "cosine"  // falls to zero over all steps
	Plateau  = "plateau" // constant, then falls to zero over a tenth of the steps before, from the best weights
)

// PriorWeights is the value of train.weights for the weights that the program carries; see package
// prior.
const PriorWeights = "prior"

// The values of train.levels: how the N_τ levels of a point are drawn.
const (
	RandomLevels     = "random"     // independently: the paper's
	StratifiedLevels = "stratified" // one from each of N_τ equal parts of (0, 1)
)

// The values of data.missing: what is done with a row that has a missing cell.
const (
	Refuse = "error" // reading ends with an error that names the cell
	Drop   = "drop"  // the row is left out
)

// Model is the architecture. The lists are hidden widths of MLPs, in the paper's notation
// [in]×[hidden…]×[out]. BNP is described as its authors do it, by numbers of linear layers.
type Model struct {
	Name string `yaml:"name" mapstructure:"name"` // cnp canp bnp cqnp acqnp

	// All but bnp.
	Representation int   `yaml:"representation,omitempty" mapstructure:"representation"`
	Encoder        []int `yaml:"encoder,flow,omitempty" mapstructure:"encoder"`
	Adaptor        []int `yaml:"adaptor,flow,omitempty" mapstructure:"adaptor"` // only acqnp
	Decoder        []int `yaml:"decoder,flow,omitempty" mapstructure:"decoder"`

	// AdaptorForm is Plain or Residual. Only acqnp.
	AdaptorForm string `yaml:"adaptor_form,omitempty" mapstructure:"adaptor_form"`
	// Aggregation says how r is computed from the context: Mean, Attention or Transformer. Only
	// cnp, cqnp and acqnp.
	Aggregation string `yaml:"aggregation,omitempty" mapstructure:"aggregation"`

	// canp and aggregation attention: keys and queries are MLPs of x,
	// [dx]×[hidden…]×[representation].
	KeyEncoder   []int `yaml:"key_encoder,flow,omitempty" mapstructure:"key_encoder"`
	QueryEncoder []int `yaml:"query_encoder,flow,omitempty" mapstructure:"query_encoder"`
	// Heads is a divisor of representation. canp, aggregations attention and transformer.
	Heads int `yaml:"heads,omitempty" mapstructure:"heads"`

	// Aggregation transformer: the number of layers, and the hidden width of their feed-forward
	// networks.
	Layers      int `yaml:"layers,omitempty" mapstructure:"layers"`
	Feedforward int `yaml:"feedforward,omitempty" mapstructure:"feedforward"`

	// bnp: d_h, l_pre, l_post, l_dec and the number of bootstraps k.
	Width           int `yaml:"width,omitempty" mapstructure:"width"`
	PreDepth        int `yaml:"pre_depth,omitempty" mapstructure:"pre_depth"`
	PostDepth       int `yaml:"post_depth,omitempty" mapstructure:"post_depth"`
	DecoderDepth    int `yaml:"decoder_depth,omitempty" mapstructure:"decoder_depth"`
	TrainBootstraps int `yaml:"train_bootstraps,omitempty" mapstructure:"train_bootstraps"`
	EvalBootstraps  int `yaml:"eval_bootstraps,omitempty" mapstructure:"eval_bootstraps"`

	// Head is one of Heads; "" is GaussianHead. cnp.
	Head string `yaml:"head,omitempty" mapstructure:"head"`
	// Parts is the number of Gaussians of a MixtureHead; 0 means DefaultParts.
	Parts int `yaml:"parts,omitempty" mapstructure:"parts"`

	// SigmaFloor is the lower bound f of the likelihood's scale, σ = f + (1−f)·softplus(s).
	SigmaFloor float64 `yaml:"sigma_floor,omitempty" mapstructure:"sigma_floor"`

	// ScaleForm is PaperScale or NaturalScale. cqnp and acqnp.
	ScaleForm string `yaml:"scale_form,omitempty" mapstructure:"scale_form"`

	// TailDF is the number of degrees of freedom of Student's t, whose tails a predicted Gaussian
	// gets, as likelihood.StudentTails says; 0 keeps the Gaussian. The loss of training is the
	// Gaussian's. cnp and canp.
	TailDF float64 `yaml:"tail_df,omitempty" mapstructure:"tail_df"`

	// SigmaScale multiplies the network's σ in predictions; 0 means 1. A scale above 1 widens
	// predictions that are too sure. The training loss does not use it. cnp and canp.
	SigmaScale float64 `yaml:"sigma_scale,omitempty" mapstructure:"sigma_scale"`

	// PoolWeight is the weight, in predictions, of a simple model beside the network: the mixed model
	// of data.baseline, or the kernel density of PoolKernel. The training loss does not use it.
	// For one column of y.
	PoolWeight float64 `yaml:"pool_weight,omitempty" mapstructure:"pool_weight"`

	// PoolKernel is nil or the widths in x and in y, in the model's units, of a kernel density of the
	// context points; see package kde.
	PoolKernel []float64 `yaml:"pool_kernel,flow,omitempty" mapstructure:"pool_kernel"`
}

// Data holds what the source of the batches needs.
type Data struct {
	// Seed alone fixes splits and partitions; train.seed and eval.seed do not change them.
	Seed uint64 `yaml:"seed" mapstructure:"seed"`

	// Points are the bounds [lo, hi] of N in training: N ~ U{lo..hi}. For csv, nil takes all points
	// of the smallest function of a batch, at most MaxCSVPoints; see Sizes. Synthetic and csv.
	Points []int `yaml:"points,flow,omitempty" mapstructure:"points"`
	// MinContext is the least N_c: N_c ~ U{min_context..N−min_targets}, for images
	// U{min_context..HW/2−1}. It may be 0, but not for bnp. Synthetic and images.
	MinContext *int `yaml:"min_context,omitempty" mapstructure:"min_context"`

	// MinTargets is the least number of targets, N − N_c. Synthetic.
	MinTargets int `yaml:"min_targets,omitempty" mapstructure:"min_targets"`
	// Interval are the bounds of the parameter s of a point: s ~ U[lo, hi). Synthetic.
	Interval []float64 `yaml:"interval,flow,omitempty" mapstructure:"interval"`
	// Harmonics bound the number of harmonics of sawtooth: K ~ U{lo..hi}.
	Harmonics []int `yaml:"harmonics,flow,omitempty" mapstructure:"harmonics"`
	// ZeroMean leaves out the constant α/2 of sawtooth.
	ZeroMean *bool `yaml:"zero_mean,omitempty" mapstructure:"zero_mean"`
	// Length, Amplitude and Noise are ℓ, σ and the standard deviation δ of rbf and matern52.
	Length    float64 `yaml:"length_scale,omitempty" mapstructure:"length_scale"`
	Amplitude float64 `yaml:"amplitude,omitempty" mapstructure:"amplitude"`
	Noise     float64 `yaml:"noise,omitempty" mapstructure:"noise"`

	// Files are names below DATA-DIR/BENCHMARK. For images they replace the files of the catalogue,
	// in its order; for speed-flow they are [LANE2.csv, LANE3.csv] or [FILE.rda].
	Files []string `yaml:"files,flow,omitempty" mapstructure:"files"`
	// TrainFraction is the share used for training: of the points of each lane (speed-flow), of the
	// frames (freyface), or of the functions or the points of each (csv, see SplitBy). For csv it may
	// be 1: nothing is held out for the test, and the evaluation takes validation's part.
	TrainFraction float64 `yaml:"train_fraction,omitempty" mapstructure:"train_fraction"`
	// Context are the bounds [lo, hi] of N_c in training: N_c ~ U{lo..hi}. For csv, nil follows
	// from N, the number of points of a batch: up to N−1 and MaxCSVContext for AllSizes, 3..N−3 for
	// SmallestSize. Speed-flow and csv.
	Context []int `yaml:"context,flow,omitempty" mapstructure:"context"`

	// Partitions is the number of fixed partitions into context and targets that training repeats.
	// Speed-flow.
	Partitions int `yaml:"partitions,omitempty" mapstructure:"partitions"`
	// FlowRange is the range that flow is scaled to: [0, 1], or the authors' [−1, 1]. Speed-flow.
	FlowRange []float64 `yaml:"flow_range,flow,omitempty" mapstructure:"flow_range"`

	// TrainLimit and TestLimit keep the first images of the training and the test split; 0 keeps
	// all. Images.
	TrainLimit int `yaml:"train_limit,omitempty" mapstructure:"train_limit"`
	TestLimit  int `yaml:"test_limit,omitempty" mapstructure:"test_limit"`
	// Resize is the height and width of omniglot's images, in pixels.
	Resize int `yaml:"resize,omitempty" mapstructure:"resize"`
	// Filter is the filter that resizes omniglot's images: one of Filters.
	Filter string `yaml:"filter,omitempty" mapstructure:"filter"`
	// TestCopies is how many times evaluation takes each test image of freyface, each time with
	// another context.
	TestCopies int `yaml:"test_copies,omitempty" mapstructure:"test_copies"`

	// File is a CSV file or a folder of them, in the working directory or in DATA-DIR/csv. csv.
	File string `yaml:"file,omitempty" mapstructure:"file"`
	// Function is the column that names the function of a row; "" makes each file one function.
	// XColumns and YColumns are the columns of x and y. csv.
	Function string   `yaml:"function,omitempty" mapstructure:"function"`
	XColumns []string `yaml:"x,flow,omitempty" mapstructure:"x"`
	YColumns []string `yaml:"y,flow,omitempty" mapstructure:"y"`
	// SplitBy says what TrainFraction splits: "function" (whole functions) or "point" (the points
	// of each). csv.
	SplitBy string `yaml:"split,omitempty" mapstructure:"split"`
	// SplitColumn names a column with the values train, valid, test and calibration. It replaces
	// TrainFraction and Calibration; "" splits at random. csv.
	SplitColumn string `yaml:"split_column,omitempty" mapstructure:"split_column"`
	// ValidFraction is the share of the training functions, or of the training points of each, that
	// validation takes from training. It has no effect without validation, or if SplitColumn has
	// the value valid. csv.
	ValidFraction float64 `yaml:"valid_fraction,omitempty" mapstructure:"valid_fraction"`
	// Calibration is the number of functions, or of points if points are held out, that are for the
	// calibration of predictions alone. They do not depend on Seed. csv.
	Calibration int `yaml:"calibration,omitempty" mapstructure:"calibration"`
	// Sizes is AllSizes or SmallestSize. csv.
	Sizes string `yaml:"sizes,omitempty" mapstructure:"sizes"`
	// Scale is "standard" (mean 0, deviation 1), "range" ([0, 1]) or "none". It is learned from the
	// training part. csv.
	Scale string `yaml:"scale,omitempty" mapstructure:"scale"`
	// Categories are the columns of x that hold names. Each name of the training part becomes a
	// column of 0 and 1. csv.
	Categories []string `yaml:"categories,flow,omitempty" mapstructure:"categories"`
	// Log are the columns of x and y whose natural logarithm the model sees. Densities and
	// likelihoods in raw units include the Jacobian 1/y. A column of x may have zeros; then its
	// least positive number is added before the logarithm is taken. csv.
	Log []string `yaml:"log,flow,omitempty" mapstructure:"log"`
	// Baseline are the degrees [fixed, random] of the linear mixed model that y is standardised by;
	// see datasets.Scaling. nil takes y as it is. csv.
	Baseline []int `yaml:"baseline,flow,omitempty" mapstructure:"baseline"`
	// Missing is Refuse or Drop: what is done with a row that has a missing cell (empty, NA, NaN or
	// null) in a column of function, x or y. csv.
	Missing string `yaml:"missing,omitempty" mapstructure:"missing"`
}

// LeastContext returns MinContext, 0 if it is not set.
func (d Data) LeastContext() int {
	if d.MinContext == nil {
		return 0
	}
	return *d.MinContext
}

// Train holds the settings of the optimiser and the training loop. Exactly one of Steps and Epochs
// is set; only images have Epochs.
type Train struct {
	Steps int `yaml:"steps,omitempty" mapstructure:"steps"`
	// Epochs are passes over the training split. The last batch of each may be smaller.
	Epochs    int `yaml:"epochs,omitempty" mapstructure:"epochs"`
	BatchSize int `yaml:"batch_size" mapstructure:"batch_size"`
	// NumTau is N_τ, the number of quantile levels of a point; for quantile models.
	NumTau int `yaml:"num_tau,omitempty" mapstructure:"num_tau"`
	// Levels is RandomLevels or StratifiedLevels; for quantile models.
	Levels       string  `yaml:"levels,omitempty" mapstructure:"levels"`
	LearningRate float64 `yaml:"learning_rate" mapstructure:"learning_rate"` // of Adam
	WeightDecay  float64 `yaml:"weight_decay" mapstructure:"weight_decay"`   // the L2 regulariser λ
	Schedule     string  `yaml:"schedule" mapstructure:"schedule"`           // Constant, Cosine or Plateau
	Loss         string  `yaml:"loss" mapstructure:"loss"`                   // AllPoints or Targets
	Seed         uint64  `yaml:"seed" mapstructure:"seed"`
	// Weights is PriorWeights if training starts from the weights that the program carries, and "" if
	// it draws initial weights. csv.
	Weights string `yaml:"weights,omitempty" mapstructure:"weights"`
	// Members is the number of networks of an ensemble; 0 and 1 mean one network. csv.
	Members int `yaml:"members,omitempty" mapstructure:"members"`
	// Average is the approximate length, in steps, of the exponential average of the weights that
	// predictions use; 0 means the weights of the last step. A run with validation has no such key: it
	// always validates and keeps an average.
	Average         int `yaml:"average,omitempty" mapstructure:"average"`
	LogEvery        int `yaml:"log_every" mapstructure:"log_every"`               // steps
	CheckpointEvery int `yaml:"checkpoint_every" mapstructure:"checkpoint_every"` // steps
	KeepCheckpoints int `yaml:"keep_checkpoints" mapstructure:"keep_checkpoints"` // besides the newest

	// ValidateEvery is the number of steps between validations; 0 means none. Patience is how many
	// validations in a row may bring no better one before training ends; 0 means any number.
	// Synthetic and csv.
	ValidateEvery int `yaml:"validate_every,omitempty" mapstructure:"validate_every"`
	Patience      int `yaml:"patience,omitempty" mapstructure:"patience"`
}

// Eval holds the settings of the evaluation: its batches and, for quantile models, its levels.
type Eval struct {
	NumTau int `yaml:"num_tau,omitempty" mapstructure:"num_tau"` // N_τ; quantile models
	// Batches is the number of batches. For images and csv it is an upper bound, and 0 takes the
	// whole test split.
	Batches   int `yaml:"batches" mapstructure:"batches"`
	BatchSize int `yaml:"batch_size" mapstructure:"batch_size"`
	NumPoints int `yaml:"num_points,omitempty" mapstructure:"num_points"` // N; synthetic
	// MaxContext is the largest context of synthetic benchmarks: N_c ~ U{min_context..max_context}.
	MaxContext int    `yaml:"max_context,omitempty" mapstructure:"max_context"`
	Seed       uint64 `yaml:"seed" mapstructure:"seed"`
}
