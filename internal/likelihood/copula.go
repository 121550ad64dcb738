package likelihood

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// A Copula says how outcomes vary together. Draws from it follow a distribution of each outcome, whichever these are.
//
// It is the empirical copula of rows of outcomes (Deheuvels, "La fonction de dépendance empirique", 1979): a draw takes
// the levels of a random row, each moved by the same random part of a rank, so that all levels are equally likely.
type Copula struct {
	Outcomes int      `json:"outcomes"`
	Ranks    []int    `json:"ranks"`            // [rows, Outcomes]: the rank of each outcome among the rows, from 0
	Orders   [][2]int `json:"orders,omitempty"` // the first of two outcomes is never above the second
}

// CopulaOf returns the copula of rows of levels, [rows, outcomes].
func CopulaOf(levels []float64, outcomes int, orders [][2]int) *Copula {
	c := &Copula{Outcomes: outcomes, Ranks: make([]int, len(levels)), Orders: orders}
	rows := make([]int, len(levels)/outcomes)
	for j := range outcomes {
		for i := range rows {
			rows[i] = i
		}
		slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(levels[a*outcomes+j], levels[b*outcomes+j]) })
		for rank, i := range rows {
			c.Ranks[i*outcomes+j] = rank
		}
	}
	return c
}

// Check returns an error unless the numbers make a copula.
func (c *Copula) Check() error {
	damaged := errors.New("a damaged copula")
	if c.Outcomes < 2 || len(c.Ranks) == 0 || len(c.Ranks)%c.Outcomes != 0 {
		return damaged
	}
	seen := make([]bool, len(c.Ranks)) // [Outcomes, rows]
	for i, rank := range c.Ranks {
		if rank < 0 || rank >= c.Rows() || seen[i%c.Outcomes*c.Rows()+rank] {
			return damaged
		}
		seen[i%c.Outcomes*c.Rows()+rank] = true
	}
	for _, o := range c.Orders {
		if o[0] == o[1] || min(o[0], o[1]) < 0 || max(o[0], o[1]) >= c.Outcomes || slices.Contains(c.Orders, [2]int{o[1], o[0]}) {
			return damaged
		}
	}
	return nil
}

// Rows returns the number of rows.
func (c *Copula) Rows() int { return len(c.Ranks) / c.Outcomes }

// RankCorrelation returns Spearman's correlation of two outcomes.
func (c *Copula) RankCorrelation(j, k int) float64 {
	n, sum := float64(c.Rows()), 0.0
	for i := 0; i < len(c.Ranks); i += c.Outcomes {
		sum += (float64(c.Ranks[i+j]) - (n-1)/2) * (float64(c.Ranks[i+k]) - (n-1)/2)
	}
	return sum * 12 / (n * (n*n - 1))
}

// Batch is how many draws are made at once. If there are orders, it lowers a rank correlation of r to about
// (1−1/Batch)·r.
const Batch = 32

// Draw returns draws from the distributions of the outcomes, [Outcomes]. u is pairs of uniform numbers in [0, 1).
//
// If there are orders, the levels of the draws are spread evenly: one in each part of 1/Batch. Draws that break an order
// then exchange outcomes with others. So each outcome keeps its distribution, unless the distributions contradict the
// order: an outcome that is lower on a level than one below it is raised to it.
func (c *Copula) Draw(of []Distribution, u [Batch][2]float64) [][]float64 {
	var ranks []int
	n := c.Rows()
	for _, v := range u {
		ranks = append(ranks, c.Ranks[min(int(v[0]*float64(n)), n-1)*c.Outcomes:][:c.Outcomes]...)
	}
	if c.Orders != nil {
		var among []float64
		for _, rank := range ranks {
			among = append(among, float64(rank))
		}
		ranks, n = CopulaOf(among, c.Outcomes, nil).Ranks, Batch
	}
	draws := make([][]float64, Batch)
	for j, d := range of {
		levels := make([]float64, Batch)
		for k := range levels {
			rank := ranks[k*c.Outcomes+j]
			within := u[k][1]
			if c.Orders != nil { // the same for all outcomes of the rank
				within = u[rank][1]
			}
			levels[k] = (float64(rank) + max(within, 0x1p-25)) / float64(n) // half the least number of a generator above 0
		}
		for k, y := range severalQuantiles(d, levels) {
			draws[k] = append(draws[k], y)
		}
	}
	if c.Orders != nil {
		c.order(draws, of)
	}
	return draws
}

