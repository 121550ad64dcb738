package config_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/test/must"
)

// Beginnings of files. What a test adds then starts at a known line.
const (
	acqnp = "benchmark: lissajous\nmodel:\n  name: acqnp\n"  // next line: 4
	cnp   = "benchmark: circle\nmodel:\n  name: cnp\n"       // 4
	saw   = "benchmark: sawtooth\nmodel: {name: cqnp}\n"     // 3
	rbf   = "benchmark: rbf\nmodel: {name: acqnp}\n"         // 3
	lanes = "benchmark: speed-flow\nmodel: {name: acqnp}\n"  // 3
	plain = "benchmark: double-sine\nmodel: {name: acqnp}\n" // 3
	canp  = "benchmark: circle\nmodel:\n  name: canp\n"      // 4
	bnp   = "benchmark: circle\nmodel:\n  name: bnp\n"       // 4
	mnist = "benchmark: mnist\nmodel: {name: acqnp}\n"       // 3
	omni  = "benchmark: omniglot\nmodel: {name: bnp}\n"      // 3
	frey  = "benchmark: freyface\nmodel: {name: cnp}\n"      // 3
	group = "benchmark: groups\nmodel: {name: acqnp}\n"      // 3
)

var refusals = []struct {
	name, yaml string
	line       int
	key        string
	says       string // part of the message
}{
	{"empty file", "", 0, "", "nothing"},
	{"only comments", "# soon\n", 0, "", "nothing"},
	{"null", "~\n", 0, "", "nothing"},
	{"a list at the root", "- a\n", 1, "", "a mapping of keys"},
	{"a list without an end", "benchmark: circle\nmodel:\n  encoder: [8,\ntrain: }\n", 4, "", "not YAML"},
	{"no YAML at all", "{\n", 2, "", "not YAML"},
	{"an indent too little", plain + "train:\n    steps: 3\n  seed: 1\n", 5, "", "not YAML"},
	{"a colon too many", plain + "train:\n  steps: 3: 4\n", 4, "", "not YAML"},
	{"no such anchor", plain + "train: *t\n", 0, "", "unknown anchor"},
	{"a tab", "model:\n\tname: cnp\n", 2, "", "not YAML"},
	{"not UTF-8", "benchmark: \xff\xfe\n", 0, "", "not YAML"},
	{"two documents", plain + "---\nbenchmark: circle\n", 3, "", "a second document"},

	{"no benchmark", "model: {name: cnp}\n", 0, "benchmark", "sawtooth, rbf, matern52"},
	{"no model", "benchmark: circle\n", 0, "model.name", "cnp, canp, bnp, cqnp or acqnp"},
	{"empty model", "benchmark: circle\nmodel:\n", 0, "model.name", "cnp, canp, bnp, cqnp or acqnp"},
	{"unknown benchmark", "benchmark: lisajous\nmodel: {name: cnp}\n", 1, "benchmark", `"lisajous"`},
	{"case of a benchmark", "benchmark: Circle\nmodel: {name: cnp}\n", 1, "benchmark", `"Circle"`},
	{"unknown model", "benchmark: circle\nmodel:\n  name: gp\n", 3, "model.name", `"gp"`},
	{"a list for a name", "benchmark: [circle]\n", 1, "benchmark", "[circle]"},
	{"a number for a name", "benchmark: 3\n", 1, "benchmark", "found 3"},
	{"a floor of nothing", acqnp + "  sigma_floor: 0\n", 4, "model.sigma_floor", "a number above 0 and below 1"},
	{"a floor that fixes σ", bnp + "  sigma_floor: 1\n", 4, "model.sigma_floor", "a number above 0 and below 1"},
	{"two averages", plain + "train: {steps: 3, ema: 100, validate_every: 1}\n", 3, "train.validate_every", "a validation averages the weights"},
	{"an average over less than nothing", plain + "train: {steps: 3, ema: -1}\n", 3, "train.ema", "whole number"},
	{"a floor that is no number", cnp + "  sigma_floor: .nan\n", 4, "model.sigma_floor", "a number above 0 and below 1"},

	{"unknown section", plain + "trian:\n  steps: 3\n", 3, "trian", "expected train"},
	{"unknown key", plain + "train:\n  stepz: 3\n", 4, "train.stepz", "expected train.steps"},
	{"far from any key", plain + "train:\n  momentum: 3\n", 4, "train.momentum", "one of steps, epochs, batch_size"},
	{"a key of a section at the root", plain + "num_points: 3\n", 3, "num_points", "expected eval.num_points"},
	{"case of a key", plain + "train:\n  Steps: 3\n", 4, "train.Steps", "expected train.steps"},
	{"a dotted key", plain + "train.steps: 3\n", 3, "train.steps", "steps below train"},
	{"a number as a key", plain + "train: {3: 4}\n", 3, "train.3", "unknown key"},
	{"a list as a key", plain + "train: {[steps]: 4}\n", 3, "train", "as a key"},
	{"a merge key", plain + "train: &t {steps: 3}\neval: {<<: *t}\n", 4, "eval.<<", "unknown key"},
	{"duplicate key", plain + "train:\n  steps: 3\n  seed: 1\n  steps: 4\n", 6, "train.steps", "line 4"},
	{"duplicate section", plain + "train: {steps: 3}\ntrain: {seed: 4}\n", 4, "train", "line 3"},
	{"a section that is a number", plain + "train: 3\n", 3, "train", "a mapping"},
	{"a key that is a mapping", plain + "train: {steps: {a: 1}}\n", 3, "train.steps", "a mapping"},
	{"an alias to the whole file", "&f {benchmark: circle, model: *f}\n", 1, "model.benchmark", "unknown key"},

	{"text for a number", plain + "train: {steps: many}\n", 3, "train.steps", `the text "many"`},
	{"quoted number", plain + "train:\n  steps: \"100000\"\n", 4, "train.steps", `the text "100000"`},
	{"a fraction of a step", plain + "train: {steps: 2.5}\n", 3, "train.steps", "found 2.5"},
	{"bool for a number", plain + "train: {steps: true}\n", 3, "train.steps", "found true"},
	{"null for a number", plain + "train:\n  steps:\n", 4, "train.steps", "found nothing"},
	{"number for a list", plain + "data: {points: 6}\n", 3, "data.points", "found 6"},
	{"a fraction in a list", acqnp + "  encoder: [8, 8.5]\n", 4, "model.encoder", "found 8.5"},
	{"text in a list over lines", acqnp + "  encoder:\n    - 8\n    - x\n", 6, "model.encoder", `"x"`},
	{"a list in a list", acqnp + "  encoder: [[8]]\n", 4, "model.encoder", "found [8]"},
	{"a cyclic alias", acqnp + "  encoder: &a [*a]\n", 4, "model.encoder", "list"},
	{"an octal number, perhaps", plain + "train: {steps: 010}\n", 3, "train.steps", "found 010"},
	{"a number beyond all", plain + "train: {steps: 1e300}\n", 3, "train.steps", "1e300"},
	{"a wrong tag", plain + "train: {steps: !!int abc}\n", 3, "train.steps", "abc"},
	{"a number for a bool", saw + "data: {zero_mean: 1}\n", 3, "data.zero_mean", "true or false"},
	{"yes for a bool", saw + "data: {zero_mean: yes}\n", 3, "data.zero_mean", "true or false"},
	{"a negative seed", plain + "train: {seed: -1}\n", 3, "train.seed", "from 0"},
	{"a negative seed as a float", plain + "train: {seed: -1e3}\n", 3, "train.seed", "from 0"},
	{"a seed beyond 64 bits", plain + "train: {seed: 18446744073709551616}\n", 3, "train.seed", "from 0"},

	{"no steps", plain + "train: {steps: 0}\n", 3, "train.steps", "found 0"},
	{"no levels", plain + "train: {num_tau: 0}\n", 3, "train.num_tau", "found 0"},
	{"no rate", plain + "train: {learning_rate: 0}\n", 3, "train.learning_rate", "above 0"},
	{"negative rate", plain + "train: {learning_rate: -1e-3}\n", 3, "train.learning_rate", "-1e-3"},
	{"NaN", plain + "train: {learning_rate: .nan}\n", 3, "train.learning_rate", ".nan"},
	{"infinity", plain + "train: {learning_rate: .inf}\n", 3, "train.learning_rate", ".inf"},
	{"more than float64", plain + "train: {learning_rate: 1e999}\n", 3, "train.learning_rate", "1e999"},
	{"more than float32", plain + "train: {learning_rate: 1e39}\n", 3, "train.learning_rate", "1e39"},
	{"negative decay", plain + "train: {weight_decay: -1}\n", 3, "train.weight_decay", "0 or above"},
	{"unknown schedule", plain + "train: {schedule: linear}\n", 3, "train.schedule", "constant, cosine or plateau"},
	{"never logging", plain + "train: {log_every: 0}\n", 3, "train.log_every", "found 0"},
	{"keeping less than none", plain + "train: {keep_checkpoints: -1}\n", 3, "train.keep_checkpoints", "-1"},
	{"no evaluation", plain + "eval: {batches: 0}\n", 3, "eval.batches", "found 0"},

	{"no width", acqnp + "  representation: 0\n", 4, "model.representation", "found 0"},
	{"an absurd width", acqnp + "  representation: 65537\n", 4, "model.representation", "65536"},
	{"no layers", acqnp + "  encoder: []\n", 4, "model.encoder", "found []"},
	{"a layer of none", acqnp + "  decoder: [8, 0]\n", 4, "model.decoder", "[8, 0]"},
	{"an absurd layer", acqnp + "  decoder: [8, 1e6]\n", 4, "model.decoder", "[8, 1e6]"},
	{"absurdly deep", acqnp + "  decoder: [" + strings.Repeat("8,", 65) + "]\n", 4, "model.decoder", "a list of 65"},
	{"absurdly large", acqnp + "  decoder: [65536, 65536]\n", 4, "model.decoder", "weights"},

	{"one number for a range", plain + "data: {points: [6]}\n", 3, "data.points", "[LOW, HIGH]"},
	{"reversed points", plain + "data: {points: [100, 6]}\n", 3, "data.points", "LOW ≤ HIGH"},
	{"reversed interval", plain + "data: {interval: [2, -2]}\n", 3, "data.interval", "LOW < HIGH"},
	{"an interval from nowhere", plain + "data: {interval: [.nan, 2]}\n", 3, "data.interval", ".nan"},
	{"fewer than no targets", plain + "data: {min_targets: -1}\n", 3, "data.min_targets", "found -1"},
	{"a negative context", plain + "data: {min_context: -1}\n", 3, "data.min_context", "found -1"},
	{"no context for BNP", bnp + "data: {min_context: 0}\n", 4, "data.min_context", "bnp resamples the context"},
	{"context that cannot be drawn", plain + "data: {min_context: 4}\n", 3, "data.min_context", "min_targets 3"},
	{"targets that cannot be drawn", plain + "data:\n  points: [8, 9]\n  min_targets: 6\n", 5, "data.min_targets", "min_context 3"},
	{"points too few", plain + "data: {points: [5, 100]}\n", 3, "data.points", "as few as 5"},
	{"no points for targets", plain + "eval: {num_points: 100}\n", 3, "eval.num_points", "eval.max_context 100"},
	{"a context of everything", plain + "eval: {max_context: 500}\n", 3, "eval.max_context", "eval.num_points 500"},
	{"testing context below the least", plain + "eval: {max_context: 2}\n", 3, "eval.max_context", "data.min_context 3"},
	{"too many rows", plain + "train: {batch_size: 65536, num_tau: 200}\n", 3, "train.num_tau", "a batch of 1310720000 rows"},
	{"too many testing rows", plain + "eval: {num_tau: 1e6}\n", 3, "eval.num_tau", "a batch of 8000000000 rows"},
	{"reversed harmonics", saw + "data: {harmonics: [20, 10]}\n", 3, "data.harmonics", "LOW ≤ HIGH"},
	{"no harmonics", saw + "data: {harmonics: [0, 10]}\n", 3, "data.harmonics", "from 1"},
	{"no length", rbf + "data: {length_scale: 0}\n", 3, "data.length_scale", "found 0"},
	{"negative amplitude", rbf + "data: {amplitude: -0.75}\n", 3, "data.amplitude", "-0.75"},
	{"negative noise", rbf + "data: {noise: -1}\n", 3, "data.noise", "found -1"},
	{"a covariance matrix beyond memory", rbf + "eval: {num_points: 4097}\n", 3, "eval.num_points", "at most 4096 for rbf"},
	{"more points than a random stream has", plain + "data: {points: [6, 65537]}\n", 3, "data.points", "from 1 to 65536"},
	{"more groups than a random stream has", plain + "train: {batch_size: 65537}\n", 3, "train.batch_size", "from 1 to 65536"},
	{"more numbers than memory", plain + "data: {points: [6, 65536]}\ntrain: {num_tau: 1, batch_size: 1025}\n", 4, "train.batch_size", "at most 134217728"},
	{"more testing numbers than memory", plain + "eval: {num_points: 65536, num_tau: 1, batch_size: 1025}\n", 3, "eval.batch_size", "at most 134217728"},

	{"a fraction of 1", lanes + "data: {train_fraction: 1}\n", 3, "data.train_fraction", "below 1"},
	{"a fraction of 0", lanes + "data: {train_fraction: 0.0}\n", 3, "data.train_fraction", "above 0"},
	{"a percentage", lanes + "data: {train_fraction: 75}\n", 3, "data.train_fraction", "below 1"},
	{"reversed context", lanes + "data: {context: [985, 500]}\n", 3, "data.context", "LOW ≤ HIGH"},
	{"no partitions", lanes + "data: {partitions: 0}\n", 3, "data.partitions", "found 0"},
	{"no files", lanes + "data: {files: []}\n", 3, "data.files", "found []"},
	{"one lane", lanes + "data: {files: [lane2.csv]}\n", 3, "data.files", ".rda"},
	{"a file elsewhere", lanes + "data: {files: [../lane2.csv, lane3.csv]}\n", 3, "data.files", "below"},
	{"three lanes a batch", lanes + "train: {batch_size: 3}\n", 3, "train.batch_size", "two lanes"},
	{"one lane tested", lanes + "eval: {batch_size: 1}\n", 3, "eval.batch_size", "two lanes"},

	{"an adaptor for cnp", cnp + "  adaptor: [8]\n", 4, "model.adaptor", "cnp does not use"},
	{"testing levels for cnp", cnp + "eval: {num_tau: 5}\n", 4, "eval.num_tau", "cqnp or acqnp"},
	{"an adaptor for cqnp", "benchmark: circle\nmodel:\n  adaptor: [8]\n  name: cqnp\n", 3, "model.adaptor", "only acqnp can use it"},
	{"files for sawtooth", saw + "train: {seed: 1}\ndata:\n  files: [a.rda]\n", 5, "data.files", "or freyface can use it"},
	{"harmonics for circle", cnp + "data:\n  harmonics: [1, 2]\n", 5, "data.harmonics", "circle does not use"},
	{"noise for sawtooth", saw + "data: {noise: 0.1}\n", 3, "data.noise", "only rbf or matern52 can use it"},
	{"points for speed-flow", lanes + "eval: {num_points: 10}\n", 3, "eval.num_points", "speed-flow does not use"},

	{"heads that do not divide", canp + "  heads: 7\n", 4, "model.heads", "7 heads for a representation of 128"},
	{"a representation that heads do not divide", canp + "  heads: 8\n  representation: 100\n", 5, "model.representation", "8 heads"},
	{"no heads", canp + "  heads: 0\n", 4, "model.heads", "found 0"},
	{"absurdly large keys", canp + "  key_encoder: [65536, 65536]\n", 4, "model.key_encoder", "weights"},
	{"an absurd attention", canp + "  representation: 16384\n", 4, "model.representation", "weights"},
	{"levels for canp", canp + "train: {num_tau: 5}\n", 4, "train.num_tau", "cqnp or acqnp"},
	{"heads for cnp", cnp + "  heads: 8\n", 4, "model.heads", "only canp, aggregation attention, aggregation transformer or aggregation groups can use it"},
	{"keys for acqnp", acqnp + "  key_encoder: [8]\n", 4, "model.key_encoder", "only canp or aggregation attention can use it"},
	{"layers for attention", acqnp + "  layers: 2\n  aggregation: attention\n", 4, "model.layers", "only aggregation transformer or aggregation groups can use it"},
	{"key encoders for a transformer", cnp + "  aggregation: transformer\n  key_encoder: [8]\n", 5, "model.key_encoder", "aggregation transformer does not use"},
	{"an unknown aggregation", cnp + "  aggregation: max\n", 4, "model.aggregation", "mean, attention, transformer or groups"},
	{"groups of groups", cnp + "  aggregation: groups\n", 4, "model.aggregation", "only the benchmark groups has groups"},
	{"a mean over groups", "benchmark: groups\nmodel:\n  name: acqnp\n  aggregation: mean\n", 4, "model.aggregation", "which rows are of one group"},
	{"a model that reads no groups", "benchmark: groups\nmodel:\n  name: canp\n", 3, "model.name", "found canp on groups, expected cnp, cqnp or acqnp"},
	{"a loss over the context of groups", group + "train: {loss: all}\n", 3, "train.loss", "expected targets"},
	{"no room for groups", group + "data: {points: [31, 64]}\n", 3, "data.points", "data sets of 32 to 2048 rows"},
	{"groups beyond the prior", group + "data: {points: [32, 2049]}\n", 3, "data.points", "data sets of 32 to 2048 rows"},
	{"no room for groups in the test", group + "eval: {num_points: 31}\n", 3, "eval.num_points", "data sets of 32 to 2048 rows"},
	{"groups of too many numbers", group + "data: {points: [32, 2048]}\ntrain: {batch_size: 65536, num_tau: 1}\n", 4, "train.batch_size", "at most 134217728"},
	{"a context for groups", group + "data: {min_context: 3}\n", 3, "data.min_context", "groups does not use"},
	{"an aggregation for bnp", bnp + "  aggregation: attention\n", 4, "model.aggregation", "only cnp, cqnp or acqnp can use it"},
	{"an aggregation for canp", canp + "  aggregation: mean\n", 4, "model.aggregation", "only cnp, cqnp or acqnp can use it"},
	{"an unknown form", acqnp + "  adaptor_form: linear\n", 4, "model.adaptor_form", "plain or residual"},
	{"an unknown form of the scale", acqnp + "  scale_form: linear\n", 4, "model.scale_form", "paper or natural"},
	{"a form of the scale for cnp", "benchmark: circle\nmodel:\n  name: cnp\n  scale_form: paper\n", 4, "model.scale_form", "found a key that head gaussian does not use, expected no such key: only cqnp, acqnp or head quantile-mixture can use it"},
	{"parts of a Gaussian", "benchmark: circle\nmodel:\n  name: cnp\n  parts: 3\n", 4, "model.parts", "only head gaussian-mixture or head quantile-mixture can use it"},
	{"a form of the scale for bnp", "benchmark: circle\nmodel:\n  name: bnp\n  scale_form: paper\n", 4, "model.scale_form", "only cqnp, acqnp or head quantile-mixture can use it"},
	{"a form for cqnp", "benchmark: circle\nmodel:\n  name: cqnp\n  adaptor_form: plain\n", 4, "model.adaptor_form", "only acqnp can use it"},
	{"tokens that heads do not divide", cnp + "  aggregation: transformer\n  heads: 3\n", 5, "model.heads", "3 heads for a representation of 128"},
	{"an absurd transformer", cnp + "  aggregation: transformer\n  layers: 64\n  feedforward: 65536\n", 6, "model.feedforward", "weights"},
	{"unknown levels", acqnp + "train: {levels: grid}\n", 4, "train.levels", "random or stratified"},
	{"the draws of levels for cnp", cnp + "train: {levels: random}\n", 4, "train.levels", "only cqnp or acqnp can use it"},
	{"an unknown loss", cnp + "train: {loss: context}\n", 4, "train.loss", "all or targets"},
	{"bootstraps for canp", canp + "  train_bootstraps: 4\n", 4, "model.train_bootstraps", "only bnp can use it"},
	{"a representation for bnp", bnp + "  representation: 128\n", 4, "model.representation", "only cnp, canp, cqnp or acqnp can use it"},
	{"one layer before the mean", bnp + "  pre_depth: 1\n", 4, "model.pre_depth", "from 2"},
	{"no bootstraps", bnp + "  train_bootstraps: 0\n", 4, "model.train_bootstraps", "found 0"},
	{"too many bootstraps", bnp + "  eval_bootstraps: 1e6\n", 4, "model.eval_bootstraps", "a batch of 8000000000 rows"},
	{"an absurd bnp", bnp + "  width: 65536\n", 4, "model.width", "weights"},

	{"one file of two", mnist + "data: {files: [a.gz]}\n", 3, "data.files", "[FILE, FILE] with the training images and the test images"},
	{"two files of one", frey + "data: {files: [a.mat, b.mat]}\n", 3, "data.files", "expected [FILE] with the frames"},
	{"an image file elsewhere", mnist + "data: {files: [a.gz, ../b.gz]}\n", 3, "data.files", "below"},
	{"no context of pixels for BNP", omni + "data: {min_context: 0}\n", 3, "data.min_context", "bnp resamples the context"},
	{"no context of lanes for BNP", "benchmark: speed-flow\nmodel: {name: bnp}\ndata: {context: [0, 9]}\n", 3, "data.context", "bnp resamples the context"},
	{"all faces for training", frey + "data: {train_fraction: 1}\n", 3, "data.train_fraction", "below 1"},
	{"a limit below none", mnist + "data: {train_limit: -1}\n", 3, "data.train_limit", "from 0"},
	{"a context of half the pixels", mnist + "data: {min_context: 392}\n", 3, "data.min_context", "at most 391"},
	{"a context of half the pixels left", omni + "data:\n  min_context: 32\n  resize: 8\n", 5, "data.resize", "at most 31"},
	{"an image of none", omni + "data: {resize: 0}\n", 3, "data.resize", "found 0"},
	{"a larger image than there is", omni + "data: {resize: 106}\n", 3, "data.resize", "to 105"},
	{"an unknown filter", omni + "data: {filter: smooth}\n", 3, "data.filter", "bilinear, bicubic or box"},
	{"resizing digits", mnist + "data: {resize: 32}\n", 3, "data.resize", "only omniglot can use it"},
	{"no copies", frey + "data: {test_copies: 0}\n", 3, "data.test_copies", "found 0"},
	{"no epochs", mnist + "train: {epochs: 0}\n", 3, "train.epochs", "found 0"},
	{"epochs beside steps", mnist + "train:\n  steps: 3\n  epochs: 3\n", 5, "train.epochs", "together with train.steps"},
	{"steps beside epochs", mnist + "train:\n  epochs: 3\n  steps: 3\n", 5, "train.steps", "together with train.epochs"},
	{"too many images", mnist + "train: {batch_size: 65536}\n", 3, "train.batch_size", "a batch of 1284505600 rows"},
	{"testing batches of lanes", lanes + "eval: {batches: 0}\n", 3, "eval.batches", "1 or more"},

	{"no csv file", "benchmark: csv\nmodel: {name: cnp}\n", 0, "data.file", "the path of a CSV file"},
	{"no x", minimalCSV + "  x: []\n", 5, "data.x", "columns"},
	{"x twice", minimalCSV + "  x: [a, a]\n", 5, "data.x", "each once"},
	{"a number for a column", minimalCSV + "  y: [1]\n", 5, "data.y", "found 1"},
	{"x as y", minimalCSV + "  x: [a, y]\n", 5, "data.x", "two meanings among [a, y, y]"},
	{"x as group", minimalCSV + "  group: x\n", 5, "data.group", "two meanings"},
	{"an unknown split", minimalCSV + "  split: row\n", 5, "data.split", "group or point"},
	{"a context of all points", minimalCSV + "  points: [6, 10]\n  context: [3, 6]\n", 6, "data.context", "as few as 6"},
	{"a context of all points by default", minimalCSV + "  context: [3, 200]\n", 5, "data.context", "as few as 200"},
	{"x as split column", minimalCSV + "  split_column: x\n", 5, "data.split_column", "two meanings"},
	{"all groups for validation", minimalCSV + "  valid_fraction: 1\n", 5, "data.valid_fraction", "below 1"},
	{"too many csv rows", minimalCSV + "train: {batch_size: 65536, num_tau: 100}\n", 5, "train.num_tau", "a batch of 1310720000 rows"},
	{"csv of digits", mnist + "data: {file: a.csv}\n", 3, "data.file", "only csv can use it"},
	{"epochs of csv", minimalCSV + "train: {epochs: 3}\n", 5, "train.epochs", "csv does not use"},

	{"patience without validations", plain + "train: {patience: 3}\n", 3, "train.patience", "expected train.validate_every above 0"},
	{"validation of images", mnist + "train: {validate_every: 100}\n", 3, "train.validate_every", "mnist does not use"},
	{"epochs", plain + "train: {epochs: 100}\n", 3, "train.epochs", "double-sine does not use"},
}

