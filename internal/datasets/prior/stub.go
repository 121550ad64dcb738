package prior

import "github.com/acqnp/acqnp/internal/random"

type Set struct {
	Varying, Constant int
	X                 []float64
	Y                 []float64
	Groups            []int
}

func Draw(g random.Generator, step uint64, rows int) Set {
	s := Set{Varying: 1}
	at := uint64(0)
	n := func() float64 { at++; return g.Normal(step, at) }
	slope, inter, noise := n(), n(), 0.3
	for rows > 0 {
		k := min(rows, 10)
		a, b := n(), 0.5*n()
		for range k {
			x := n()
			s.X = append(s.X, x)
			s.Y = append(s.Y, inter+a+(slope+b)*x+noise*n())
		}
		s.Groups = append(s.Groups, k)
		rows -= k
	}
	return s
}
