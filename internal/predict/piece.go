package predict

// A Piece is a part of the targets of one function: Number of them, from First on.
type Piece struct{ Function, First, Number int }

// smallestPiece is the least number of targets of a piece. A run of the model on fewer targets would spend
// most of its time on the context.
const smallestPiece = 32

// Pieces divides the targets of functions into about number pieces or more, which several Predictors
// can take at once. columns is the number of columns of x.
func Pieces(functions []Function, columns, number int) []Piece {
	total := CountTargets(functions, columns)
	size := min(max((total+number-1)/number, smallestPiece), targetsPerRun)
	var pieces []Piece
	for i, f := range functions {
		targets := len(f.TargetX) / columns
		parts := (targets + size - 1) / size
		for k := range parts {
			first, end := k*targets/parts, (k+1)*targets/parts
			pieces = append(pieces, Piece{Function: i, First: first, Number: end - first})
		}
	}
	return pieces
}
