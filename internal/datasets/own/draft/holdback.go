package draft

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/own"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
)

// How many groups, or points, calibrate. With 9, 19, 29 … of them an interval of 90% covers exactly
// 90% in the mean. An interval of 95% needs 19. With more of them the coverage varies less.
const (
	fewCalibrate  = 9
	someCalibrate = 19
	mostCalibrate = 199
	leastForFew   = 15 // groups, or points, from which fewCalibrate are held back
	leastForSome  = 40 // from which someCalibrate are
)

// calibrating returns how many of n groups, or points, calibrate: about a quarter, within bounds.
func calibrating(n int) int {
	if n < leastForSome {
		return fewCalibrate
	}
	return min(max(n/4/10*10-1, someCalibrate), mostCalibrate)
}

// holdBack sets how many groups, or points, calibrate, and returns what the other rows hold: the
// configuration is drafted from those alone, so it does not depend on the data that calibrate.
func (f Found) holdBack(d *config.Data, dataDir string, all rows.Scan) (Found, error) {
	n, what := count(all, 2), "group"
	if d.SplitBy == "point" {
		n, what = f.used(), "row"
	}
	if n < leastForFew {
		return f, &invalid.Input{File: "--hold-back", Found: invalid.Plural(n, what, what+"s"),
			Expected: fmt.Sprintf("at least %d, of which %d calibrate an interval of 90%% and the others train", leastForFew, fewCalibrate)}
	}
	d.Calibration = calibrating(n)
	others, err := own.ScanOthers(*d, dataDir, all)
	if err != nil {
		return f, err
	}
	found, err := foundIn(others, *d)
	found.Calibration = d.Calibration
	return found, err
}
