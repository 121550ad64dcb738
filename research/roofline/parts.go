package main

import (
	"fmt"
	"strings"
)

// products returns the products in the code of a loop, each once.
func (p *program) products(l *loop) float64 { return p.counts(p.whole(l)).Products }

// whole returns the code of a loop as if all of it were a path.
func (p *program) whole(l *loop) (path []piece) {
	for _, b := range l.blocks {
		path = append(path, piece{first: p.blocks[b].first, end: p.blocks[b].end, trips: 1})
	}
	return path
}

// has reports whether a loop has an instruction.
func (p *program) has(l *loop, opcode string) bool { return p.count(p.whole(l), opcode) > 0 }

// tile returns the loop over tiles of rows, with the loop around it: the innermost loop that has all
// products. It also returns the loops with products in it.
func (p *program) tile() (tile, outer *loop, inner []*loop, err error) {
	ls := p.loops
	for {
		var with []*loop
		for _, l := range ls {
			if p.products(l) > 0 {
				with = append(with, l)
			}
		}
		switch {
		case len(with) == 1:
			outer, tile, ls = tile, with[0], with[0].inner
			continue
		case len(with) > 1 && tile != nil && outer != nil:
			return tile, outer, with, nil
		}
		return nil, nil, nil, fmt.Errorf("%s: found %d loops with products side by side, expected a loop over tiles with several", p.name, len(with))
	}
}

// describe lists loops by their products, for messages.
func (p *program) describe(ls []*loop) string {
	var all []string
	for _, l := range ls {
		s := fmt.Sprintf("%g", p.products(l))
		if len(l.inner) > 0 {
			s += " (" + p.describe(l.inner) + ")"
		}
		all = append(all, s)
	}
	return strings.Join(all, ", ")
}

// A split is how a precision of the kernels (kernels/stationary_math.h) makes the products m16n8k16 of
// the weights.
type split struct {
	planes int     // halves of a hidden value
	held   int     // halves of a weight in shared memory
	factor float64 // products of halves
	unroll int     // of loops over rows, and over groups of columns
	parts  int     // products with the weights of the level, high and low
	since  int     // the compute capabilities on which the kernels run
	until  int
}

// In fp32 a product is three products of halves. f32s are the kernels of a small shared memory.
var splits = map[string]split{
	"f16":  {planes: 1, held: 1, factor: 1, unroll: 2, parts: 2, since: 75, until: 90},
	"f32":  {planes: 2, held: 2, factor: 3, unroll: 1, parts: 1, since: 80, until: 90},
	"f32s": {planes: 2, held: 1, factor: 3, unroll: 1, parts: 1, since: 75, until: 75},
}

const (
	stepRows = 16 // rows that a product over rows adds
	outer    = 4  // products of 16 rows of a tile with the output's weights, of a warp
)

// layer returns the products of a warp in a square layer of 16 rows.
func (s split) layer() float64 { return square / 128 * s.factor }

// forwardParts returns the parts of a forward kernel for a warp's tile of rows: the first layer, a
// square layer, and 8 columns of the output. Its loop over tiles has a loop over layers and one over
// the output's columns.
func forwardParts(p *program, s split) ([]counted, error) {
	tile, _, inner, err := p.tile()
	if err != nil {
		return nil, err
	}
	of := p.products(inner[0])
	if len(inner) != 2 || of != s.layer() && of != 2*s.layer() {
		return nil, fmt.Errorf("%s: found loops with %s products in the loop over tiles; expected two, the first with %g or %g",
			p.name, p.describe(inner), s.layer(), 2*s.layer())
	}
	rows := int(16 * of / s.layer())
	none := func(*loop) int { return 0 }
	var parts []counted
	for _, of := range []struct {
		name  string
		loop  *loop
		trips func(*loop) int
	}{
		{"first", tile, none}, // a tile without its inner loops
		{"layer", inner[0], once},
		{"output", inner[1], once},
	} {
		path, err := p.longest(of.loop, of.trips)
		if err != nil {
			return nil, err
		}
		parts = append(parts, counted{name: of.name, rows: rows, effort: p.effortOf(path)})
	}
	return parts, nil
}

// once is the trips of loops in parts of which little is known.
func once(*loop) int { return 1 }
