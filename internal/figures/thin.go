package figures

import (
	"slices"

	"github.com/acqnp/acqnp/internal/predict"
)

// What a picture of 1200×800 pixels can show bounds what a panel keeps of a prediction.
const (
	pictureColumns = 1200    // of pixels
	fewestColumns  = 240     // that a curve still follows smoothly
	panelMarks     = 1 << 17 // levels, means and quantiles
)

// A thinning says what a panel keeps of the prediction of one function: everything where panelMarks
// suffice, else equally many targets in each column of the panel.
type thinning struct {
	targets []bool // which are kept; nil: all
	levels  int    // how many are kept of each target
}

// newThinning plans what is kept of targets [N] in any order, each with so many levels and
// quantiles.
func newThinning(x []float64, levels, quantiles int) thinning {
	each := levels + 1 + quantiles
	if len(x)*each <= panelMarks {
		return thinning{levels: levels}
	}
	levels = min(levels, panelMarks/fewestColumns-1)
	points := panelMarks / (levels + 1 + quantiles)
	columns := min(max(points, fewestColumns), pictureColumns)
	return thinning{targets: evenly(x, columns, max(1, points/columns)), levels: levels}
}

// evenly chooses at most quota values in each of so many columns of equal width, evenly over those
// in the column, and the least and the greatest value, which give the picture its range.
func evenly(x []float64, columns, quota int) []bool {
	lo, hi := extremes(x)
	column := make([]int, len(x))
	number := make([]int, columns) // of values
	for i, v := range x {
		if share := (v - lo) / (hi - lo); share > 0 { // not where all values are equal
			column[i] = min(int(share*float64(columns)), columns-1)
		}
		number[column[i]]++
	}
	chosen, seen := make([]bool, len(x)), make([]int, columns)
	for i, c := range column {
		chosen[i] = number[c] <= quota || seen[c]*quota%number[c] < quota
		seen[c]++
	}
	for _, end := range []float64{lo, hi} {
		if i := slices.Index(x, end); i >= 0 {
			chosen[i] = true
		}
	}
	return chosen
}

// keeps reports whether a target is kept.
func (t thinning) keeps(target int) bool { return t.targets == nil || t.targets[target] }

// sample returns the components that are kept, evenly spread over all of them.
func (t thinning) sample(all []predict.Component) []predict.Component {
	if len(all) <= t.levels {
		return all
	}
	kept := make([]predict.Component, t.levels)
	for k := range kept {
		kept[k] = all[k*len(all)/t.levels]
	}
	return kept
}
