package file

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/points"
)

// Kept are rows of the data, by group. They are known points when a group is asked about. Plot effects needs the row
// weights, and the folds.
type Kept struct {
	Groups []points.Group
	Folds  [][]int // of each group, [n, columns of y]: the fold that held out each y, 0 for one that is missing or was not taken
}

// A keptGroup is a group in a file.
type keptGroup struct {
	Name  string  `json:"name"`
	X     numbers `json:"x"`
	Y     numbers `json:"y"`
	Sides []int8  `json:"censored,omitempty"`
	Times numbers `json:"times,omitempty"`
	Folds []int   `json:"folds"`
}

// MarshalJSON writes the raw numbers of the groups.
func (k Kept) MarshalJSON() ([]byte, error) {
	all := make([]keptGroup, len(k.Groups))
	for i, g := range k.Groups {
		all[i] = keptGroup{g.Name, g.X, g.Y, g.Censored, g.Weights, k.Folds[i]}
	}
	return json.Marshal(all)
}

// UnmarshalJSON reads what MarshalJSON writes. complete adds what columns say.
func (k *Kept) UnmarshalJSON(content []byte) error {
	var all []keptGroup
	err := json.Unmarshal(content, &all)
	for _, g := range all {
		k.Groups = append(k.Groups, points.Group{Name: g.Name, Points: points.Points{X: g.X, Y: g.Y, Censored: g.Sides, Weights: g.Times}})
		k.Folds = append(k.Folds, g.Folds)
	}
	return err
}

// complete gives the groups their outer groups and their numbers of columns. It returns an error if the rows are not those
// of the columns.
func (k Kept) complete(c *Columns) error {
	for i := range k.Groups {
		g, folds := &k.Groups[i], k.Folds[i]
		g.Outer, g.DX, g.DY = c.OuterOf(g.Name), len(c.X), len(c.Y)
		if n := g.Len(); len(g.X) != n*g.DX || len(g.Y) != n*g.DY || len(folds) != len(g.Y) || g.Weights != nil && len(g.Weights) != n || g.Censored != nil && len(g.Censored) != len(g.Y) {
			return fmt.Errorf("%d numbers of x and %d of y of %s", len(g.X), len(g.Y), g.Name)
		}
		if slices.ContainsFunc(folds, func(fold int) bool { return fold < 0 || fold >= stack.Folds }) {
			return fmt.Errorf("the folds %v of %s", folds, g.Name)
		}
		for i, v := range g.X {
			if names := c.XForms[i%g.DX].Categories; names != nil && (v < 0 || v >= float64(len(names))) {
				return fmt.Errorf("the name %g of %d, of %s", v, len(names), g.Name)
			}
		}
	}
	return nil
}

// numbers are numbers that JSON writes as null where they are missing.
type numbers []float64

// MarshalJSON writes null for NaN.
func (n numbers) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, v := range n {
		if i > 0 {
			b = append(b, ',')
		}
		if math.IsNaN(v) {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendFloat(b, v, 'g', -1, 64)
		}
	}
	return append(b, ']'), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *numbers) UnmarshalJSON(content []byte) error {
	var all []*float64
	if err := json.Unmarshal(content, &all); err != nil {
		return err
	}
	for _, v := range all {
		if v == nil {
			*n = append(*n, math.NaN())
		} else {
			*n = append(*n, *v)
		}
	}
	return nil
}
