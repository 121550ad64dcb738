package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// measurements are the claims that are tested by something else than tables of log-likelihoods. A table may be
// missing, or lack models that were not trained.
func measurements(data string) ([]claim, error) {
	var claims []claim
	for _, c := range []struct {
		file string
		of   func([]map[string]string) []claim
	}{
		{"paper-modes.csv", ofModes},
		{"paper-speed-flow-bands.csv", ofBands},
		{"paper-speed-flow-splits.csv", ofSplits},
		{"paper-levels.csv", ofLevels},
	} {
		rows, err := readCSV(filepath.Join(data, c.file))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		claims = append(claims, c.of(rows)...)
	}
	return append(claims,
		untested("… the sampled curves [of BNP] bounce between the modes", "figure 1", "not tested: BNP is not trained"),
		untested("p(y) and p(τ) have the same number of modes almost everywhere", "figure 2", "not tested: no weights of ACQNP are kept"),
		untested("A deeper neural network [ψ] improves the overall performance", "figure 4, right", "not tested: not trained"),
		untested("Better generalization capabilities [on Omniglot]", "Omniglot", "not tested: no data at hand")), nil
}

// float returns a number of a row of a table that this program wrote.
func float(row map[string]string, column string) float64 {
	v, err := strconv.ParseFloat(row[column], 64)
	if err != nil {
		panic(fmt.Sprintf("%s: found %q, expected a number", column, row[column]))
	}
	return v
}

