package main

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// enough is the number of errors by which a difference has to be told from zero.
const enough = 2

// A claim is a sentence of the paper that can be tested.
type claim struct {
	sentence, experiment string
	leads                []lead // of the context and of the targets; none where something else is measured
	answer               string // yes, no, open, or why it was not tested; "" follows from the leads
	rivals               string // the models that the leads are over
	absent               string // the models that are not trained, and so are not compared
}

// verdict says whether the leads are above zero: by both readings of the paper's ±, or by the first alone. One lead
// below zero is a no, and one too near to it leaves the claim open, as a model that is not trained does.
func (c claim) verdict() string {
	switch {
	case c.answer != "":
		return c.answer
	case c.absent != "" && c.least(0) > enough:
		return "open: ahead of " + c.rivals
	case c.least(0) > enough && c.least(1) > enough:
		return "yes"
	case c.least(0) > enough:
		return "yes, if ± is a deviation"
	case slices.ContainsFunc(c.leads, func(l lead) bool { return max(l.score(0), l.score(1)) < -enough }):
		return "no"
	}
	return "open"
}

// least returns the smallest of the leads in errors, by a reading of the paper's ±.
func (c claim) least(reading int) float64 {
	low := math.Inf(1)
	for _, l := range c.leads {
		low = min(low, l.score(reading))
	}
	return low
}

func (c claim) row() []string {
	verdict := c.verdict()
	if c.absent != "" {
		verdict += "; not trained: " + c.absent
	}
	row := []string{c.sentence, c.experiment, "", "", "", "", "", "", verdict}
	for i, l := range c.leads {
		row[2+2*i], row[3+2*i], row[6+i] = signed(l.value), fmt.Sprintf("%.3f", l.errors[0]), fmt.Sprintf("%+.1f", c.least(i))
	}
	return row
}

// claimTable is the table of the paper's claims.
func claimTable(data string, cells []cell) ([][]string, error) {
	fewer, err := readCells(filepath.Join(data, cellsFile), "6 to 50")
	if err != nil {
		return nil, err
	}
	lanes, err := readCSV(filepath.Join(data, "paper-speed-flow-runs.csv"))
	if err != nil {
		return nil, err
	}
	faces, err := runsOfOneFloor(data)
	if err != nil {
		return nil, err
	}
	measured, err := measurements(data)
	if err != nil {
		return nil, err
	}
	var claims []claim
	for _, b := range []string{"Double Sine", "Circle", "Lissajous"} {
		claims = append(claims, outperforms("A/CQNP constantly outperforms baselines", b, cells))
	}
	claims = append(claims, outperforms("A/CQNP [is] the best-performing model on this real-world task", "Speed-Flow", cells))
	for _, b := range []string{"FreyFace", "MNIST", "FashionMNIST", "SVHN", "Omniglot"} {
		claims = append(claims, outperforms("A/CQNP substantially outperforms the baselines", b, cells))
	}
	claims = append(claims,
		claim{sentence: "A/CQNP substantially outperforms the baselines", experiment: "FreyFace, all floors of σ 0.01, three seeds, paired: CQNP less CANP", leads: paired(faces, "CQNP", "CANP")},
		outperforms("Supplement: CQNP and ACQNP in bold", "Sawtooth", cells),
		untested("Supplement: a Gaussian baseline in bold", "RBF, Matérn 5/2", "not tested: two models of five are trained"),
		polishes("Double Sine", cells, "seed 0"),
		polishes("Circle", fewer, "seed 0, at most 50 points"),
		polishes("Lissajous", fewer, "seed 0, at most 50 points"),
		claim{sentence: "… further polished by the quantile adaptation", experiment: "Speed-Flow, six seeds, paired: ACQNP less CQNP", leads: paired(lanes, "ACQNP", "CQNP")},
		polishes("FreyFace", cells, "one run of ACQNP, three of CQNP"))
	claims = append(claims, measured...)
	rows := [][]string{strings.Split("claim|experiment|context, ahead by|context, ahead by ±|target, ahead by|target, ahead by ±|errors, at least|errors, at least, if ± is an error|came out", "|")}
	for _, c := range claims {
		rows = append(rows, c.row())
	}
	return rows, nil
}

