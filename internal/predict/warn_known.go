package predict

import (
	"cmp"
	"fmt"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models/stack"
	"github.com/acqnp/acqnp/internal/warning"
)

// warnOfKnown adds lines about groups whose known points are unlike those of any group of the data, and about numbers
// of known points for which there is no calibration.
func (f Fitted) warnOfKnown(functions []Function, w *warning.Record) {
	for c, s := range f.Stacks {
		var strange, uncovered []string
		farthest, least, most := 0.0, 0, 0
		for _, fn := range functions {
			known := f.known(c, f.ModelX(fn.ContextX), fn.ContextY)
			name := cmp.Or(fn.Name, "the group")
			if place, of, is := s.Unlike(known); is {
				strange, farthest = append(strange, fmt.Sprintf("%s (%.3g deviations)", name, place)), max(farthest, of)
			}
			if n := known.Points(); !stack.Covers(s.Calibrations, n) && len(fn.TargetX) > 0 {
				uncovered = append(uncovered, fmt.Sprintf("%s (%d)", name, n))
				least, most = s.Calibrations[0].Least, s.Calibrations[len(s.Calibrations)-1].Most
			}
		}
		if strange != nil {
			w.Add("no group of the data is like %s: known %s lie so far off the curve of all groups, and those of the data lie within %.2g; where at least %d points agree, predictions follow them",
				invalid.First(strange), f.Y[c], farthest, stack.LeastPlaced)
		}
		if uncovered != nil {
			w.Add("intervals and regions of %s are calibrated by predictions from %d to %s, and not for the numbers known of %s",
				f.Y[c], least, invalid.Plural(most, "known point", "known points"), invalid.First(uncovered))
		}
	}
}
