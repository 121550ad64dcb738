package main

import (
	"fmt"
	"math"
	"slices"
)

// backward reads the loop over tiles of a backward kernel.
type backward struct {
	*program
	split
	rows        int     // of a tile
	tile, chunk *loop   // over tiles, and the one around it, over layers
	weights     []*loop // dzᵀ·x; none if its steps are unrolled
	inputs      *loop   // dz·W
	top, bottom []*loop // of the output and of the first layer, around those two
}

// backwardParts returns the parts of a backward kernel: a block's tile of the last square layer with
// the output, of a middle layer, of the first square layer with the first layer, the same where the
// levels have a gradient, and what a chunk takes for each layer besides its tiles.
func backwardParts(p *program, s split, rows int) ([]counted, error) {
	b := &backward{program: p, split: s, rows: rows}
	tile, chunk, inner, err := p.tile()
	if err != nil {
		return nil, err
	}
	b.tile, b.chunk = tile, chunk
	if err := b.find(inner); err != nil {
		return nil, err
	}
	var parts []counted
	for _, of := range []struct {
		name  string
		loop  *loop
		trips func(*loop) int
		needs []need
	}{
		{"top", tile, b.topTrips, b.topNeeds()},
		{"middle", tile, b.middleTrips, b.middleNeeds()},
		{"bottom", tile, b.bottomTrips, b.bottomNeeds(false)},
		{"bottom+levels", tile, b.bottomTrips, b.bottomNeeds(true)},
		{"chunk", chunk, b.chunkTrips, nil},
	} {
		path, err := p.longest(of.loop, of.trips, of.needs...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", of.name, err)
		}
		parts = append(parts, counted{name: of.name, rows: rows, effort: p.effortOf(path)})
	}
	return parts, nil
}

// find finds the loops of the square layer: the last one with the products of a part of dX, and
// before it those of dW.
func (b *backward) find(inner []*loop) error {
	at := len(inner) - 1
	for at >= 0 && b.products(inner[at]) != b.inputProducts()/b.inputTrips() {
		at--
	}
	from := at
	if from > 0 && b.steps(inner[from-1]) > 0 {
		from--
	}
	if at < 0 || at == from && b.rows/stepRows > b.unroll {
		return fmt.Errorf("%s: found loops with %s products in the loop over tiles; expected one with %g, of dX, after one with a multiple of %g, of dW",
			b.name, b.describe(inner), b.inputProducts()/b.inputTrips(), b.stepProducts())
	}
	b.top, b.weights, b.inputs, b.bottom = inner[:from], inner[from:at], inner[at], inner[at+1:]
	return nil
}

// stepProducts returns the products of a warp in a step of dW; the sums of dz's columns add at most a
// quarter. inputProducts returns those of a tile's dX, inputTrips the trips of its loop over groups of 32
// columns.
func (b *backward) stepProducts() float64  { return b.layer() / warps }
func (b *backward) inputProducts() float64 { return b.layer() / warps * float64(b.rows) / 16 }
func (b *backward) inputTrips() float64    { return float64(width / 32 / b.unroll) }

// steps returns the steps of dW in the body of a loop; 0 if it is not a loop of dW.
func (b *backward) steps(l *loop) int {
	n := math.Floor(b.products(l) / b.stepProducts())
	if b.products(l) > n*b.stepProducts()*5/4 || n > float64(b.unroll) {
		return 0
	}
	return int(n)
}

// middleTrips returns the trips of a tile's loops in a middle layer, which has no other loops than
// those of the square layer.
func (b *backward) middleTrips(l *loop) int {
	switch {
	case slices.Contains(b.weights, l):
		return b.rows / stepRows / b.steps(l)
	case l == b.inputs:
		return int(b.inputTrips())
	case b.has(l, "VOTEU"): // the lanes of a warp wait for each other
		return 1
	}
	return never
}

// topTrips returns the trips of a tile's loops in the last layer with up to 8 outputs. Loops over
// eights of outputs that ptxas has unrolled have none: it puts what is left of them behind.
func (b *backward) topTrips(l *loop) int {
	for i, t := range b.top {
		switch {
		case l == t && i == 0 && b.thinProducts(t) == float64(b.rows/stepRows)*b.thin():
			return 1
		case l == t:
			return 0
		case slices.Contains(t.inner, l):
			return b.thinTrips()
		}
	}
	return b.middleTrips(l)
}

