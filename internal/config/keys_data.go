package config

import "fmt"

// The values of data.missing: what is done with a row that has a missing cell.
const (
	Refuse = "error"
	Drop   = "drop"
)

// Filters are the values of data.filter, the filter for resizing.
var Filters = []string{"bilinear", "bicubic", "box"}

// Data holds what the source of the batches needs; dataKeys say what the fields mean.
type Data struct {
	Seed          uint64    `yaml:"seed"`
	Points        []int     `yaml:"points,flow,omitempty"` // csv: nil takes all points of the smallest group of a batch, at most MaxCSVPoints
	MinContext    *int      `yaml:"min_context,omitempty"` // not nil where it is used
	MinTargets    int       `yaml:"min_targets,omitempty"`
	Interval      []float64 `yaml:"interval,flow,omitempty"`
	Harmonics     []int     `yaml:"harmonics,flow,omitempty"`
	ZeroMean      *bool     `yaml:"zero_mean,omitempty"`    // not nil where it is used
	Length        float64   `yaml:"length_scale,omitempty"` // ℓ
	Amplitude     float64   `yaml:"amplitude,omitempty"`    // σ
	Noise         float64   `yaml:"noise,omitempty"`        // δ
	Files         []string  `yaml:"files,flow,omitempty"`
	TrainFraction float64   `yaml:"train_fraction,omitempty"`
	Context       []int     `yaml:"context,flow,omitempty"` // csv: nil follows from N, the number of points of a batch
	Partitions    int       `yaml:"partitions,omitempty"`
	FlowRange     []float64 `yaml:"flow_range,flow,omitempty"`
	TrainLimit    int       `yaml:"train_limit,omitempty"`
	TestLimit     int       `yaml:"test_limit,omitempty"`
	Resize        int       `yaml:"resize,omitempty"`
	Filter        string    `yaml:"filter,omitempty"` // one of Filters
	TestCopies    int       `yaml:"test_copies,omitempty"`
	File          string    `yaml:"file,omitempty"`
	Group         string    `yaml:"group,omitempty"`
	XColumns      []string  `yaml:"x,flow,omitempty"`
	YColumns      []string  `yaml:"y,flow,omitempty"`
	SplitBy       string    `yaml:"split,omitempty"`        // "group" or "point"
	SplitColumn   string    `yaml:"split_column,omitempty"` // it replaces TrainFraction and Calibration
	ValidFraction float64   `yaml:"valid_fraction,omitempty"`
	Calibration   int       `yaml:"calibration,omitempty"`
	Scale         string    `yaml:"scale,omitempty"` // "standard", "range" or "none"
	Categories    []string  `yaml:"categories,flow,omitempty"`
	Log           []string  `yaml:"log,flow,omitempty"` // densities in raw units include the Jacobian 1/y
	Missing       string    `yaml:"missing,omitempty"`  // Refuse or Drop
	Tasks         string    `yaml:"tasks,omitempty"`
	EvalTasks     string    `yaml:"eval_tasks,omitempty"`
	Command       []string  `yaml:"command,flow,omitempty"`
}

// LeastContext returns MinContext, 0 if it is not set.
func (d Data) LeastContext() int {
	if d.MinContext == nil {
		return 0
	}
	return *d.MinContext
}

