package config

import (
	"math"

	"github.com/acqnp/acqnp/internal/config/catalogue"
)

// The values of train.loss: the points whose mean log-likelihood is maximised.
const (
	AllPoints = "all" // the paper's
	Targets   = "targets"
)

// The values of train.schedule, of the learning rate.
const (
	Constant = "constant"
	Cosine   = "cosine"
	Plateau  = "plateau" // falls over a tenth of the steps before
)

// The values of train.levels: how the N_τ levels of a point are drawn.
const (
	RandomLevels     = "random" // the paper's
	StratifiedLevels = "stratified"
)

// Train holds the settings of the optimiser and the training loop; trainKeys say what the fields
// mean. Exactly one of Steps and Epochs is set; only images have Epochs.
type Train struct {
	Steps           int     `yaml:"steps,omitempty"`
	Epochs          int     `yaml:"epochs,omitempty"`
	BatchSize       int     `yaml:"batch_size"`
	NumTau          int     `yaml:"num_tau,omitempty"`
	Levels          string  `yaml:"levels,omitempty"` // RandomLevels or StratifiedLevels
	LearningRate    float64 `yaml:"learning_rate"`
	WeightDecay     float64 `yaml:"weight_decay"`
	Schedule        string  `yaml:"schedule"` // Constant, Cosine or Plateau
	Loss            string  `yaml:"loss"`     // AllPoints or Targets
	Seed            uint64  `yaml:"seed"`
	EMA             int     `yaml:"ema,omitempty"` // a run with validation always averages
	LogEvery        int     `yaml:"log_every"`
	CheckpointEvery int     `yaml:"checkpoint_every"`
	KeepCheckpoints int     `yaml:"keep_checkpoints"`
	ValidateEvery   int     `yaml:"validate_every,omitempty"`
	Patience        int     `yaml:"patience,omitempty"`
}

var trainKeys = []entry{{
	name: "train.steps", accepts: whole(1, maxCount),
	preset: always(100000).except(10000, speedFlow).except(nil, images).worded("not set").except(20000, csv),
	help:   "Number of training steps.",
}, {
	name: "train.epochs", kinds: kindsOf(images), accepts: whole(1, maxCount), preset: always(100),
	help: "Number of passes over the training split, instead of train.steps.",
	note: "passes over the training split; or set steps",
}, {
	name: "train.batch_size", accepts: whole(1, MaxGroups),
	preset: always(128).except(2, speedFlow).except(16, images, csv),
	help:   "Number of groups of a training batch; for speed-flow 2, its lanes.",
	note:   "groups: curves, images or lanes",
}, {
	name: "train.num_tau", models: quantile, accepts: whole(1, maxLevels),
	preset: always(50).except(100, speedFlow).except(25, images),
	help:   "Number N_τ of quantile levels of each point in training.",
	note:   "levels for each point",
}, {
	name: "train.levels", models: quantile, accepts: name([]string{RandomLevels, StratifiedLevels}), preset: always(RandomLevels),
	help: "How the N_τ levels of a point are drawn. random: each alone, the paper's; stratified: one in each of N_τ equal parts of (0, 1).",
	note: "random; or stratified: one in each of num_tau equal parts",
}, {
	name: "train.learning_rate", preset: follow("the paper's, by benchmark and model", func(c choice) any { return c.benchmark.Rates[c.model].Learning }),
	accepts: rule{"a finite number above 0", func(v any) bool { return v.(float64) > 0 && v.(float64) <= math.MaxFloat32 }},
	help:    "Learning rate of Adam.",
	note:    "Adam",
}, {
	name: "train.weight_decay", preset: follow("the paper's, by benchmark and model", func(c choice) any { return c.benchmark.Rates[c.model].Decay }),
	accepts: rule{"a finite number, 0 or above", func(v any) bool { return v.(float64) >= 0 && v.(float64) <= math.MaxFloat32 }},
	help:    "Factor λ of the L2 regulariser.",
	note:    "λ of the L2 regulariser",
}, {
	name: "train.schedule", accepts: name([]string{Constant, Cosine, Plateau}),
	preset: follow("constant; cosine for bnp, except on speed-flow", func(c choice) any {
		if c.model == catalogue.BNP && c.benchmark.Kind != speedFlow {
			return Cosine
		}
		return Constant
	}),
	help: "Learning rate over time. cosine: it falls to 0 over all steps; plateau: it is constant, then falls to 0, from the best weights on.",
	note: "constant, cosine, or plateau: constant until the patience runs out",
}, {
	name: "train.loss", accepts: name([]string{AllPoints, Targets}),
	preset: follow("all; targets for aggregation attention, aggregation transformer and aggregation groups",
		func(c choice) any { return defaultLoss(c.model, c.aggregates()) }),
	help: "Points whose mean log-likelihood training maximises. all: context and target points, the paper's; targets: target points alone.",
	note: "all points, or targets",
}, {
	name: "train.seed", accepts: seed, preset: always(uint64(0)),
	help: "Fixes initial weights, batches, and levels or bootstraps.",
	note: "fixes initial weights, batches, levels",
}, {
	name: "train.ema", accepts: whole(0, maxCount), preset: none("0"),
	help: "Predictions use an exponential average of the weights over about this number of steps; 0: the weights of the last step. Not beside train.validate_every.",
	note: "steps over which the weights are averaged",
}, {
	name: "train.log_every", accepts: whole(1, maxCount), preset: always(100),
	help: "Steps between lines of metrics.jsonl.",
}, {
	name: "train.checkpoint_every", accepts: whole(1, maxCount), preset: always(5000),
	help: "Steps between checkpoints; there is one after the last step too.",
	note: "steps, and after the last step",
}, {
	name: "train.keep_checkpoints", accepts: whole(0, maxCount), preset: always(2),
	help: "Number of older checkpoints to keep, besides the newest.",
	note: "older ones to keep, besides the newest",
}, {
	name: "train.validate_every", kinds: kindsOf(synthetic, csv), accepts: whole(0, maxCount), preset: none("0"),
	help: "Steps between validations; 0: no validation. The best weights are kept.",
	note: "steps between validations; the best weights are kept", example: "100",
}, {
	name: "train.patience", kinds: kindsOf(synthetic, csv), accepts: whole(0, maxCount), preset: none("0"),
	help: "Number of validations in a row without a better one, after which training ends; 0: never.",
	note: "training ends after this many validations without a better one", example: "20",
}}
