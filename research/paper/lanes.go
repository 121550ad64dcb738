package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

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
	e, err := stored.Experiment()
	if err != nil {
		return figures.Run{}, err
	}
	return figures.OpenRun(stored, e, o.sets, device.CPU(1), func(string) {})
}

// lanes writes two tables of the runs on speed-flow: the log-likelihood of a quarter of the points over
// random splits, under the trained model with its own context, and the width of its intervals.
func lanes(o options, dirs []string) error {
	bySplit := [][]string{strings.Split("model|train.seed|the paper's target|target, mean of splits|deviation of splits|splits at or below the paper's, %|splits as far below their context as the paper's, %", "|")}
	widths := [][]string{strings.Split("model|train.seed|held-out points inside, %|mean width, mph|mean width, mph ±|half of the points are narrower than", "|")}
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
		name := r.Experiment.Model.Name
		row := []string{strings.ToUpper(name), fmt.Sprint(r.Experiment.Train.Seed)}
		bySplit = append(bySplit, append(slices.Clone(row), splitRow(points, name)...))
		widths = append(widths, append(row, bands.row()...))
	}
	if err := writeCSV(filepath.Join(o.data, "paper-speed-flow-splits.csv"), bySplit); err != nil {
		return err
	}
	return writeCSV(filepath.Join(o.data, "paper-speed-flow-bands.csv"), widths)
}

// intervals are the central intervals of 90% of the held-out points.
type intervals struct {
	inside float64
	widths []float64
}

func (v intervals) row() []string {
	mean, deviation := stat.MeanStdDev(v.widths, nil)
	n := float64(len(v.widths))
	slices.Sort(v.widths)
	return []string{fmt.Sprintf("%.1f", 100*v.inside/n), fmt.Sprintf("%.2f", mean), fmt.Sprintf("%.2f", stat.StdErr(deviation, n)),
		fmt.Sprintf("%.2f", stat.Quantile(0.5, stat.Empirical, v.widths, nil))}
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

// splitRow returns the columns of a model: what random quarters of each lane have, and the rest of it.
func splitRow(lanes [][]float64, model string) []string {
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
	return []string{fmt.Sprintf("%.3f", paper.Target.Mean), fmt.Sprintf("%.3f", mean), fmt.Sprintf("%.3f", deviation),
		fmt.Sprintf("%.1f", 100*float64(below)/splits), fmt.Sprintf("%.1f", 100*float64(apart)/splits)}
}
