package figures

import (
	"slices"

	"github.com/acqnp/acqnp/internal/predict"
)

// Limits of what a panel keeps of a prediction, from what a picture of 1200×800 pixels can show.
const (
	pictureColumns = 1200    // of pixels
	fewestColumns  = 240     // for a smooth curve
	panelMarks     = 1 << 17 // levels, means and quantiles
)

// A thinning states what a panel keeps of the prediction of one function: everything if that is at
// most panelMarks, otherwise equally many targets in each column of the panel.
type thinning struct {
	targets []bool // whether each target is kept; nil if all are
	levels  int    // the number of levels that are kept of each target
}

// newThinning returns the thinning for targets at x [N], in any order. levels and quantiles are the
// numbers of each target.
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

// evenly chooses at most quota values in each of the columns of equal width, spread evenly over
// the values in the column. It also chooses the least and the greatest value, which set the range
// of x.
func evenly(x []float64, columns, quota int) []bool {
	lo, hi := extremes(x)
	column := make([]int, len(x))
	number := make([]int, columns) // of values in each column
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
