package datasets

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
)

// speedFlow is the source of the paper's real data set: speed (y) by flow (x) on two lanes of a
// motorway. The two lanes are the functions of every batch. A part of the points of each lane is
// held out. Training splits the others into context and targets, at each step in one of
// data.partitions fixed ways. In evaluation the training points are the context and the held-out
// points the targets.
type speedFlow struct {
	extents
	data    config.Data
	scaling Scaling
	known   int         // training points of a lane
	x, y    [][]float32 // [lane][point] in model units, the training points first
	perm    []int       // [known], scratch
}

func newSpeedFlow(e config.Experiment, b catalogue.Benchmark, dataDir string) (Source, error) {
	dir := filepath.Join(dataDir, b.Name)
	lanes, err := readLanes(dir, b, e.Data.Files)
	if err != nil {
		return nil, err
	}
	s := &speedFlow{data: e.Data}
	n := len(lanes[0].flow)
	s.known = trainingPart(e.Data.TrainFraction, n)
	if err := s.check(n); err != nil {
		return nil, err
	}
	if s.scaling, err = laneScaling(dir, lanes, e.Data.FlowRange); err != nil {
		return nil, err
	}
	split, order := random.New(e.Data.Seed, random.Split), make([]int, n)
	for i, l := range lanes {
		split.Perm(uint64(i), order)
		s.x = append(s.x, points.Pick(s.scaling.ModelX(l.flow), 1, order))
		s.y = append(s.y, points.Pick(s.scaling.ModelY(l.speed), 1, order))
	}
	s.perm = make([]int, s.known)
	s.extents = extents{dx: 1, dy: 1, train: Size{len(lanes), s.known, e.Data.Context[1]}, eval: Size{len(lanes), n, s.known}, batches: 1,
		trainKeys: SizeKeys{Context: "data.context"}}
	return s, nil
}

// check refuses a configuration that needs more than the n rows of a lane.
func (s *speedFlow) check(n int) error {
	d := s.data
	if s.known < 2 || s.known >= n {
		return refuse("data.train_fraction", d.TrainFraction, "a fraction that leaves some of the %d rows of a lane on both sides", n)
	}
	if d.Context[1] >= s.known {
		return refuse("data.context", d.Context, "[lo, hi] with hi < %d, the training points of a lane", s.known)
	}
	return nil
}

// laneScaling maps 0 and the largest flow of both lanes to flowRange, and 0 and the largest speed
// to 0 and 1.
func laneScaling(dir string, lanes []lane, flowRange []float64) (Scaling, error) {
	flow := slices.Max(slices.Concat(lanes[0].flow, lanes[1].flow))
	speed := slices.Max(slices.Concat(lanes[0].speed, lanes[1].speed))
	if !(flow > 0 && speed > 0) {
		return Scaling{}, &invalid.Input{File: dir, Found: fmt.Sprintf("a largest flow of %g and a largest speed of %g", flow, speed),
			Expected: "numbers above 0"}
	}
	xOffset, xScale := into(flowRange[0], flowRange[1], flow)
	yOffset, yScale := into(0, 1, speed)
	return Scaling{XOffset: []float64{xOffset}, XScale: []float64{xScale}, YOffset: []float64{yOffset}, YScale: []float64{yScale}}, nil
}

// Scaling returns the scaling, which uses the maxima over all points of both lanes.
func (s *speedFlow) Scaling() Scaling { return s.scaling }

// Train makes the partition of a step, number step modulo data.partitions. It depends only on
// data.seed, so all models and all values of train.seed train on the same partitions.
func (s *speedFlow) Train(step int, dst *Batch) error {
	partition := uint64(step % s.data.Partitions)
	lo, hi := s.data.Context[0], s.data.Context[1]
	context := lo + random.New(s.data.Seed, random.Sizes).IntN(partition, 0, hi-lo+1)
	dst.Reshape(Size{len(s.x), s.known, context}, 1, 1)
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

// Eval makes the one test batch: the training points as context, the held-out points as targets.
func (s *speedFlow) Eval(i int, dst *Batch) error {
	if i != 0 {
		return &invalid.Input{Key: "eval.batches", Found: fmt.Sprintf("more than %d", i), Expected: "1: speed-flow has one test set"}
	}
	n := len(s.x[0])
	dst.Reshape(s.eval, 1, 1)
	for i := range s.x {
		copy(dst.X[i*n:], s.x[i])
		copy(dst.Y[i*n:], s.y[i])
	}
	return nil
}
