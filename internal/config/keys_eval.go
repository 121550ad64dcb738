package config

// Eval holds the settings of the evaluation: its batches and, for quantile models, its levels;
// evalKeys say what the fields mean.
type Eval struct {
	NumTau     int    `yaml:"num_tau,omitempty"`
	Batches    int    `yaml:"batches"`
	BatchSize  int    `yaml:"batch_size"`
	NumPoints  int    `yaml:"num_points,omitempty"`
	MaxContext int    `yaml:"max_context,omitempty"`
	Contexts   []int  `yaml:"contexts,flow,omitempty"`
	Seed       uint64 `yaml:"seed"`
}

var evalKeys = []entry{{
	name: "eval.num_tau", models: quantile, accepts: whole(1, maxLevels),
	preset: always(100).except(50, speedFlow, images),
	help:   "Number N_τ of quantile levels of each point in evaluation.",
	note:   "levels for each point",
}, {
	name: "eval.batches", accepts: whole(0, maxCount),
	preset: always(5000).except(1, speedFlow).except(0, images, csv),
	help:   "Number of evaluation batches. For images and csv it is an upper bound, and 0 takes the whole test split.",
	note:   "0: all that is held out, of images and own data",
}, {
	name: "eval.batch_size", accepts: whole(1, MaxGroups),
	preset: always(16).except(2, speedFlow),
	help:   "Number of groups of an evaluation batch; for speed-flow 2, its lanes.",
}, {
	name: "eval.num_points", kinds: kindsOf(synthetic, tasks), accepts: whole(1, MaxPoints), preset: always(500),
	help: "Number N of points of a group in evaluation.",
}, {
	name: "eval.max_context", kinds: kindsOf(synthetic, tasks), accepts: whole(1, MaxPoints), preset: always(100),
	help: "Largest context in evaluation: N_c ~ U{data.min_context..max_context}.",
	note: "largest N_c",
}, {
	name: "eval.contexts", kinds: bySettings, accepts: someWhole(1, MaxPoints),
	help: "Contexts N_c of the evaluation batches, which take one after the other, instead of random ones.",
	note: "N_c, one batch after the other",
}, {
	name: "eval.seed", accepts: seed, preset: always(uint64(43)),
	help: "Fixes the evaluation batches; keep it the same for all models that you compare.",
	note: "fixes the evaluation batches; the same for every model",
}}
