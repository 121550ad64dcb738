package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/report/figures"
	"github.com/acqnp/acqnp/internal/run"
)

// Random splits of the lanes.
const (
	splits     = 20_000
	heldShare  = 0.25
	splitsSeed = 1
)

// open opens a trained run with its data.
func open(o options, dir string) (figures.Run, error) {
	stored := predict.Stored{Run: dir, Checkpoint: run.Preferred}
	e, err := stored.Experiment(nil)
	if err != nil {
		return figures.Run{}, err
	}
	return figures.OpenRun(stored, e, o.sets, device.CPU(1), func(string) {})
}

// lanes writes two tables of the runs on speed-flow: the log-likelihood of a quarter of the points over
// random splits, under the trained model with its own context, and the width of its intervals. A row is the mean over the runs of a
// model, and ± their deviation where there are three.
func lanes(o options, dirs []string) error {
	bySplit, widths := laneTable{columns: splitColumns, of: map[string][][]float64{}}, laneTable{columns: widthColumns, of: map[string][][]float64{}}
	for _, dir := range dirs {
		r, err := open(o, dir)
		if err != nil {
			return err
		}
		if r.Experiment.Benchmark != "speed-flow" {
			return fmt.Errorf("%s is of %s, expected speed-flow", dir, r.Experiment.Benchmark)
		}
		points, bands, err := lanePoints(r)
		if err != nil {
			return err
		}
		name := r.Experiment.Label()
		bySplit.add(name, splitRow(points, r.Experiment.Model.Name))
		widths.add(name, bands.row())
	}
	if err := writeCSV(filepath.Join(o.data, "paper-speed-flow-splits.csv"), bySplit.rows()); err != nil {
		return err
	}
	return writeCSV(filepath.Join(o.data, "paper-speed-flow-bands.csv"), widths.rows())
}

// A laneTable gathers numbers of runs by model.
type laneTable struct {
	columns []laneColumn
	models  []string               // in the order of the runs
	of      map[string][][]float64 // [runs, columns]
}

// A laneColumn is a column of a table, with its decimals.
type laneColumn struct {
	name   string
	digits int
}

var (
	splitColumns = []laneColumn{{"target, mean of splits", 3}, {"deviation of splits", 4}, {"splits at or below the paper's, %", 1}, {"splits as far below their context as the paper's, %", 1}}
	widthColumns = []laneColumn{{"held-out points inside, %", 1}, {"mean width, mph", 2}, {"half of the points are narrower than", 2}}
)

func (t *laneTable) add(model string, row []float64) {
	if t.of[model] == nil {
		t.models = append(t.models, model)
	}
	t.of[model] = append(t.of[model], row)
}

func (t *laneTable) rows() [][]string {
	header := []string{"model", "runs"}
	for _, c := range t.columns {
		header = append(header, c.name, c.name+" ±")
	}
	rows := [][]string{header}
	for _, model := range t.models {
		runs := t.of[model]
		row := []string{model, fmt.Sprint(len(runs))}
		for i, c := range t.columns {
			var values []float64
			for _, run := range runs {
				values = append(values, run[i])
			}
			row = append(row, overRuns(values, c.digits)...)
		}
		rows = append(rows, row)
	}
	return rows
}

// intervals are the central intervals of 90% of the held-out points.
type intervals struct {
	inside float64
	widths []float64
}

// row returns the widthColumns.
func (v intervals) row() []float64 {
	slices.Sort(v.widths)
	return []float64{100 * v.inside / float64(len(v.widths)), stat.Mean(v.widths, nil), stat.Quantile(0.5, stat.Empirical, v.widths, nil)}
}

// lanePoints returns the log-likelihood of each point of each lane, in the units of the model, with the
// training points as context, and the intervals of the held-out points.
func lanePoints(r figures.Run) (lanes [][]float64, bands intervals, err error) {
	subjects, err := figures.Subjects(r.Source, r.Ask.Units.Scaling, 2)
	if err != nil {
		return nil, bands, err
	}
	shift := r.Ask.Units.Scaling.RawShift()
	for _, s := range subjects {
		all := s.Known.Cut(0, s.Known.Len())
		all.Append(s.Held)
		y := all.Y
		var lane []float64
		for t, err := range r.Ask.Predict(context.Background(), []points.Question{{Name: s.Name, Known: s.Known, Targets: all}}) {
			if err != nil {
				return nil, bands, err
			}
			d := t.Channels[0]
			lane = append(lane, d.LogDensity(y[t.Target])-shift)
			if t.Target >= s.Known.Len() {
				lo, hi := d.Quantile(0.05), d.Quantile(0.95)
				bands.widths = append(bands.widths, hi-lo)
				if lo <= y[t.Target] && y[t.Target] <= hi {
					bands.inside++
				}
			}
		}
		lanes = append(lanes, lane)
	}
	return lanes, bands, nil
}

// splitRow returns the splitColumns of a run: what random quarters of each lane have, and the rest of it.
func splitRow(lanes [][]float64, model string) []float64 {
	paper, _ := catalogue.Paper("speed-flow", model)
	random := rand.New(rand.NewPCG(splitsSeed, 0))
	var means []float64
	below, apart := 0, 0
	for range splits {
		var held, known []float64
		for _, lane := range lanes {
			random.Shuffle(len(lane), func(i, j int) { lane[i], lane[j] = lane[j], lane[i] })
			n := int(heldShare*float64(len(lane)) + 0.5)
			held, known = append(held, lane[:n]...), append(known, lane[n:]...)
		}
		t, c := stat.Mean(held, nil), stat.Mean(known, nil)
		means = append(means, t)
		if t <= paper.Target.Mean {
			below++
		}
		if c-t >= paper.Context.Mean-paper.Target.Mean {
			apart++
		}
	}
	mean, deviation := stat.MeanStdDev(means, nil)
	return []float64{mean, deviation, 100 * float64(below) / splits, 100 * float64(apart) / splits}
}
