package predict

import (
	"context"
	"fmt"

	"github.com/acqnp/acqnp/internal/points"
)

// A Piece is a part of the targets of one group: Number of them, from First on.
type Piece struct{ Group, First, Number int }

// targetsPerRun is the largest number of targets in one run. It bounds the memory of a prediction.
const targetsPerRun = 512

// Targets yields the targets of a piece of a group with so many known points. run predicts n targets from
// first on, and at returns the distributions at one of these. Targets returns false if the sequence ends.
func (p Piece) Targets(ctx context.Context, known int, run func(first, n int) error, at func(i int) ([]Distribution, error),
	yield func(Target, error) bool) bool {
	for first := p.First; first < p.First+p.Number; first += targetsPerRun {
		n, err := min(targetsPerRun, p.First+p.Number-first), ctx.Err()
		if err == nil {
			err = run(first, n)
		}
		if err != nil {
			yield(Target{}, err)
			return false
		}
		for i := range n {
			t := Target{Group: p.Group, Target: first + i, Known: known}
			if t.Channels, err = at(i); err != nil {
				yield(Target{}, fmt.Errorf("group %d, target %d: %w", t.Group, t.Target, err))
				return false
			}
			if !yield(t, nil) {
				return false
			}
		}
	}
	return true
}

// Whole returns pieces that are all targets of each question.
func Whole(questions []points.Question) (all []Piece) {
	for i, q := range questions {
		all = append(all, Piece{Group: i, Number: q.Targets.Len()})
	}
	return all
}

// smallestPiece is the least number of targets of a piece. A run of the model on fewer targets would spend
// most of its time on the context.
const smallestPiece = 32

// Pieces divides the targets of questions into about number pieces or more, which several Predictors
// can take at once.
func Pieces(questions []points.Question, number int) []Piece {
	total := CountTargets(questions)
	size := min(max((total+number-1)/number, smallestPiece), targetsPerRun)
	var pieces []Piece
	for i, q := range questions {
		targets := q.Targets.Len()
		parts := (targets + size - 1) / size
		for k := range parts {
			first, end := k*targets/parts, (k+1)*targets/parts
			pieces = append(pieces, Piece{Group: i, First: first, Number: end - first})
		}
	}
	return pieces
}