var dataKeys = []entry{{
	name: "data.seed", accepts: seed, preset: always(uint64(43)),
	help: "Fixes splits and partitions, which do not depend on train.seed and eval.seed.",
	note: "fixes the split",
}, {
	name: "data.points", kinds: kindsOf(synthetic, csv, tasks), accepts: wholeRange(1, MaxPoints),
	preset: always([]int{6, 100}).except(nil, csv).worded(fmt.Sprintf("all points of the smallest group of a batch, at most %d,", MaxCSVPoints)),
	help:   "Number N of points of a group in a training batch, N ~ U{LOW..HIGH}; of tasks, HIGH is the most.",
	note:   "training N ~ U{LOW..HIGH}, one draw per batch", example: "[31, 80]",
}, {
	name: "data.min_context", kinds: kindsOf(synthetic, images), accepts: whole(0, MaxPoints),
	preset: always(3),
	help:   "Least number N_c of context points: N_c ~ U{min_context..N−min_targets}, for images U{min_context..H·W/2−1}. At least 1 for bnp.",
	note:   "least N_c, one draw per batch",
}, {
	name: "data.min_targets", kinds: kindsOf(synthetic), accepts: whole(1, MaxPoints), preset: always(3),
	help: "Least number of targets, N − N_c, in training.",
	note: "least N − N_c",
}, {
	name: "data.interval", kinds: kindsOf(synthetic), accepts: realRange, preset: always([]float64{-2, 2}),
	help: "Bounds of the parameter s of a point: s ~ U[LOW, HIGH).",
	note: "s ~ U[LOW, HIGH)",
}, {
	name: "data.harmonics", kinds: bySettings, accepts: wholeRange(1, 10000),
	help: "Number K of harmonics of a group: K ~ U{LOW..HIGH}.",
	note: "K ~ U{LOW..HIGH}",
}, {
	name: "data.zero_mean", kinds: bySettings, accepts: rule{"true or false", func(any) bool { return true }},
	help: "Leaves out the constant α/2, so that groups have the mean 0.",
	note: "leaves out the offset α/2",
}, {
	name: "data.length_scale", kinds: bySettings, accepts: real(minReal, maxReal),
	help: "Length scale ℓ of the Gaussian process.",
	note: "ℓ of the kernel",
}, {
	name: "data.amplitude", kinds: bySettings, accepts: real(minReal, maxReal),
	help: "Amplitude σ of the Gaussian process.",
	note: "σ of the kernel",
}, {
	name: "data.noise", kinds: bySettings, accepts: real(minReal, maxReal),
	help: "Standard deviation δ of the noise of the Gaussian process.",
	note: "δ, a standard deviation",
}, {
	name: "data.files", kinds: kindsOf(speedFlow, images),
	accepts: rule{"a list of file names below the benchmark's folder in the data directory", localFiles},
	preset:  follow("", func(c choice) any { return c.benchmark.FileNames() }),
	help:    "Files below the benchmark's folder in the data directory: training and test images, or both lanes as [LANE2.csv, LANE3.csv] or [FILE.rda].",
	note:    "in the benchmark's folder of the data directory",
}, {
	name: "data.train_fraction", kinds: kindsOf(speedFlow, csv), preset: always(0.75),
	accepts: rule{"a number above 0 and below 1, or 1 for csv", func(v any) bool { return v.(float64) > 0 && v.(float64) <= 1 }},
	help:    "Share for training: of the points of each lane, of the frames, or of the groups or the points of each. 1: nothing is held out for the test.",
	note:    "the share for training; 1: nothing is held out for a test",
}, {
	name: "data.context", kinds: kindsOf(speedFlow, csv), accepts: wholeRange(0, maxContext),
	preset: always([]int{500, 985}).except(nil, csv).worded(fmt.Sprintf("at most N−1 and %d", MaxCSVContext)),
	help:   "Number N_c of context points in training: N_c ~ U{LOW..HIGH}. At least 1 for bnp.",
	note:   "training N_c ~ U{LOW..HIGH}", example: "[3, 30]",
}, {
	name: "data.partitions", kinds: kindsOf(speedFlow), accepts: whole(1, maxCount), preset: always(10000),
	help: "Number of fixed partitions into context and targets that training repeats.",
	note: "splits into context and targets, drawn once",
}, {
	name: "data.flow_range", kinds: kindsOf(speedFlow), accepts: realRange, preset: always([]float64{0, 1}),
	help: "Range that flow is scaled to; the authors' code has [-1, 1].",
	note: "flow is scaled to this range",
}, {
	name: "data.train_limit", kinds: kindsOf(images), accepts: whole(0, maxCount), preset: none("0"),
	help: "Takes only the first images of the training split; 0: all.",
	note: "only the first N images; 0: all",
}, {
	name: "data.test_limit", kinds: kindsOf(images), accepts: whole(0, maxCount), preset: none("0"),
	help: "Takes only the first images of the test split; 0: all.",
}, {
	name: "data.resize", kinds: bySettings, accepts: whole(4, 105),
	help: "Height and width that images are resized to, in pixels.",
	note: "height and width",
}, {
	name: "data.filter", kinds: bySettings, accepts: name(Filters),
	help: "Filter that resizes images.",
	note: "or bicubic or box",
}, {
	name: "data.test_copies", kinds: bySettings, accepts: whole(1, 1000),
	help: "How many times evaluation takes each test image, each time with another context.",
	note: "of each test image, each with its own context",
}, {
	name: "data.file", kinds: kindsOf(csv), preset: none("none, must be set"),
	accepts: rule{"the path of a CSV file or of a directory of them", func(v any) bool { return v != "" && clean(v.(string)) }},
	help:    "CSV file or another form of table (files.md), or directory of them with the same header, in the working directory or in csv below the data directory.",
	note:    "or a directory of files with the same header",
}, {
	name: "data.group", kinds: kindsOf(csv), preset: none("none"),
	accepts: rule{"the name of a column, or nothing if each file is one group", func(v any) bool { return clean(v.(string)) }},
	help:    "Column that names the group of a row; without it, each file is one group.",
	note:    "the column that names the group; \"\": each file is one",
}, {
	name: "data.x", kinds: kindsOf(csv), accepts: columns, preset: always([]string{"x"}),
	help: "Columns of x.",
	note: "columns, one or more",
}, {
	name: "data.y", kinds: kindsOf(csv), accepts: columns, preset: always([]string{"y"}),
	help: "Columns of y.",
	note: "columns, one or more",
}, {
	name: "data.split", kinds: kindsOf(csv), accepts: name([]string{"group", "point"}), preset: always("group"),
	help: "What is held out. group: whole groups; point: points of each group.",
	note: "what is held out: whole groups (group), or points of each (point)",
}, {
	name: "data.split_column", kinds: kindsOf(csv), preset: none("none"),
	accepts: rule{"the name of a column, or nothing", func(v any) bool { return clean(v.(string)) }},
	help:    "Column with the values train, valid, test and calibration; it replaces data.train_fraction and data.calibration.",
	note:    "instead: a column with the values train, valid, test", example: "part",
}, {
	name: "data.valid_fraction", kinds: kindsOf(csv), accepts: between0And1, preset: always(0.1),
	help: "Share of the training part, of groups or of the points of each, that is for validation. Used where train.validate_every is set.",
	note: "of the training part, where train.validate_every is set",
}, {
	name: "data.calibration", kinds: kindsOf(csv), accepts: whole(0, maxCount), preset: none("0"),
	help: "Number of groups, or of points if points are held out, for the calibration of predictions alone. They do not depend on data.seed.",
	note: "groups, or points, for score --calibrate alone",
}, {
	name: "data.scale", kinds: kindsOf(csv), accepts: name([]string{"standard", "range", "none"}), preset: always("standard"),
	help: "Scaling of x and y, learned from the training part. standard: mean 0 and deviation 1; range: [0, 1]; none. Predictions are in raw units.",
	note: "mean 0 and deviation 1 for the model; or range, none. Predictions are in your units",
}, {
	name: "data.categories", kinds: kindsOf(csv), accepts: someColumns, preset: none("none"),
	help: "Columns of x that hold names; each name of the training part becomes a column of 0 and 1.",
	note: "columns of x that hold names; one-hot", example: "[condition]",
}, {
	name: "data.log", kinds: kindsOf(csv), accepts: someColumns, preset: none("none"),
	help: "Columns of x and y whose natural logarithm the model sees; predictions are in raw units. If a column of x has zeros, its least positive number is added first.",
	note: "columns of x or y: the model sees the logarithm; predictions are in your units", example: "[price]",
}, {
	name: "data.missing", kinds: kindsOf(csv), accepts: name([]string{Refuse, Drop}), preset: always(Refuse),
	help: "What is done with a row that has a missing cell (empty, NA, NaN, null and others). error: reading ends with an error; drop: the row is left out.",
	note: "error; or drop: rows with a missing cell are left out",
}, {
	name: "data.tasks", kinds: kindsOf(tasks), preset: none("none"),
	accepts: rule{"the path of a tasks file or of a directory of them", func(v any) bool { return clean(v.(string)) }},
	help:    "Tasks file, or directory of them, whose batches training takes in order, over and over.",
	note:    "or a directory of tasks files", example: "train.safetensors",
}, {
	name: "data.eval_tasks", kinds: kindsOf(tasks), preset: none("none"),
	accepts: rule{"the path of a tasks file or of a directory of them", func(v any) bool { return clean(v.(string)) }},
	help:    "Tasks file, or directory of them, for the evaluation.",
	note:    "for the evaluation", example: "eval.safetensors",
}, {
	name: "data.command", kinds: kindsOf(tasks), preset: none("none"),
	accepts: rule{"a program and its arguments, such as [python3, simulate.py]", words},
	help:    "Program, with its arguments, that is asked for batches by their number, instead of data.tasks.",
	note:    "instead: a program that is asked for batches", example: "[python3, simulate.py]",
}}
