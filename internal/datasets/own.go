package datasets

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
)

// ownSource is the source of your own CSV files. It holds out whole groups (data.split:
// group) or a part of the points of each group (data.split: point). What is held out depends
// only on data.seed, or on a column of the files.
//
// Training draws groups, N points of each, and N_c. If groups are held out, evaluation draws
// a context from each of them; all its other points are targets. If points are held out, the
// context is the training points of a group and the targets are its held-out points, as in
// speed-flow.
type ownSource struct {
	extents
	e       config.Experiment
	scaling Scaling
	x, y    []float32 // [points of all groups, dx or dy], in the model's units
	spans   []span
	names   []string // of the groups
	order   [][]int  // of each group: the row of each of its points; nil for the order of rows

	// The groups to train on, to validate on, to evaluate on and to calibrate on, by index.
	training, valid, test, calibration []int
	unused                             map[int]bool      // groups left out: they have too few points for the model
	held                               []points.Question // of the calibration
	warnings                           warning.Record

	points        []int // [lo, hi]: N ~ U{lo..hi} in training
	rounds        *rounds
	validation    []validBatch
	evalBatchSize int

	deck   deck
	chosen []int // groups of a batch, scratch
	picked []int // points of a group, scratch
}

func newOwnSource(e config.Experiment, dataDir string) (Source, error) {
	s := &ownSource{e: e}
	scan, err := rows.ScanFile(e.Data, dataDir)
	if err != nil {
		return nil, err
	}
	layout := scan.Layout(e.Data, &s.warnings)
	read, err := layout.ReadAll(e.Data.File, dataDir)
	if err != nil {
		return nil, err
	}
	if err := s.split(read); err != nil {
		return nil, err
	}
	if err := s.setPoints(); err != nil {
		return nil, err
	}
	if s.scaling, err = s.learn(read); err != nil {
		return nil, err
	}
	s.dx, s.dy = s.scaling.Dims()
	if err := s.store(read); err != nil {
		return nil, err
	}
	s.setSizes()
	if err := s.checkSizes(); err != nil {
		return nil, err
	}
	return s, s.planValidation()
}

// Warn adds lines on the rows and the groups of your own files that a source has left out.
func Warn(source Source, w *warning.Record) {
	s, ok := source.(*ownSource)
	if !ok {
		return
	}
	for _, line := range s.warnings.Lines() {
		w.Add("%s", line)
	}
	if n := len(s.unused); n > 0 {
		w.Add("%s: left out %s with too few rows for the model", s.e.Data.File, invalid.Plural(n, "group", "groups"))
	}
}

// store keeps the points in the model's units. It refuses numbers that scaling makes infinite.
func (s *ownSource) store(read rows.Table) error {
	dx, dy := s.Dims()
	most, all := 0, 0
	for _, g := range read.Groups {
		most, all = max(most, g.Len()), all+g.Len()
	}
	s.x, s.y = make([]float32, 0, all*dx), make([]float32, 0, all*dy)
	for i := range read.Groups {
		g := &read.Groups[i]
		x, y := s.scaling.ModelX(g.X), s.scaling.ModelY(g.Y)
		if raw, ok := s.scaling.tooFar(g.Points, x, y); ok {
			return read.Refuse(i, fmt.Sprintf("with %g, far outside the training part", raw), "numbers that scaling keeps finite")
		}
		if s.order[i] != nil {
			x, y = points.Pick(x, dx, s.order[i]), points.Pick(y, dy, s.order[i])
		}
		s.x, s.y, s.names = append(s.x, x...), append(s.y, y...), append(s.names, g.Name)
		s.hold(i, *g)
		g.Points = points.Points{}
	}
	s.deck = newDeck(most)
	return nil
}

// checkSizes refuses batches beyond the limits of package config. The number of points of evaluation
// batches and the number of one-hot columns depend on the files.
func (s *ownSource) checkSizes() error {
	size, levels := s.eval, max(s.e.Eval.NumTau, s.e.Model.EvalBootstraps, 1)
	dx, dy := s.Dims()
	if t := s.extents.train; t.Functions*t.Points*(dx+dy) > config.MaxNumbers {
		return refuse("train.batch_size", fmt.Sprintf("a batch of %d groups of %d points with %d columns", t.Functions, t.Points, dx+dy),
			"fewer groups, points or names in data.categories")
	}
	points := size.Functions * size.Points
	if points*(dx+dy) > config.MaxNumbers || points*levels > config.MaxRows {
		return refuse("eval.batch_size", fmt.Sprintf("a batch of %d groups of %d points", size.Functions, size.Points),
			"fewer groups, or fewer levels or bootstraps")
	}
	return nil
}

// Scaling returns the scaling, which is learned from the training part alone.
func (s *ownSource) Scaling() Scaling { return s.scaling }
