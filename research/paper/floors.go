package main

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/run"
)

// A measured is a run with its evaluation.
type measured struct {
	dir string
	config.Experiment
	run.Eval
	ll [2]float64 // context, target
}

// evaluated returns the runs below directories that have an evaluation of the given name.
func evaluated(name string, dirs []string) (all []measured, err error) {
	for _, dir := range dirs {
		err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			if matches, _ := filepath.Match(name, entry.Name()); !matches {
				return nil
			}
			m := measured{dir: filepath.Dir(path)}
			if m.Eval, err = run.ReadEval(path); err != nil {
				return err
			}
			m.ll = [2]float64{m.ContextLL.Mean, m.TargetLL.Mean}
			m.Experiment, err = config.Load(filepath.Join(m.dir, "config.yaml"), config.Overrides{})
			all = append(all, m)
			return err
		})
		if err == nil && len(all) == 0 {
			err = fmt.Errorf("found no %s below %s", name, dir)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// floorRuns is the table of runs with a floor of σ.
const floorRuns = "paper-floors-runs.csv"

// floors writes the runs with a floor of σ of 0.1 and of 0.01, and their differences, paired by seed and split.
// Runs that the table has already stay.
func floors(o options, dirs []string) error {
	runs, err := evaluated("eval.json", dirs)
	if err != nil {
		return err
	}
	path := filepath.Join(o.data, floorRuns)
	old, err := readCSV(path)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, m := range runs {
		b, _ := catalogue.Find(m.Experiment.Benchmark)
		rows = append(rows, []string{b.Printed, strings.ToUpper(m.Experiment.Model.Name), number(m.Experiment.Model.SigmaFloor), fmt.Sprint(m.Train.Seed),
			fmt.Sprint(m.Data.Seed), fmt.Sprintf("%.3f", m.ll[ofContext]), fmt.Sprintf("%.3f", m.ll[ofTarget])})
	}
	for _, r := range old {
		row := []string{r["benchmark"], r["model"], r["floor"], r["train.seed"], r["data.seed"], r["context"], r["target"]}
		if !slices.ContainsFunc(rows, func(other []string) bool { return slices.Equal(other[:5], row[:5]) }) {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, slices.Compare)
	header := strings.Split("benchmark|model|floor|train.seed|data.seed|context|target", "|")
	if err := writeCSV(path, append([][]string{header}, rows...)); err != nil {
		return err
	}
	return writeCSV(filepath.Join(o.data, "paper-floors.csv"), gains(rows))
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// gains returns the means of each model over runs of equal seeds and splits, and what the lower floor adds.
func gains(runs [][]string) [][]string {
	out := [][]string{strings.Split("benchmark|model|runs|context, floor 0.1|context, floor 0.01|context, gain|context, gain ±|target, floor 0.1|target, floor 0.01|target, gain|target, gain ±", "|")}
	pairs := map[string][][2][]string{}
	var order []string
	for _, low := range runs {
		for _, high := range runs {
			if low[2] == "0.01" && high[2] == "0.1" && slices.Equal(low[:2], high[:2]) && slices.Equal(low[3:5], high[3:5]) {
				key := low[0] + "," + low[1]
				if pairs[key] == nil {
					order = append(order, key)
				}
				pairs[key] = append(pairs[key], [2][]string{high, low})
			}
		}
	}
	for _, key := range order {
		benchmark, model, _ := strings.Cut(key, ",")
		row := []string{benchmark, model, strconv.Itoa(len(pairs[key]))}
		for column := 5; column <= 6; column++ {
			var high, gain []float64
			for _, p := range pairs[key] {
				a, _ := strconv.ParseFloat(p[0][column], 64)
				b, _ := strconv.ParseFloat(p[1][column], 64)
				high, gain = append(high, a), append(gain, b-a)
			}
			mean, deviation := stat.MeanStdDev(gain, nil)
			before, spread := stat.Mean(high, nil), ""
			if n := len(gain); n > 1 {
				spread = fmt.Sprintf("%.3f", stat.StdErr(deviation, float64(n)))
			}
			row = append(row, fmt.Sprintf("%.3f", before), fmt.Sprintf("%.3f", before+mean), signed(mean), spread)
		}
		out = append(out, row)
	}
	return out
}