func untested(sentence, where, why string) claim {
	return claim{sentence: sentence, experiment: where, answer: why}
}

// outperforms compares the worse of the quantile models with the best of the others, of those that are
// measured. Variants of a model do not count.
func outperforms(sentence, benchmark string, cells []cell) claim {
	var quantiles, others []cell
	for _, c := range cells {
		if c.benchmark == benchmark && c.model == c.paperModel() {
			if strings.HasSuffix(c.model, "QNP") {
				quantiles = append(quantiles, c)
			} else {
				others = append(others, c)
			}
		}
	}
	if len(quantiles) == 0 || len(others) == 0 {
		return untested(sentence, benchmark, "not tested: no quantile model is trained")
	}
	c := claim{sentence: sentence, experiment: benchmark + ": " + names(quantiles, "the worse of ") + " less " + names(others, "the best of ")}
	var absent []string
	for _, model := range []string{"CNP", "CANP", "BNP", "CQNP", "ACQNP"} {
		if !slices.ContainsFunc(append(others, quantiles...), func(c cell) bool { return c.model == model }) {
			absent = append(absent, model)
		}
	}
	c.rivals, c.absent = strings.ReplaceAll(names(others, ""), ", ", " and "), strings.Join(absent, ", ")
	for part := range quantiles[0].parts {
		byMean := func(a, b cell) int { return cmp.Compare(a.parts[part].mean, b.parts[part].mean) }
		c.leads = append(c.leads, slices.MinFunc(quantiles, byMean).ahead(slices.MaxFunc(others, byMean), part))
	}
	return c
}

func names(cells []cell, which string) string {
	var all []string
	for _, c := range cells {
		all = append(all, c.model)
	}
	if len(all) > 1 {
		return which + strings.Join(all, ", ")
	}
	return all[0]
}

// polishes compares ACQNP with CQNP.
func polishes(benchmark string, cells []cell, runs string) claim {
	find := func(model string) cell {
		return cells[slices.IndexFunc(cells, func(c cell) bool { return c.benchmark == benchmark && c.model == model })]
	}
	c := claim{sentence: "… further polished by the quantile adaptation", experiment: benchmark + ", " + runs + ": ACQNP less CQNP"}
	for part := range (cell{}).parts {
		c.leads = append(c.leads, find("ACQNP").ahead(find("CQNP"), part))
	}
	return c
}

// runsOfOneFloor returns the runs on FreyFace whose floor of σ is 0.01, that of the quantile models.
func runsOfOneFloor(data string) ([]map[string]string, error) {
	runs, err := readCSV(filepath.Join(data, "paper-freyface-runs.csv"))
	if err != nil {
		return nil, err
	}
	runs = slices.DeleteFunc(runs, func(r map[string]string) bool { return !strings.HasSuffix(r["model"], "QNP") })
	lower, err := readCSV(filepath.Join(data, floorRuns))
	lower = slices.DeleteFunc(lower, func(r map[string]string) bool { return r["benchmark"] != "FreyFace" || r["floor"] != "0.01" })
	return append(runs, lower...), err
}

// paired returns what a model has less another, by seeds, each of which has its split.
func paired(runs []map[string]string, model, other string) (leads []lead) {
	for _, part := range []string{"context", "target"} {
		var gains []float64
		for _, r := range runs {
			i := slices.IndexFunc(runs, func(o map[string]string) bool {
				return r["model"] == model && o["model"] == other && o["train.seed"] == r["train.seed"]
			})
			if i >= 0 {
				gains = append(gains, float(r, part)-float(runs[i], part))
			}
		}
		mean, deviation := stat.MeanStdDev(gains, nil)
		e := stat.StdErr(deviation, float64(len(gains)))
		leads = append(leads, lead{mean, [2]float64{e, e}})
	}
	return leads
}
