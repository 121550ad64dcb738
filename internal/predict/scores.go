package predict

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"sync"

	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict/conformal"
	"github.com/acqnp/acqnp/internal/random"
)

// Scores scores predictions at the outcomes that the targets of the questions state.
type Scores struct {
	Names
	Threads int // that compute scores; at least 1

	Warnings *warning.Record      // takes a line on outcomes of density 0; nil: they are errors
	Support  []likelihood.Support // of each channel, for this line; nil if they can be any number

	Outcomes   *score.Outcomes        // collects outcomes for a calibration; may be nil
	Calibrated *conformal.Calibration // changes the PITs to those of calibrated predictions; may be nil
	Tools      *Tools                 // are scored beside the predictions; may be nil
}

// Write adds the scores of all predictions to the tally, and writes them to a file, whole or not at
// all, unless path is "". The file has a row for each target and channel, with the columns of Names and of
// [ScoreValues]. Write returns the first error of the predictions, or that of an outcome without finite scores.
func (s Scores) Write(path string, tally *score.Tally, predictions iter.Seq2[Target, error]) error {
	each := func(write func(t Target, rows iter.Seq[[]string]) error) error {
		return s.Each(predictions, func(t Target, points []score.Point) error {
			if tally.Add(points); s.Outcomes != nil {
				s.Outcomes.Add(points)
			}
			if s.Tools != nil {
				if err := s.Tools.add(s, t, points); err != nil {
					return err
				}
			}
			return write(t, func(yield func([]string) bool) {
				for c, p := range points {
					if !yield((&Answer{Distribution: t.Channels[c], Score: p}).appendCells(s.row(nil, t, c), ScoreValues)) {
						return
					}
				}
			})
		})
	}
	if path == "" {
		return each(func(Target, iter.Seq[[]string]) error { return nil })
	}
	return tabular.Write(path, tabular.FormatOf(path), s.typed(columnsOf(ScoreValues)), func(out tabular.Writer) error {
		ordered := inOrder{Names: s.Names, to: out}
		return each(ordered.target)
	})
}

// JointScores adds the joint log density of the y of each group to the tally, unless one of them has the density 0:
// that is a line. The tally must have the questions' scores already. It returns ctx's error, that of [JointLogDensity], or one for
// a log density that is not finite.
func JointScores(ctx context.Context, p Predictor, questions []points.Question, tally *score.Tally, w *warning.Record) error {
	without, limited := 0, 0
	for i, q := range questions {
		if err := ctx.Err(); err != nil {
			return err
		}
		if q.Targets.Len() == 0 {
			continue
		}
		if q.Targets.Seen().Len() < q.Targets.Len() {
			limited++
			continue
		}
		sum, err := JointLogDensity(p, q)
		if err == nil && math.IsInf(sum, -1) {
			without++
			continue
		}
		if err == nil && (math.IsNaN(sum) || math.IsInf(sum, 0)) {
			err = notFinite(fmt.Sprintf("found a joint log density of %v, expected a finite number", sum))
		}
		if err != nil {
			return fmt.Errorf("group %d: %w", i, err)
		}
		tally.AddJoint(q.Name, sum)
	}
	if limited > 0 {
		w.Add("the joint log density leaves out %s with a target of which a limit is known", invalid.Plural(limited, "group", "groups"))
	}
	if without > 0 {
		w.Add("the joint log density leaves out %s with a target of density 0", invalid.Plural(without, "group", "groups"))
	}
	return nil
}

// scoredAtOnce is the number of targets in a block.
const scoredAtOnce = 256

// Each calls f with every target and the scores of its channels, in order.
func (s Scores) Each(predictions iter.Seq2[Target, error], f func(Target, []score.Point) error) error {
	var zero []impossible // of each channel
	err := compute(predictions, scoredAtOnce, s.Threads, s.points, func(t Target, points []score.Point) error {
		if zero == nil {
			zero = make([]impossible, len(points))
		}
		for c, p := range points {
			zero[c].add(p)
		}
		return f(t, points)
	})
	for c, z := range zero {
		s.warn(c, z)
		if err == nil && z.limits == z.all {
			err = &invalid.Input{File: "targets", Key: s.YNames[c], Found: "limits alone", Expected: "a target with a value of y too: of a limit no CRPS and no interval is known"}
		} else if z.limits > 0 {
			s.Warnings.Add("%d of %s of %s are limits: the log density has the probabilities of their sides, and CRPS, pinball losses, PIT and intervals leave them out",
				z.limits, invalid.Plural(z.all, "target", "targets"), s.YNames[c])
		}
	}
	return err
}