func TestRefusals(t *testing.T) {
	for _, c := range refusals {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, c.yaml)
			_, err := config.Load(path, config.Overrides{})
			expectRefusal(t, err, path, c.line, c.key, c.says)
		})
	}
}

// expectRefusal fails unless err is an *invalid.Input of one line at this place, with says in its
// message.
func expectRefusal(t *testing.T, err error, file string, line int, key, says string) {
	t.Helper()
	var bad *invalid.Input
	if !errors.As(err, &bad) {
		t.Fatalf("found error %v, expected an invalid.Input", err)
	}
	if bad.File != file || bad.Line != line || bad.Key != key {
		t.Errorf("found file %q, line %d, key %q (%v), expected %q, %d, %q", bad.File, bad.Line, bad.Key, err, file, line, key)
	}
	if bad.Found == "" || bad.Expected == "" || strings.Contains(err.Error(), "\n") || !strings.Contains(strings.TrimPrefix(err.Error(), file), says) {
		t.Errorf("found message %q, expected one line with %q", err, says)
	}
}

// The largest values of the rules are accepted.
func TestLimits(t *testing.T) {
	for _, c := range []string{
		rbf + "data: {points: [6, 4096]}\neval: {num_points: 4096}\n",
		plain + "data: {points: [6, 65536]}\ntrain: {num_tau: 1, batch_size: 1024}\n",
		plain + "eval: {num_points: 65536, num_tau: 1, batch_size: 1024}\n",
		plain + "data: {points: [6, 6]}\ntrain: {batch_size: 65536}\n",
		lanes + "data: {context: [1, 1e6]}\n",
		minimalCSV + "  points: [6, 65536]\n  context: [1, 5]\n",
	} {
		must.Do(t, must.Err(config.Parse("limits.yaml", []byte(c), config.Overrides{})))
	}
}

func TestUnreadableFiles(t *testing.T) {
	dir := t.TempDir()
	_, err := config.Load(filepath.Join(dir, "none.yaml"), config.Overrides{})
	expectRefusal(t, err, filepath.Join(dir, "none.yaml"), 0, "", "no such file")

	_, err = config.Load(dir, config.Overrides{})
	expectRefusal(t, err, dir, 0, "", "directory")

	big := write(t, plain+strings.Repeat("#", 1<<20))
	_, err = config.Load(big, config.Overrides{})
	expectRefusal(t, err, big, 0, "", "1 MiB")
}
