package main

import (
	"fmt"
	"slices"
)

// A program is the machine code of a kernel with its loops.
type program struct {
	name   string
	code   []instruction
	blocks []block
	loops  []*loop // outermost
}

func newProgram(name string, code []instruction) *program {
	bs := blocks(code)
	return &program{name, code, bs, loops(bs)}
}

// A piece is a part of a path: instructions in a row, or the body of a loop with its trips.
type piece struct {
	first, end int // instructions
	trips      int
	body       []piece // of a loop
}

// A need is a number of instructions that a path must have, see count.
type need struct {
	opcode string
	n      int
}

// never forbids a path to enter a loop.
const never = -1

// A way is a path that a search has found, from its last node back.
type way struct {
	length int
	node   int // a block; the head of an inner loop stands for the loop
	before *way
}

// longest returns the longest path through one iteration of a loop that has exactly the
// instructions that are needed. Where code divides, only one side is taken; rows that are skipped at
// the end of a run are shorter. trips says how often an inner loop of it is gone through.
func (p *program) longest(l *loop, trips func(*loop) int, needs ...need) ([]piece, error) {
	inner := map[int]*loop{} // of a block
	for _, i := range l.inner {
		for _, b := range i.blocks {
			inner[b] = i
		}
	}
	node := func(b int) int {
		if i := inner[b]; i != nil {
			return i.head
		}
		return b
	}
	pieces := map[int][]piece{}
	after := map[int][]int{}
	for _, b := range l.blocks {
		n := node(b)
		for _, to := range p.blocks[b].after {
			if slices.Contains(l.blocks, to) && node(to) != n {
				after[n] = append(after[n], node(to))
			} else if to == l.head {
				after[n] = append(after[n], l.head)
			}
		}
		if i := inner[b]; i == nil {
			pieces[n] = []piece{{first: p.blocks[b].first, end: p.blocks[b].end, trips: 1}}
		} else if times := trips(i); b == i.head && times > 0 {
			body, err := p.longest(i, trips)
			if err != nil {
				return nil, err
			}
			pieces[n] = []piece{{trips: times, body: body}}
		} else if times == never {
			after[n] = nil
		}
	}
	sorted, err := p.sort(l.head, after)
	if err != nil {
		return nil, err
	}
	return p.search(l.head, sorted, after, pieces, needs)
}

// sort returns the nodes that the head leads to in an order in which each comes after all that lead
// to it. Only the head may be led to by a later one.
func (p *program) sort(head int, after map[int][]int) ([]int, error) {
	var sorted []int
	state := map[int]int{} // 1 while its followers are visited, 2 afterwards
	var visit func(n int) error
	visit = func(n int) error {
		state[n] = 1
		for _, to := range after[n] {
			if to == head {
				continue
			}
			if state[to] == 1 {
				return fmt.Errorf("%s: the loop at %#x has a cycle that is no loop, at %#x", p.name,
					p.code[p.blocks[head].first].address, p.code[p.blocks[to].first].address)
			}
			if state[to] == 0 {
				if err := visit(to); err != nil {
					return err
				}
			}
		}
		state[n] = 2
		sorted = append(sorted, n)
		return nil
	}
	err := visit(head)
	slices.Reverse(sorted)
	return sorted, err
}

// search returns the longest path from the head until it is the head's turn again.
func (p *program) search(head int, sorted []int, after map[int][]int, pieces map[int][]piece, needs []need) ([]piece, error) {
	type have [5]int // of each need
	found := map[int]map[have]*way{head: {have{}: nil}}
	var best *way
	most := have{}
	for _, n := range sorted {
		size := p.length(pieces[n])
		for had, before := range found[n] {
			w := &way{length: size, node: n, before: before}
			if before != nil {
				w.length += before.length
			}
			has, fits := had, true
			for i, need := range needs {
				has[i] += p.count(pieces[n], need.opcode)
				fits = fits && has[i] <= need.n
				most[i] = max(most[i], has[i])
			}
			if !fits {
				continue
			}
			for _, to := range after[n] {
				if to == head {
					enough := true
					for i, need := range needs {
						enough = enough && has[i] == need.n
					}
					if enough && (best == nil || w.length > best.length) {
						best = w
					}
					continue
				}
				if found[to] == nil {
					found[to] = map[have]*way{}
				}
				if o, ok := found[to][has]; !ok || w.length > o.length {
					found[to][has] = w
				}
			}
		}
	}
	if best == nil {
		return nil, fmt.Errorf("%s: the loop at %#x has no path with %v; found up to %v", p.name,
			p.code[p.blocks[head].first].address, needs, most[:len(needs)])
	}
	var path []piece
	for w := best; w != nil; w = w.before {
		path = append(slices.Clone(pieces[w.node]), path...)
	}
	return path, nil
}

// length returns the number of instructions of a path.
func (p *program) length(path []piece) (n int) {
	for _, piece := range path {
		n += piece.trips * (piece.end - piece.first + p.length(piece.body))
	}
	return n
}

// count returns the number of instructions of a path with an opcode. Products under a predicate are
// not counted, because warps differ in them.
func (p *program) count(path []piece, opcode string) (n int) {
	for _, piece := range path {
		own := p.count(piece.body, opcode)
		for _, in := range p.code[piece.first:piece.end] {
			if in.opcode() == opcode && (!in.when || opcode != "HMMA") {
				own++
			}
		}
		n += piece.trips * own
	}
	return n
}
