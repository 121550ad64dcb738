package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/acqnp/acqnp/internal/config/catalogue"
)

// points says with how many points a run was trained.
func (m measured) points() string {
	if p := m.Data.Points; len(p) == 2 {
		return fmt.Sprintf("%d to %d", p[0], p[1])
	}
	return "all"
}

// A group is the runs of a model on a benchmark with the same numbers of points.
type group struct {
	benchmark, model, points string
	runs                     []measured
}

// grouped gathers runs in the order of the paper's tables.
func grouped(runs []measured) (groups []group) {
	for _, m := range runs {
		b, _ := catalogue.Find(m.Experiment.Benchmark)
		benchmark, model := b.Printed, m.Label()
		i := slices.IndexFunc(groups, func(g group) bool {
			return g.benchmark == benchmark && g.model == model && g.points == m.points()
		})
		if i < 0 {
			i = len(groups)
			groups = append(groups, group{benchmark: benchmark, model: model, points: m.points()})
		}
		groups[i].runs = append(groups[i].runs, m)
	}
	slices.SortStableFunc(groups, func(a, b group) int {
		return cmp.Or(place(cell{benchmark: a.benchmark, model: a.model})-place(cell{benchmark: b.benchmark, model: b.model}),
			strings.Compare(a.model, b.model), strings.Compare(a.points, b.points))
	})
	return groups
}

// scores writes the CRPS and the coverage of the central intervals of each cell whose evaluation is kept, the mean
// over its seeds, with the deviation over them where there are three.
func scores(o options, dirs []string) error {
	runs, err := evaluated("eval.json", dirs)
	if err != nil {
		return err
	}
	rows := [][]string{strings.Split("benchmark|model|points|runs|CRPS|CRPS ±|in 50%, %|in 50%, % ±|in 90%, %|in 90%, % ±", "|")}
	for _, m := range runs {
		if m.Means == nil {
			return fmt.Errorf("%s: found an evaluation without scores", m.dir)
		}
	}
	for _, g := range grouped(runs) {
		row := []string{g.benchmark, g.model, g.points, strconv.Itoa(len(g.runs))}
		for _, of := range []struct {
			digits int
			value  func(measured) float64
		}{
			{4, func(m measured) float64 { return m.CRPS }},
			{1, func(m measured) float64 { return 100 * m.Coverage.Half }},
			{1, func(m measured) float64 { return 100 * m.Coverage.Most }},
		} {
			row = append(row, overRuns(valuesOf(g.runs, of.value), of.digits)...)
		}
		rows = append(rows, row)
	}
	return writeCSV(filepath.Join(o.data, "paper-scores.csv"), rows)
}

// lastFew is the number of checkpoints whose mean stands beside the last step.
const lastFew = 5

// last writes the log-likelihood of the last step beside the mean over the last few checkpoints and over all that were evaluated,
// with their deviations. The runs have files last-STEP.json.
func last(o options, dirs []string) error {
	runs, err := evaluated("last-*.json", dirs)
	if err != nil {
		return err
	}
	rows := [][]string{strings.Split("benchmark|model|points|checkpoints|context, last|context, mean|context, deviation|target, last|target, mean|target, deviation", "|")}
	for _, m := range runs {
		if m.Weights.Step == nil {
			return fmt.Errorf("%s: found an evaluation of weights without a step, expected one of a checkpoint", m.dir)
		}
	}
	for _, g := range grouped(runs) {
		slices.SortFunc(g.runs, func(a, b measured) int { return *b.Weights.Step - *a.Weights.Step })
		for _, n := range slices.Compact([]int{min(lastFew, len(g.runs)), len(g.runs)}) {
			row := []string{g.benchmark, g.model, g.points, strconv.Itoa(n)}
			for part, end := range g.runs[0].ll {
				mean, deviation := stat.MeanStdDev(valuesOf(g.runs[:n], func(m measured) float64 { return m.ll[part] }), nil)
				row = append(row, fmt.Sprintf("%.3f", end), fmt.Sprintf("%.3f", mean), fmt.Sprintf("%.3f", deviation))
			}
			rows = append(rows, row)
		}
	}
	return writeCSV(filepath.Join(o.data, "paper-last.csv"), rows)
}

func valuesOf(runs []measured, value func(measured) float64) (values []float64) {
	for _, m := range runs {
		values = append(values, value(m))
	}
	return values
}

// overRuns returns the mean of the values of runs as a table has it, and their deviation, "" of fewer than three.
func overRuns(values []float64, digits int) []string {
	mean, deviation := stat.MeanStdDev(values, nil)
	cells := []string{strconv.FormatFloat(mean, 'f', digits, 64), ""}
	if deviations(len(values)) {
		cells[1] = strconv.FormatFloat(deviation, 'f', digits, 64)
	}
	return cells
}
