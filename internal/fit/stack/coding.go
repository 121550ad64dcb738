package stack

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/acqnp/acqnp/internal/points"
)

// A Coding has the numbers that models see of crossed names, which are shared among groups: the items that subjects see. A
// column of x has the numbers of names, from 0. The code of a name is the posterior mean of its effect. Codes of the rows
// that are asked for, or learned from, come without these, so that models learn how far a code can be trusted of a new group.
type Coding struct {
	Column  int              `json:"column"`
	Codes   []float64        `json:"codes"`   // of each name, by all rows
	Without [folds][]float64 `json:"without"` // the same, without the rows of each fold
}

// A Coder returns the codes of names without the rows that two folds hold out, which may be one and the same, or none. held is
// the fold of each row, by points.Points.Rows.
type Coder func(held map[int]int) func(a, b int) []float64

// codingOf returns the coding of a column, and the codes without two folds.
func codingOf(column int, coder Coder, held map[int]int) (c *Coding, without [folds][folds][]float64) {
	of := coder(held)
	c = &Coding{Column: column, Codes: of(none, none)}
	for a := range folds {
		for b := range a + 1 {
			without[a][b] = of(a, b)
			without[b][a] = without[a][b]
		}
		c.Without[a] = without[a][a]
	}
	return c, without
}

// none stands for a fold where no rows are held out.
const none = -1

// WithCodes returns the stack with the codes of more names, whose numbers follow.
func (s *Stack) WithCodes(more []float64) *Stack {
	if s.Coding == nil || more == nil {
		return s
	}
	one, coding := *s, *s.Coding
	coding.Codes, one.Coding = slices.Concat(coding.Codes, more), &coding
	return &one
}

// code returns points with codes, without the rows of a fold, in the place of the numbers of names. Names beyond the codes have
// 0.
func (c *Coding) code(p points.Points, fold int) points.Points {
	if c == nil {
		return p
	}
	codes := c.Codes
	if fold != none {
		codes = c.Without[fold]
	}
	p.X = slices.Clone(p.X)
	for i := range p.Len() {
		v := &p.Row(i)[c.Column]
		if name := int(*v); name < len(codes) {
			*v = codes[name]
		} else {
			*v = 0
		}
	}
	return p
}

// codeTraining returns the groups that models are fitted to without a fold, or all of them: the rows of another fold are coded
// without both.
func (c *Coding) codeTraining(groups []points.Group, fold int, without [folds][folds][]float64, held map[int]int) []points.Group {
	if c == nil {
		return groups
	}
	coded := slices.Clone(groups)
	for k := range coded {
		g := &coded[k]
		g.X = slices.Clone(g.X)
		for i, row := range g.Rows {
			v, own, other := &g.Row(i)[c.Column], held[row], fold
			if fold == folds {
				other = own
			}
			*v = without[other][own][int(*v)]
		}
	}
	return coded
}

// Square returns the mean square of the codes that models learned from.
func (c *Coding) Square() (mean float64) {
	for _, codes := range c.Without {
		mean += floats.Dot(codes, codes) / float64(folds*len(codes))
	}
	return mean
}

// check returns an error for a coding that Fit cannot have made for dx columns of x.
func (c *Coding) check(dx int) error {
	if c == nil {
		return nil
	}
	bad := c.Column < 0 || c.Column >= dx
	for _, codes := range append(c.Without[:], c.Codes) {
		bad = bad || len(codes) != len(c.Codes) || slices.ContainsFunc(codes, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	}
	if bad {
		return errors.New("damaged codes of names")
	}
	return nil
}
