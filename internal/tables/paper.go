// Package tables sets the log-likelihoods of a directory of runs beside the paper's: it gathers their eval.json files,
// takes means over seeds, and writes markdown, LaTeX, CSV and a page of HTML.
package tables

// Number is a mean and the ± that the paper prints with it, over 6 seeds.
type Number struct {
	Mean   float64 `json:"mean"`
	Spread float64 `json:"spread"`
}

// PaperResult is what the paper reports of a model on a benchmark.
type PaperResult struct{ Context, Target Number }

// Paper is the paper's result under the names that configurations use; false where it has none.
func Paper(benchmark, model string) (PaperResult, bool) {
	for _, t := range paperTables {
		if r, ok := t.results[model]; ok {
			for i, b := range t.benchmarks {
				if b.name == benchmark {
					return r[i], true
				}
			}
		}
	}
	return PaperResult{}, false
}

// models in the order of the paper's rows.
var models = []string{"cnp", "canp", "bnp", "cqnp", "acqnp"}

// paperTable is one of the paper's tables of results: benchmarks by name and printed name, and a row for each model.
type paperTable struct {
	title      string
	benchmarks []named
	results    map[string][]PaperResult
}

type named struct{ name, printed string }

func r(context, contextSpread, target, targetSpread float64) PaperResult {
	return PaperResult{Number{context, contextSpread}, Number{target, targetSpread}}
}

// paperTables are in the paper's order; the last is the supplement's.
var paperTables = []paperTable{
	{
		"Multimodal synthetic data",
		[]named{{"double-sine", "Double Sine"}, {"circle", "Circle"}, {"lissajous", "Lissajous"}},
		map[string][]PaperResult{
			"cnp":   {r(-0.195, 0.009, -0.520, 0.019), r(-2.086, 0.204, -2.387, 0.216), r(-2.212, 0.146, -2.962, 0.165)},
			"canp":  {r(0.436, 0.236, -1.742, 0.222), r(-0.272, 0.043, -1.685, 0.082), r(-1.112, 0.499, -2.151, 0.248)},
			"bnp":   {r(0.330, 0.010, 0.134, 0.017), r(0.150, 0.010, 0.065, 0.009), r(-0.314, 0.011, -0.434, 0.010)},
			"cqnp":  {r(1.448, 0.042, 1.244, 0.049), r(2.047, 0.076, 1.932, 0.080), r(0.798, 0.020, 0.508, 0.021)},
			"acqnp": {r(1.582, 0.108, 1.349, 0.098), r(2.118, 0.059, 2.028, 0.057), r(0.929, 0.038, 0.634, 0.034)},
		},
	},
	{
		"Speed-flow data",
		[]named{{"speed-flow", "Speed-Flow"}},
		map[string][]PaperResult{
			"cnp":   {r(0.845, 0.010, 0.719, 0.002)},
			"canp":  {r(0.887, 0.010, 0.741, 0.014)},
			"bnp":   {r(0.879, 0.005, 0.720, 0.015)},
			"cqnp":  {r(1.518, 0.013, 1.495, 0.007)},
			"acqnp": {r(1.544, 0.001, 1.507, 0.006)},
		},
	},
	{
		"Image completion",
		[]named{{"mnist", "MNIST"}, {"fashion-mnist", "FashionMNIST"}, {"svhn", "SVHN"}, {"omniglot", "Omniglot"}, {"freyface", "FreyFace"}},
		map[string][]PaperResult{
			"cnp": {r(1.061, 0.006, 0.938, 0.001), r(0.963, 0.005, 0.872, 0.004), r(3.554, 0.014, 3.388, 0.013),
				r(0.978, 0.004, 0.874, 0.009), r(0.970, 0.083, 0.941, 0.088)},
			"canp": {r(1.350, 0.003, 0.913, 0.006), r(1.226, 0.007, 0.857, 0.024), r(4.112, 0.002, 3.715, 0.016),
				r(1.366, 0.005, 0.974, 0.004), r(1.062, 0.053, 1.015, 0.023)},
			"bnp": {r(1.128, 0.013, 1.061, 0.009), r(1.039, 0.002, 0.971, 0.001), r(3.679, 0.008, 3.580, 0.007),
				r(0.983, 0.006, 0.950, 0.004), r(1.073, 0.015, 1.052, 0.014)},
			"cqnp": {r(2.683, 0.006, 2.609, 0.006), r(2.012, 0.004, 1.932, 0.002), r(4.725, 0.033, 4.447, 0.029),
				r(2.529, 0.034, 2.471, 0.038), r(1.433, 0.062, 1.392, 0.061)},
			"acqnp": {r(2.681, 0.011, 2.616, 0.013), r(2.040, 0.016, 1.954, 0.015), r(4.959, 0.042, 4.651, 0.034),
				r(2.516, 0.009, 2.461, 0.007), r(1.522, 0.089, 1.475, 0.086)},
		},
	},
	{
		"Unimodal synthetic data (supplement)",
		[]named{{"sawtooth", "Sawtooth"}, {"rbf", "RBF"}, {"matern52", "Matérn 5/2"}},
		map[string][]PaperResult{
			"cnp":   {r(0.937, 0.023, 0.586, 0.038), r(0.837, 0.058, 0.100, 0.023), r(0.626, 0.056, -0.183, 0.013)},
			"canp":  {r(1.191, 0.190, 0.341, 0.085), r(1.269, 0.083, 0.225, 0.052), r(1.058, 0.382, -0.015, 0.198)},
			"bnp":   {r(0.884, 0.038, 0.769, 0.039), r(1.121, 0.008, 0.339, 0.009), r(0.879, 0.018, -0.048, 0.018)},
			"cqnp":  {r(1.229, 0.031, 0.833, 0.035), r(0.947, 0.042, 0.083, 0.037), r(0.515, 0.039, -0.373, 0.041)},
			"acqnp": {r(1.386, 0.042, 1.026, 0.039), r(1.215, 0.027, 0.254, 0.020), r(0.912, 0.042, -0.117, 0.025)},
		},
	},
}
