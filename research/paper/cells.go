package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/config/catalogue"
)

// paperSeeds is the number of seeds behind each of the paper's figures.
const paperSeeds = 6

// The table of all runs, and the points of its runs by the paper's protocol.
const cellsFile = "paper-cells.csv"

var asThePaper = []string{"6 to 100", "all"}

// A cell is a model on a benchmark as its runs by the paper's protocol have it, and as the paper has it.
type cell struct {
	benchmark, model string // as tables print them; as config.Label has it
	runs             int
	parts            [2]figure // context, target
}

// paperModel is the paper's name of a cell's model.
func (c cell) paperModel() string {
	name, _, _ := strings.Cut(c.model, ", ")
	return name
}

// The parts of a cell.
const (
	ofContext = iota
	ofTarget
)

// A figure is a mean log-likelihood.
type figure struct {
	mean, spread float64          // spread: of one run its standard error, of three and more their deviation
	paper        catalogue.Number // whose Spread is over six seeds
}

// deviations reports whether the spread of so many runs is their own deviation.
func deviations(runs int) bool { return runs >= 3 }

// variances returns those of our mean and of the paper's. The paper does not say whether its ± is a
// deviation over seeds or the error of a mean, which is √6 times as small. Of one or two runs, our
// mean has the seeds' variance beside that of its evaluation: of one run, the difference to the paper then has
// the error √(SE² + s²(1 + 1/6)), or √(SE² + 7s²).
func (f figure) variances(runs int, asError bool) (own, paper float64) {
	seed := f.paper.Spread * f.paper.Spread
	if asError {
		seed *= paperSeeds
	}
	own = f.spread * f.spread
	if !deviations(runs) {
		own += seed
	}
	return own / float64(runs), seed / paperSeeds
}

// A lead is a difference of log-likelihoods with its errors, [0] if the paper's ± are deviations and [1]
// if they are errors.
type lead struct {
	value  float64
	errors [2]float64
}

func (l lead) score(i int) float64 { return l.value / l.errors[i] }

// beyond returns our figure less the paper's.
func (c cell) beyond(part int) (l lead) {
	f := c.parts[part]
	l.value = f.mean - f.paper.Mean
	for i := range l.errors {
		own, paper := f.variances(c.runs, i == 1)
		l.errors[i] = math.Sqrt(own + paper)
	}
	return l
}

// ahead returns our figure of a cell less our figure of another.
func (c cell) ahead(of cell, part int) (l lead) {
	l.value = c.parts[part].mean - of.parts[part].mean
	for i := range l.errors {
		a, _ := c.parts[part].variances(c.runs, i == 1)
		b, _ := of.parts[part].variances(of.runs, i == 1)
		l.errors[i] = math.Sqrt(a + b)
	}
	return l
}

// readCells returns the measured cells of paper-cells.csv that were trained on such numbers of points. Of a seed that was trained
// twice, the run in float32 counts. Runs of different seeds are averaged.
func readCells(path string, points ...string) ([]cell, error) {
	rows, err := readCSV(path)
	if err != nil {
		return nil, err
	}
	var cells []cell
	seen := map[string]bool{}
	slices.SortStableFunc(rows, func(a, b map[string]string) int { // float32 first
		return strings.Compare(strconv.FormatBool(a["trained in"] != "float32"), strconv.FormatBool(b["trained in"] != "float32"))
	})
	for _, row := range rows {
		key := row["benchmark"] + row["model"] + row["train.seed"]
		if row["context"] == "" || !slices.Contains(points, row["points"]) || seen[key] {
			continue
		}
		seen[key] = true
		c, err := newCell(row)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		i := slices.IndexFunc(cells, func(d cell) bool { return d.benchmark == c.benchmark && d.model == c.model })
		if i < 0 {
			cells = append(cells, c)
			continue
		}
		cells[i] = cells[i].with(c)
	}
	slices.SortStableFunc(cells, func(a, b cell) int { return place(a) - place(b) })
	return cells, nil
}

// with returns a cell with one more run.
func (c cell) with(run cell) cell {
	n := float64(c.runs)
	for i := range c.parts {
		a, b := &c.parts[i], run.parts[i]
		a.mean = (n*a.mean + b.mean) / (n + 1)
		a.spread = math.Sqrt((n*a.spread*a.spread + b.spread*b.spread) / (n + 1))
	}
	c.runs++
	return c
}

// newCell returns a cell of a row.
func newCell(row map[string]string) (c cell, err error) {
	c = cell{benchmark: row["benchmark"], model: row["model"], runs: 1}
	if first, last, several := strings.Cut(row["train.seed"], " to "); several {
		a, errA := strconv.Atoi(first)
		b, errB := strconv.Atoi(last)
		if c.runs = b - a + 1; errA != nil || errB != nil || !deviations(c.runs) {
			return c, fmt.Errorf("found the seeds %q, expected one, or three and more as 0 to 2", row["train.seed"])
		}
	}
	i := slices.IndexFunc(catalogue.All(), func(b catalogue.Benchmark) bool { return b.Printed == c.benchmark })
	if i < 0 {
		return c, fmt.Errorf("found the benchmark %q, expected one of the paper's", c.benchmark)
	}
	paper, ok := catalogue.Paper(catalogue.All()[i].Name, strings.ToLower(c.paperModel()))
	if !ok {
		return c, fmt.Errorf("found %s on %s, which the paper does not have", c.model, c.benchmark)
	}
	for part, name := range []string{"context", "target"} {
		f := &c.parts[part]
		f.paper = [2]catalogue.Number{paper.Context, paper.Target}[part]
		if f.mean, err = strconv.ParseFloat(row[name], 64); err == nil {
			f.spread, err = strconv.ParseFloat(row[name+" ±"], 64)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}

// place is a cell's place in the paper's tables, which variants share.
func place(c cell) int {
	order := strings.Fields("CNP CANP BNP CQNP ACQNP")
	b := slices.IndexFunc(catalogue.All(), func(b catalogue.Benchmark) bool { return b.Printed == c.benchmark })
	return len(order)*b + slices.Index(order, c.paperModel())
}

// differences is the table of the cells less the paper's.
func differences(cells []cell) [][]string {
	rows := [][]string{strings.Split("benchmark|model|runs|context|context ±|context, errors|context, errors if ± is an error|"+
		"target|target ±|target, errors|target, errors if ± is an error", "|")}
	for _, c := range cells {
		row := []string{c.benchmark, c.model, strconv.Itoa(c.runs)}
		for part := range c.parts {
			l := c.beyond(part)
			row = append(row, signed(l.value), fmt.Sprintf("%.3f", l.errors[0]), fmt.Sprintf("%+.1f", l.score(0)), fmt.Sprintf("%+.1f", l.score(1)))
		}
		rows = append(rows, row)
	}
	return rows
}

func signed(v float64) string { return fmt.Sprintf("%+.3f", v) }

// readCSV returns the rows of a CSV file by the names of its columns.
func readCSV(path string) (rows []map[string]string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil || len(all) == 0 {
		return nil, fmt.Errorf("%s: %d lines, error %v", path, len(all), err)
	}
	for _, record := range all[1:] {
		row := map[string]string{}
		for i, value := range record {
			row[all[0][i]] = value
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// writeCSV writes a header and rows.
func writeCSV(path string, rows [][]string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	if err := w.WriteAll(rows); err != nil {
		return err
	}
	return f.Close()
}