// severalQuantiles returns the quantiles at levels in (0, 1), to 1e-9 of the distance of the outermost. Of a mixture with
// far tails, it takes a fifth of the time of [ApproximateQuantiles].
func severalQuantiles(d Distribution, levels []float64) []float64 {
	s, d := d.Support(), d.real()
	all, order := make([]float64, len(levels)), increasing(levels)
	ends := ApproximateQuantiles(d, levels[order[0]], levels[order[len(order)-1]])
	low, high := ends[0], ends[1]
	for _, i := range order {
		f := func(y float64) float64 { return d.CDF(y) - levels[i] }
		switch at, to := f(low), f(high); {
		case at >= 0:
			all[i] = low
		case to <= 0:
			all[i] = high
		default:
			all[i] = root(f, low, at, high, to, 1e-9*(ends[1]-ends[0]))
		}
		low = all[i]
	}
	for i, y := range all {
		all[i] = s.valueOf(y)
	}
	return all
}

// order exchanges and moves outcomes of draws so that all orders hold.
func (c *Copula) order(draws [][]float64, of []Distribution) {
	upward := c.upward()
	for _, j := range upward {
		if below := c.below(j); below != nil {
			exchange(draws, j, below, of[j])
		}
	}
	for _, j := range slices.Backward(upward) { // where a bound kept an upper outcome down
		for _, y := range draws {
			for _, i := range c.below(j) {
				if y[i] > y[j] {
					y[i] = nearest(of[i], y[j], math.Floor)
				}
			}
		}
	}
}

// exchange exchanges outcome j of draws so that it is at least the outcomes below it. From the highest of these
// downwards, each draw that breaks an order takes the next higher value, if it can from a draw that keeps its orders.
func exchange(draws [][]float64, j int, below []int, of Distribution) {
	floors, order := make([]float64, len(draws)), make([]int, len(draws))
	for k, y := range draws {
		order[k], floors[k] = k, math.Inf(-1)
		for _, i := range below {
			floors[k] = max(floors[k], y[i])
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(floors[b], floors[a]), cmp.Compare(draws[b][j], draws[a][j]))
	})
	for at, k := range order {
		y := draws[k]
		if y[j] >= floors[k] {
			continue
		}
		best, keeps := -1, false
		for _, other := range order[at+1:] {
			if v := draws[other][j]; v >= floors[k] {
				fine := floors[other] <= y[j]
				if best < 0 || fine && !keeps || fine == keeps && v < draws[best][j] {
					best, keeps = other, fine
				}
			}
		}
		if best >= 0 {
			y[j], draws[best][j] = draws[best][j], y[j]
		} else {
			y[j] = nearest(of, floors[k], math.Ceil)
		}
	}
}

// nearest returns y or, if it is no value of a distribution, the next one that is.
func nearest(d Distribution, y float64, round func(float64) float64) float64 {
	s := d.Support()
	if s.Whole {
		y = round(y)
	}
	return s.Nearest(y)
}

// below returns the outcomes that are never above outcome j.
func (c *Copula) below(j int) (all []int) {
	for _, o := range c.Orders {
		if o[1] == j {
			all = append(all, o[0])
		}
	}
	return all
}

// upward returns the outcomes, each after those below it: it has more of them, since orders are transitive.
func (c *Copula) upward() []int {
	all := make([]int, c.Outcomes)
	for j := range all {
		all[j] = j
	}
	slices.SortStableFunc(all, func(a, b int) int { return len(c.below(a)) - len(c.below(b)) })
	return all
}
