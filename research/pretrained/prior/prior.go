// Package prior draws invented data sets: rows with columns of x and a y, in groups that are alike as
// the pupils of a school or the patients of a trial are. A network that learns from enough of them can
// read a real one.
//
// Three in ten of the data sets are what a textbook's mixed model fits well: lines, normal intercepts and
// slopes of the groups, normal noise. The others have one to three harder parts. What a set has is
// drawn first (a [plan]), then sizes, columns, the population's mean, the groups' deviations from it,
// noise, and what becomes of the sum: a count, a rounded mark.
package prior

import (
	"math"

	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/research/pretrained/dice"
)

// A Set is a data set: groups of rows. The rows of a group stand side by side, in an order that means
// nothing.
type Set struct {
	Varying, Constant int       // columns of x that vary within groups (0 to 4), and that are constant within each (0 to 4)
	X                 []float64 // [rows, Varying+Constant], the varying ones first
	Y                 []float64 // [rows]
	Groups            []int     // rows of each group; all positive; their sum is the number of rows
}

// Draw draws a data set of exactly so many rows (from 8 to 2,000) from the words of a step. Groups are
// drawn until the rows are there, and the last one is cut short. All values are finite, in units of
// any sign, offset and scale. The same generator, step and rows give the same bits.
func Draw(g random.Generator, step uint64, rows int) Set {
	d := dice.New(g, step, 0)
	return draw(d, newPlan(d), rows)
}

// A part is something that a textbook's mixed model does not have.
type part int

const (
	shape   part = iota // curves, growth, periods and steps instead of lines
	joint               // columns that act together
	deviant             // groups that differ in more than normal intercepts and slopes
	errors              // noise that is not normal
	spread              // noise of unequal scale
	memory              // noise that is correlated along x
	outcome             // y is no sum: an exponential, a count, a rounded or limited value
	strays              // outliers
	parts
)

// A plan says which harder parts a data set has.
type plan [parts]bool

// newPlan draws a plan: nothing for three in ten of the data sets, one to three parts for the others.
func newPlan(d *dice.Dice) plan {
	var p plan
	if d.Chance(0.3) {
		return p
	}
	often := [parts]float64{shape: 6, joint: 2, deviant: 6, errors: 4, spread: 4, memory: 4, outcome: 5, strays: 1.5}
	for range 1 + d.Below(3) {
		next := d.Choose(often[:]...)
		p[next], often[next] = true, 0
	}
	return p
}

// A sketch is a data set in the making. Until the end, the rows of a group are in the order of the first
// varying column.
type sketch struct {
	*dice.Dice
	plan
	kind    ending
	groups  []int
	varying int
	columns []column // the varying ones first
	main    component
	y       []float64 // the mean, then the mean and noise, then the outcome
}

// newSketch draws sizes and columns.
func newSketch(d *dice.Dice, p plan, rows int) *sketch {
	s := &sketch{Dice: d, plan: p, y: make([]float64, rows)}
	if p[outcome] {
		s.kind = newEnding(d)
	}
	s.groups = sizes(d, rows)
	s.drawColumns()
	return s
}

// draw draws a data set by a plan.
func draw(d *dice.Dice, p plan, rows int) Set {
	s := newSketch(d, p, rows)
	s.population()
	s.deviations()
	s.disturb()
	s.end()
	return s.set()
}

// each calls f with the rows from, …, to−1 of every group.
func (s *sketch) each(f func(from, to int)) {
	from := 0
	for _, n := range s.groups {
		f(from, from+n)
		from += n
	}
}

// sign returns −1 or 1.
func (s *sketch) sign() float64 { return float64(2*s.Below(2) - 1) }

// set returns the data set in random units, with the rows of each group and the columns of each kind in
// random order: the first column is the main one, and no reader may know.
func (s *sketch) set() Set {
	rows, wide := len(s.y), len(s.columns)
	s.shuffle(s.columns[:s.varying])
	s.shuffle(s.columns[s.varying:])
	order := s.shuffled()
	set := Set{Varying: s.varying, Constant: wide - s.varying, Groups: s.groups,
		X: make([]float64, rows*wide), Y: make([]float64, rows)}
	for j, c := range s.columns {
		offset, scale := s.unit()
		for i, from := range order {
			set.X[i*wide+j] = offset + scale*c.shown[from]
		}
	}
	offset, scale := s.unit()
	for i, from := range order {
		set.Y[i] = offset + scale*s.y[from]
	}
	return set
}

// unit draws an offset and a scale of any sign.
func (s *sketch) unit() (offset, scale float64) {
	scale = s.sign() * s.LogUniform(0.01, 100)
	return 3 * scale * s.Normal(), scale
}

func (s *sketch) shuffle(columns []column) {
	for i := range columns {
		j := s.Below(i + 1)
		columns[i], columns[j] = columns[j], columns[i]
	}
}

// shuffled returns the rows with those of each group in random order.
func (s *sketch) shuffled() []int {
	order := make([]int, len(s.y))
	s.each(func(from, to int) {
		for i := from; i < to; i++ {
			j := from + s.Below(i-from+1)
			order[i] = order[j]
			order[j] = i
		}
	})
	return order
}

// standardise shifts and scales values to mean 0 and deviation 1, and returns what it took off and
// divided by. Equal values become 0.
func standardise(values []float64) (mean, deviation float64) {
	mean, deviation = moments(values)
	for i, v := range values {
		values[i] = (v - mean) / deviation
	}
	return mean, deviation
}

// moments returns the mean and the deviation of values. A deviation of 0 counts as 1.
func moments(values []float64) (mean, deviation float64) {
	for _, v := range values {
		mean += v
	}
	mean /= float64(len(values))
	for _, v := range values {
		deviation += (v - mean) * (v - mean)
	}
	if deviation = math.Sqrt(deviation / float64(len(values))); !(deviation > 1e-9) {
		deviation = 1
	}
	return mean, deviation
}
