package simd

import "fmt"

// The greatest sizes of a head for Attend and AttendGrad.
const (
	headRows    = 48 // queries
	headColumns = 32 // context points
)

// HeadRoom is the number of floats that Attend and AttendGrad need for what they compute on the
// way.
const HeadRoom = 2*32*headColumns + 2*headRows*48 + headRows*32 + headRows

// Head is one head of attention of m queries Q [m, Width] to Context keys K and values V [Context,
// Width]. Attend and AttendGrad do what products and the functions of softmax.go do, to the same
// bits, in one call: with few context points, calling those takes longer than their work.
type Head struct {
	Context, Width int
	Scale          float32
	Q, K, V        Matrix
	Room           []float32 // [HeadRoom]
	Next           NextHead
}

// NextHead says where the operands of the next head begin, from this head's. They are prefetched.
// The zero NextHead prefetches this head's again.
type NextHead struct {
	Rows, Keys int // rows of queries, and of keys and values
	Columns    int
}

// HeadGrad holds the gradient G [m, Width] of a head's result, and the places for the gradients Q
// [m, Width] of the queries and K and V [Context, Width] of keys and values.
type HeadGrad struct{ G, Q, K, V Matrix }

// Fused reports whether Attend and AttendGrad can compute a head of these sizes on this machine.
// With four context points or fewer, products add in another order.
func Fused(context, width int) bool {
	return active == avx512 && context > narrowColumns && context <= headColumns && (width == 16 || width == 32)
}

// FusedRows is the most queries of Attend and AttendGrad.
const FusedRows = headRows

func (h *Head) check(m int) {
	if !Fused(h.Context, h.Width) || m > FusedRows || !(h.Scale > 0) || len(h.Room) < HeadRoom {
		panic(fmt.Sprintf("simd: a head of %d queries, %d context points and %d columns, scale %v, in room for %d numbers", m, h.Context, h.Width, h.Scale, len(h.Room)))
	}
	h.Q.check("queries", m, h.Width)
	h.K.check("keys", h.Context, h.Width)
	h.V.check("values", h.Context, h.Width)
}
