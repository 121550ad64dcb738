package paper

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
)

// speedFlow is the source of the paper's real data set: speed (y) by flow (x) on two lanes of a
// motorway. The two lanes are the groups of every batch. A part of the points of each lane is
// held out. Training splits the others into context and targets, at each step in one of
// data.partitions fixed ways. In evaluation the training points are the context and the held-out
// points the targets.
type speedFlow struct {
	data  config.Data
	known int         // training points of a lane
	x, y  [][]float32 // [lane][point] in model units, the training points first
	perm  []int       // [known], scratch
}

func newSpeedFlow(e config.Experiment, b catalogue.Benchmark, dataDir string) (*datasets.Source, error) {
	dir := filepath.Join(dataDir, b.Name)
	lanes, err := readLanes(dir, b, e.Data.Files)
	if err != nil {
		return nil, err
	}
	s := &speedFlow{data: e.Data}
	n := len(lanes[0].flow)
	s.known = datasets.Share(e.Data.TrainFraction, n)
	if err := s.check(n); err != nil {
		return nil, err
	}
	scaling, err := laneScaling(dir, lanes, e.Data.FlowRange)
	if err != nil {
		return nil, err
	}
	for i, l := range lanes {
		order := random.New(e.Data.Seed, random.Split).Order(uint64(i), n)
		s.x = append(s.x, points.Pick(scaling.ModelX(l.flow), 1, order))
		s.y = append(s.y, points.Pick(scaling.ModelY(l.speed), 1, order))
	}
	s.perm = make([]int, s.known)
	return &datasets.Source{DX: 1, DY: 1, Scaling: scaling, Eval: datasets.Batches{Size: datasets.Size{Groups: len(lanes), Points: n, Context: s.known}, Count: 1, Make: s.eval},
		Train: datasets.Batches{Size: datasets.Size{Groups: len(lanes), Points: s.known, Context: e.Data.Context[1]}, Keys: datasets.SizeKeys{Context: "data.context"}, Make: s.train}}, nil
}

// check refuses a configuration that needs more than the n rows of a lane.
func (s *speedFlow) check(n int) error {
	d := s.data
	if s.known < 2 || s.known >= n {
		return datasets.Refuse("data.train_fraction", d.TrainFraction, "a fraction that leaves some of the %d rows of a lane on both sides", n)
	}
	if d.Context[1] >= s.known {
		return datasets.Refuse("data.context", d.Context, "[lo, hi] with hi < %d, the training points of a lane", s.known)
	}
	return nil
}

// laneScaling maps 0 and the largest flow of all points of both lanes to flowRange, and 0 and the largest
// speed to 0 and 1.
func laneScaling(dir string, lanes []lane, flowRange []float64) (datasets.Scaling, error) {
	flow := slices.Max(slices.Concat(lanes[0].flow, lanes[1].flow))
	speed := slices.Max(slices.Concat(lanes[0].speed, lanes[1].speed))
	if !(flow > 0 && speed > 0) {
		return datasets.Scaling{}, &invalid.Input{File: dir, Found: fmt.Sprintf("a largest flow of %g and a largest speed of %g", flow, speed),
			Expected: "numbers above 0"}
	}
	xOffset, xScale := into(flowRange[0], flowRange[1], flow)
	yOffset, yScale := into(0, 1, speed)
	return datasets.Scaling{XOffset: []float64{xOffset}, XScale: []float64{xScale}, YOffset: []float64{yOffset}, YScale: []float64{yScale}}, nil
}

// train makes the partition of a step, number step modulo data.partitions. It depends only on
// data.seed, so all models and all values of train.seed train on the same partitions.
func (s *speedFlow) train(step int, dst *datasets.Batch) error {
	partition := uint64(step % s.data.Partitions)
	lo, hi := s.data.Context[0], s.data.Context[1]
	context := random.New(s.data.Seed, random.Sizes).Between(partition, 0, lo, hi)
	dst.Reshape(datasets.Size{Groups: len(s.x), Points: s.known, Context: context}, 1, 1)
	shuffle := random.New(s.data.Seed, random.Shuffle)
	for i := range s.x {
		shuffle.Perm(partition*uint64(len(s.x))+uint64(i), s.perm)
		at := i * s.known
		for k, from := range s.perm {
			dst.X[at+k], dst.Y[at+k] = s.x[i][from], s.y[i][from]
		}
	}
	return nil
}

// eval makes the one test batch: the training points as context, the held-out points as targets.
func (s *speedFlow) eval(i int, dst *datasets.Batch) error {
	if i != 0 {
		return &invalid.Input{Key: "eval.batches", Found: fmt.Sprintf("more than %d", i), Expected: "1: speed-flow has one test set"}
	}
	n := len(s.x[0])
	dst.Reshape(datasets.Size{Groups: len(s.x), Points: n, Context: s.known}, 1, 1)
	for i := range s.x {
		copy(dst.X[i*n:], s.x[i])
		copy(dst.Y[i*n:], s.y[i])
	}
	return nil
}

// into returns the offset and scale that map 0 to lo and largest to hi.
func into(lo, hi, largest float64) (offset, scale float64) {
	scale = largest / (hi - lo)
	return 0 - lo*scale, scale // 0 − 0 is 0, not −0
}
