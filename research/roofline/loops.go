package main

import "slices"

// A block is a run of instructions that are executed one after another.
type block struct {
	first, end int // instructions
	after      []int
}

// blocks returns the basic blocks of a kernel in the order of addresses.
func blocks(code []instruction) []block {
	at := map[int]int{}
	for n, in := range code {
		at[in.address] = n
	}
	begins := map[int]bool{0: true}
	for n, in := range code {
		if in.target >= 0 || in.ends() {
			begins[n+1] = true
			if to, ok := at[in.target]; ok {
				begins[to] = true
			}
		}
	}
	var bs []block
	number := map[int]int{}
	for n := range code {
		if begins[n] {
			number[n] = len(bs)
			bs = append(bs, block{first: n})
		}
		bs[len(bs)-1].end = n + 1
	}
	for b := range bs {
		last := code[bs[b].end-1]
		if last.target >= 0 {
			bs[b].after = append(bs[b].after, number[at[last.target]])
		}
		stops := last.target >= 0 || last.ends()
		if (!stops || last.when) && b+1 < len(bs) {
			bs[b].after = append(bs[b].after, b+1)
		}
	}
	return bs
}

// A loop is a natural loop: the blocks that reach a branch back to its head.
type loop struct {
	head   int
	blocks []int // in order, those of inner loops too
	inner  []*loop
}

// loops returns the outermost loops of a kernel.
func loops(bs []block) []*loop {
	dominates := dominators(bs)
	before := make([][]int, len(bs))
	for b := range bs {
		for _, n := range bs[b].after {
			before[n] = append(before[n], b)
		}
	}
	var all []*loop
	for head := range bs {
		in := map[int]bool{head: true}
		var todo []int
		for _, b := range before[head] {
			if dominates(head, b) {
				todo = append(todo, b)
			}
		}
		if len(todo) == 0 {
			continue
		}
		for len(todo) > 0 {
			b := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if !in[b] {
				in[b] = true
				todo = append(todo, before[b]...)
			}
		}
		l := &loop{head: head}
		for b := range bs {
			if in[b] {
				l.blocks = append(l.blocks, b)
			}
		}
		all = append(all, l)
	}
	// The smallest loop that contains another one's head is its outer loop.
	slices.SortStableFunc(all, func(a, b *loop) int { return len(a.blocks) - len(b.blocks) })
	var outermost []*loop
	for i, l := range all {
		outer := slices.IndexFunc(all[i+1:], func(o *loop) bool { return slices.Contains(o.blocks, l.head) })
		if outer < 0 {
			outermost = append(outermost, l)
		} else {
			o := all[i+1+outer]
			o.inner = append(o.inner, l)
		}
	}
	order(outermost)
	return outermost
}

// order sorts loops, and the loops in them, by address.
func order(ls []*loop) {
	slices.SortFunc(ls, func(a, b *loop) int { return a.head - b.head })
	for _, l := range ls {
		order(l.inner)
	}
}

// dominators returns a function that reports whether every path from the kernel's start to b goes
// through a.
func dominators(bs []block) func(a, b int) bool {
	reached := make([][]bool, len(bs)) // without passing a
	for a := range bs {
		seen := make([]bool, len(bs))
		seen[a] = true
		todo := []int{}
		if a != 0 {
			todo = append(todo, 0)
		}
		for len(todo) > 0 {
			b := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if !seen[b] {
				seen[b] = true
				todo = append(todo, bs[b].after...)
			}
		}
		seen[a] = false
		reached[a] = seen
	}
	live := reachable(bs)
	return func(a, b int) bool { return live[b] && !reached[a][b] }
}

// reachable reports for each block whether the kernel's start leads to it.
func reachable(bs []block) []bool {
	seen := make([]bool, len(bs))
	for todo := []int{0}; len(todo) > 0; {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !seen[b] {
			seen[b] = true
			todo = append(todo, bs[b].after...)
		}
	}
	return seen
}