func answer(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// ofModes tests what CANP's means are near to, on each benchmark that was measured.
func ofModes(rows []map[string]string) (claims []claim) {
	runs := map[string][]map[string]string{}
	for _, r := range rows {
		if r["model"] == "CANP" {
			runs[r["benchmark"]] = append(runs[r["benchmark"]], r)
		}
	}
	for _, benchmark := range slices.Sorted(maps.Keys(runs)) {
		claims = append(claims, nearTheAverage(benchmark, runs[benchmark]))
	}
	return claims
}

// nearTheAverage tests how often CANP's mean is nearer to the average of two modes than to either. What a seed varies by takes
// three of them.
func nearTheAverage(benchmark string, runs []map[string]string) claim {
	const column = "mean nearer to the average, %"
	var shares []float64
	for _, r := range runs {
		shares = append(shares, float(r, column))
	}
	c := claim{sentence: "CANP … [resembles] the average of modes", answer: "open: what a seed varies by is not measured"}
	mean, e, which := shares[0], float(runs[0], column+" ±"), "seed "+runs[0]["train.seed"]
	if n := len(shares); deviations(n) {
		var deviation float64
		mean, deviation = stat.MeanStdDev(shares, nil)
		e, which = stat.StdErr(deviation, float64(n)), fmt.Sprintf("%d seeds", n)
		c.answer = answer(mean-enough*e > 50)
	}
	c.experiment = fmt.Sprintf("%s, %s: its mean is nearer to the average of two modes than to either at %.1f ± %.1f%% of x; means anywhere between them would be at 50%%",
		benchmark, which, mean, e)
	return c
}

// A spread is a mean over the runs of a model and its standard error, NaN of fewer than three runs.
type spread struct{ mean, err float64 }

// byModel returns a column by model, as numbers and as a text, and whether some models have all of it.
func byModel(rows []map[string]string, column string, models ...string) (values map[string]spread, text string, all bool) {
	values = map[string]spread{}
	var texts []string
	for _, r := range rows {
		v, said := spread{float(r, column), math.NaN()}, r["model"]+" "+r[column]
		if r[column+" ±"] != "" {
			v.err = float(r, column+" ±") / math.Sqrt(float(r, "runs"))
			said += fmt.Sprintf(" ± %.2g", v.err)
		}
		values[r["model"]] = v
		texts = append(texts, said)
	}
	for _, m := range models {
		if _, ok := values[m]; !ok {
			return nil, "", false
		}
	}
	return values, strings.Join(texts, ", "), true
}

// above reports by how many errors the values of some models are above those of others, at least; NaN if the errors are
// not known.
func above(values map[string]spread, upper, lower []string) float64 {
	least := math.Inf(1)
	for _, u := range upper {
		for _, l := range lower {
			a, b := values[u], values[l]
			least = math.Min(least, (a.mean-b.mean)/math.Hypot(a.err, b.err)) // NaN stays
		}
	}
	return least
}

// The models whose widths the claims compare, with floors of σ that are alike.
var (
	fairFloors = []string{"CANP, sigma floor 0.01", "BNP, sigma floor 0.01"}
	quantiles  = []string{"CQNP", "ACQNP"}
)

// ofBands compares the widths of intervals on speed-flow, with floors of σ that are alike: the usual one of a Gaussian, 0.1 of a
// scale of 70.1 mph, alone makes an interval 2·1.645·0.1·70.1 = 23.06 mph wide.
func ofBands(rows []map[string]string) []claim {
	const sentence = "BNP and CANP … lead to wide prediction bands compared to A/CQNP"
	width, text, all := byModel(rows, "mean width, mph", slices.Concat(quantiles, fairFloors)...)
	if !all {
		return []claim{untested(sentence, "figure 3", "not tested: weights are missing")}
	}
	return []claim{decided(sentence, "Speed-Flow, mean width of 90% intervals, mph: "+text, width, fairFloors, quantiles)}
}

// ofSplits compares what the split of speed-flow does to the models.
func ofSplits(rows []map[string]string) []claim {
	const sentence = "The local nature of quantiles makes them more robust to the tail behavior"
	values, text, all := byModel(rows, "deviation of splits", "CNP", "BNP", "CANP", "CQNP", "ACQNP")
	if !all {
		return []claim{untested(sentence, "Speed-Flow, random splits", "not tested: weights are missing")}
	}
	return []claim{decided(sentence, "Speed-Flow, deviation of the targets' log-likelihood over random splits: "+text, values, []string{"CNP", "CANP", "BNP"}, quantiles)}
}

// decided is a claim that upper values are above lower ones.
func decided(sentence, experiment string, values map[string]spread, upper, lower []string) claim {
	c := claim{sentence: sentence, experiment: experiment, answer: "open: what a seed varies by is not measured"}
	switch errors := above(values, upper, lower); {
	case errors > enough:
		c.answer = "yes"
	case errors < -enough:
		c.answer = "no"
	case !math.IsNaN(errors):
		c.answer = "open"
	}
	return c
}

// ofLevels compares what few levels cost, each model's most less its fewest. The rows of a model begin with the fewest.
func ofLevels(rows []map[string]string) []claim {
	const sentence = "The log-likelihood of CQNP decreases significantly with smaller sample sizes, whereas ACQNP suffers less"
	costs := map[string]spread{}
	var texts []string
	for _, model := range quantiles {
		of := slices.DeleteFunc(slices.Clone(rows), func(r map[string]string) bool { return r["model"] != model })
		if len(of) == 0 {
			return []claim{untested(sentence, "figure 4, left", "not tested: no weights are kept")}
		}
		few, many := of[0], of[len(of)-1]
		cost := spread{float(many, "target") - float(few, "target"), math.NaN()}
		if deviations(int(float(few, "runs"))) {
			cost.err = math.Hypot(float(many, "target ±"), float(few, "target ±"))
		}
		costs[model] = cost
		texts = append(texts, fmt.Sprintf("%s %.3f ± %.3f", model, cost.mean, cost.err))
	}
	first, last := rows[0], rows[len(rows)-1]
	c := decided(sentence, fmt.Sprintf("%s, targets: what %s levels instead of %s cost: %s",
		first["benchmark"], first["levels"], last["levels"], strings.Join(texts, ", ")), costs, []string{"CQNP"}, []string{"ACQNP"})
	if first["benchmark"] != "Lissajous" { // which the paper has
		c.answer += ", there; Lissajous is not tested"
	}
	return []claim{c}
}
