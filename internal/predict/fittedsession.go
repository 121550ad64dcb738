package predict

import (
	"context"
	"iter"
)

// A fittedSession is the Session of a fit, which compiles no program.
type fittedSession struct{ Fitted }

// Session implements [Predictor].
func (f Fitted) Session(int, int) (Session, error) { return fittedSession{f}, nil }

// Piece implements [Session].
func (s fittedSession) Piece(ctx context.Context, functions []Function, piece Piece) iter.Seq2[Target, error] {
	return func(yield func(Target, error) bool) { s.part(ctx, functions[piece.Function], piece, yield) }
}

// Shrink implements [Session].
func (fittedSession) Shrink() {}

// Close implements [Session].
func (fittedSession) Close() {}

// ProgramBytes implements [Predictor].
func (Fitted) ProgramBytes(int) (float64, error) { return 0, nil }

// Limited implements [Predictor]. A fit has no levels and no bootstraps.
func (f Fitted) Limited(int, bool) Predictor { return f }