// impossible are the outcomes of a channel that have the density 0.
type impossible struct {
	count, all int
	limits     int      // outcomes of which a side is known
	texts      []string // of the first
}

func (z *impossible) add(p score.Point) {
	if p.Side != 0 {
		z.limits++
	}
	if z.all++; !p.Impossible() {
		return
	}
	if z.count++; z.count <= invalid.Shown+1 {
		text := number(p.Y)
		if p.Group != "" {
			text += " of " + p.Group
		}
		z.texts = append(z.texts, text)
	}
}

// warn adds a line about the outcomes of a channel that have the density 0.
func (s Scores) warn(c int, z impossible) {
	if z.count == 0 {
		return
	}
	takes := "numbers above 0, since every model takes the logarithm"
	if c < len(s.Support) && !s.Support[c].Real() {
		takes = s.Support[c].String()
	}
	s.Warnings.Add("%s of %d of %s has the density 0 (%s): outcomes of this fit are %s, as in its data; the log density is the mean over the others, and a fit with outcome real gives any number a density",
		s.YNames[c], z.count, invalid.Plural(z.all, "target", "targets"), invalid.First(z.texts), takes)
}

// compute calls each with every target and its result, in order. Of a block of size targets, so many threads compute the
// results.
func compute[R any](predictions iter.Seq2[Target, error], size, threads int, result func(Target) (R, error), each func(Target, R) error) error {
	var block []Target
	finish := func() error {
		results, failed := make([]R, len(block)), make([]error, len(block))
		var work sync.WaitGroup
		for first := range threads {
			work.Go(func() {
				for i := first; i < len(block); i += threads {
					results[i], failed[i] = result(block[i])
				}
			})
		}
		work.Wait()
		for i, t := range block {
			if failed[i] != nil {
				return fmt.Errorf("group %d, target %d: %w", t.Group, t.Target, failed[i])
			}
			if err := each(t, results[i]); err != nil {
				return err
			}
		}
		block = block[:0]
		return nil
	}
	for t, err := range predictions {
		if err != nil {
			return err
		}
		if block = append(block, t); len(block) == size {
			if err := finish(); err != nil {
				return err
			}
		}
	}
	return finish()
}

// notFinite is the error for a prediction that is not finite, or its scores.
type notFinite string

func (e notFinite) Error() string { return string(e) }

// ErrNotFinite is in the error for a prediction that is not finite, or its scores: the points may be too
// large for float32.
var ErrNotFinite = errors.New("not finite")

func (notFinite) Is(target error) bool { return target == ErrNotFinite }

// points returns the scores of each channel of a target.
func (s Scores) points(t Target) ([]score.Point, error) {
	q := s.Questions[t.Group]
	all, within := make([]score.Point, len(t.Channels)), random.New(0, random.Calibration|random.Draws)
	for c, d := range t.Channels {
		y, side := q.Targets.RowY(t.Target)[c], q.Targets.Limit(t.Target, c)
		var p score.Point
		u := within.Float(drawStep(t), uint64(c))
		if side == 0 {
			p = score.Of(d.Distribution, y, u)
		} else {
			p = score.OfLimit(d.Distribution, y, side)
		}
		if !p.Finite() && !(s.Warnings != nil && p.Impossible()) {
			return nil, notFinite(fmt.Sprintf("found a log density of %v and a CRPS of %v at y = %v, expected finite numbers", p.LogDensity, p.CRPS, p.Y))
		}
		if s.Outcomes != nil {
			p.Rank = likelihood.RegionRank(d.Distribution, p.Y, u)
		}
		if side == 0 {
			p.PIT = s.Calibrated.CDF(c, t.KnownOf(c), p.PIT)
		}
		p.Group = q.Name
		if q.Targets.Weights != nil {
			p.Weight = q.Targets.Weights[t.Target]
		}
		all[c] = p
	}
	return all, nil
}