// thinProducts returns the products of a loop with loops over a tile's rows in it.
func (b *backward) thinProducts(l *loop) float64 {
	n := b.products(l)
	for _, i := range l.inner {
		n += float64(b.thinTrips()-1) * b.products(i)
	}
	return n
}

// bottomTrips returns the trips of a tile's loops in the first layer.
func (b *backward) bottomTrips(l *loop) int {
	for _, t := range b.bottom {
		switch {
		case l == t && b.isThin(t), slices.Contains(t.inner, l):
			return b.thinTrips()
		case l == t:
			return 1 // 16 points
		}
	}
	switch {
	case b.products(l) == 0 && b.has(l, "FFMA") && b.has(l, "STS"): // a part of the first layer
		return max(1, b.pass()/b.count(b.whole(l), "STS"))
	case b.products(l) == 0: // by four, of which a thread has at most one; the rest is behind the loop
		return 0
	}
	return b.middleTrips(l)
}

// isThin reports whether a loop goes over a tile's rows by steps.
func (b *backward) isThin(l *loop) bool { return len(l.inner) == 0 && b.products(l) <= 2*b.thin() }

// thin returns the products of a warp in a step of a product over rows with 8 numbers.
func (b *backward) thin() float64 { return 2 * float64(b.planes) }

// thinTrips returns the trips of a loop over a tile's rows.
func (b *backward) thinTrips() int { return b.rows / stepRows / b.unroll }

// chunkTrips returns the trips of loops outside the tiles: one, but for the first with copies, which
// copies the weights. The others with copies are as in bottomTrips.
func (b *backward) chunkTrips(l *loop) int {
	if l == b.tile {
		return 0
	}
	copies := "LDGSTS"
	if !b.has(b.chunk, copies) {
		copies = "LDG"
	}
	first := slices.IndexFunc(b.chunk.inner, func(l *loop) bool { return b.has(l, copies) })
	switch n := b.count(b.whole(l), copies); {
	case n > 0 && l == b.chunk.inner[first]:
		return int(square) * 2 * b.held / 16 / threads / n
	case n > 0 && !b.has(l, "FFMA"):
		return 0
	}
	return 1
}

// pass returns the copies of 16 bytes with which a thread fetches its share of a tile.
func (b *backward) pass() int { return b.rows * width * 2 * b.planes / 16 / threads }

// middleNeeds returns the instructions of a tile of a middle layer: it is fetched once, by copies to
// shared memory, and the result stored. Before sm_80 copies are loads and stores. With two planes the
// tile's scale is loaded, and that of the result made by way of shared memory. Low halves of weights that
// are not in shared memory are loaded too.
func (b *backward) middleNeeds() []need {
	n, scale := need{"HMMA", b.hmma(0)}, b.planes-1
	loads := scale + int(b.inputTrips())*b.count(b.whole(b.inputs), "LDG")
	if !b.has(b.tile, "LDGDEPBAR") {
		return []need{n, {"LDG", 2*b.pass() + loads}, {"STS", 2*b.pass() + scale}}
	}
	return []need{n, {"LDGDEPBAR", 1}, {"LDGSTS", 2 * b.pass()}, {"LDG", loads}, {"STS", scale}}
}

// topNeeds and bottomNeeds return the same for the last and first layers, which load and store more.
func (b *backward) topNeeds() []need {
	return b.fetched(need{"HMMA", b.hmma(float64(b.rows) / 16 * (b.thin() + outer))})
}
func (b *backward) bottomNeeds(levels bool) []need {
	n := float64(b.rows) / 16 * 2 * b.thin() // the weights and the points
	if levels {
		n += 8 * float64(b.parts) * b.factor // of 16 rows, for all columns
	}
	return b.fetched(need{"HMMA", b.hmma(n)})
}
func (b *backward) fetched(n need) []need {
	if !b.has(b.tile, "LDGDEPBAR") {
		return []need{n}
	}
	return []need{n, {"LDGDEPBAR", 1}}
}

// hmma returns the instructions of the matrix unit of a tile of the square layer, and of other
// products. The sums of dz's columns are under a predicate, as each warp makes half of them.
func (b *backward) hmma(other float64) int {
	of := func(l *loop) int { return b.count(b.whole(l), "HMMA") }
	n := b.middleTrips(b.inputs) * of(b.inputs)
	for _, l := range b.weights {
		n += b.middleTrips(l) * of(l)
	}
	if len(b.weights) == 0 {
		other += float64(b.rows/stepRows) * b.stepProducts()
	}
	return n + int(other*float64(of(b.inputs))/b.products(b.inputs))
}
