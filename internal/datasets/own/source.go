// Package own is the source of a user's own tables: what their rows are for (split.go), the units of the model
// (scaling.go), and batches of training, evaluation and validation. The folder draft writes configurations for them.
package own

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
)

// A source holds out whole groups (data.split: group) or a part of the points of each group (data.split:
// point). What is held out for validation and test depends only on data.seed, or on a column of the files; what
// calibrates, on neither.
//
// Training draws groups, N points of each, and N_c. If groups are held out, evaluation draws
// a context from each of them; all its other points are targets. If points are held out, the
// context is the training points of a group and the targets are its held-out points, as in
// speed-flow.
type source struct {
	*split
	e      config.Experiment
	dx, dy int       // the columns that the model sees
	x, y   []float32 // [points of all groups, dx or dy], in the model's units

	points        []int // [lo, hi]: N ~ U{lo..hi} in training
	rounds        *rounds
	validation    []validBatch
	evalBatchSize int

	deck   deck
	chosen []int // groups of a batch, scratch
	picked []int // points of a group, scratch
}

// Open returns the source of the tables that data.file names, here or in the folder csv of dataDir. A missing or wrong
// file, or one with too little data for the configuration, is an *invalid.Input.
func Open(e config.Experiment, dataDir string) (*datasets.Source, error) {
	var warnings warning.Record
	scan, err := rows.ScanFile(e.Data, dataDir)
	if err != nil {
		return nil, err
	}
	layout := scan.Layout(e.Data, &warnings)
	read, err := layout.ReadAll(e.Data.File, dataDir)
	if err != nil {
		return nil, err
	}
	split, err := newSplit(e, read)
	if err != nil {
		return nil, err
	}
	s := &source{split: split, e: e}
	if err := s.setPoints(); err != nil {
		return nil, err
	}
	scaling, err := s.learn(read)
	if err != nil {
		return nil, err
	}
	s.dx, s.dy = scaling.Dims()
	held := s.held(read)
	if err := s.store(read, scaling); err != nil {
		return nil, err
	}
	o := &datasets.Source{DX: s.dx, DY: s.dy, Scaling: scaling, EvalNames: s.evalNames, EvaluatedPart: s.evaluatedPart(), Split: s.writeSplit, Calibration: held,
		Train: datasets.Batches{Size: s.trainSize(), Make: s.train, Keys: datasets.SizeKeys{Groups: "train.batch_size", Points: "data.points", Context: "data.context"}},
		Eval:  s.evaluation()}
	if err := s.checkSizes(o.Train.Size, o.Eval.Size); err != nil {
		return nil, err
	}
	if o.Valid, err = s.planValidation(); err != nil {
		return nil, err
	}
	o.Warnings = warnings.Lines()
	if n := len(s.unused); n > 0 {
		o.Warnings = append(o.Warnings, fmt.Sprintf("%s: left out %s with too few rows for the model", e.Data.File, invalid.Plural(n, "group", "groups")))
	}
	if n := s.unevaluated(); n > 0 {
		o.Warnings = append(o.Warnings, fmt.Sprintf("%s: an evaluation leaves out %s of groups that are too large for a batch", e.Data.File, invalid.Plural(n, "point", "points")))
	}
	return o, nil
}

// store moves the points from read, which it empties, into the model's units. held has looked at them before. It refuses numbers that scaling makes infinite.
func (s *source) store(read rows.Table, scaling datasets.Scaling) error {
	most := 0
	for i := range read.Groups {
		g := &read.Groups[i]
		x, y := scaling.ModelX(g.X), scaling.ModelY(g.Y)
		if raw, ok := tooFar(scaling, g.Points, x, y); ok {
			return read.Refuse(i, fmt.Sprintf("with %g, far outside the training part", raw), "numbers that scaling keeps finite")
		}
		if s.order[i] != nil {
			x, y = points.Pick(x, s.dx, s.order[i]), points.Pick(y, s.dy, s.order[i])
		}
		s.x, s.y = append(s.x, x...), append(s.y, y...)
		most = max(most, g.Len())
		g.Points = points.Points{}
	}
	s.deck = deck{cards: points.Spread(most, most)}
	return nil
}

// checkSizes refuses batches beyond the limits of package config. The number of points of evaluation
// batches and the number of one-hot columns depend on the files.
func (s *source) checkSizes(train, eval datasets.Size) error {
	width, levels := s.dx+s.dy, max(s.e.Eval.NumTau, s.e.Model.EvalBootstraps, 1)
	if train.Groups*train.Points*width > config.MaxNumbers {
		return datasets.Refuse("train.batch_size", fmt.Sprintf("a batch of %d groups of %d points with %d columns", train.Groups, train.Points, width),
			"fewer groups, points or names in data.categories")
	}
	if points := eval.Groups * eval.Points; points*width > config.MaxNumbers || points*levels > config.MaxRows {
		return datasets.Refuse("eval.batch_size", fmt.Sprintf("a batch of %d groups of %d points", eval.Groups, eval.Points),
			"fewer groups, or fewer levels or bootstraps")
	}
	return nil
}
