package own

import (
	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/points"
)

// Bounds of a calibration's contexts and targets.
const (
	calibrationContext = 2000 // context points of a group of which points are held out
	calibrationTargets = 100  // target points of a group that is held out whole
)

// held returns what is held back for calibration (data.calibration), in raw units: none of it is in
// the training, the validation, the test or the scaling. A group that is held out whole
// has a context of a random size, one of those that validation takes, and other random points as
// targets. Of a group of which points are held out these are the targets; training and validation
// points are the context.
//
// Three things come from all rows, these included: whether a column holds numbers, names or dates, the
// first day of dates, and whether a column whose logarithm is taken has a 0.
func (s *source) held(read rows.Table) (held []points.Question) {
	for _, i := range s.calibration {
		p, f, g := read.Groups[i], s.spans[i], reserved()
		picked, known, targets := s.order[i], min(f.train+f.valid, calibrationContext), f.calibration
		if !s.byPoint() {
			sizes := s.validSizes(i)
			known = sizes[g.IntN(1+2*uint64(i), 0, len(sizes))]
			targets = min(f.points-known, calibrationTargets)
			picked = g.Order(2+2*uint64(i), f.points)[:known+targets]
		}
		held = append(held, points.Question{Name: p.Name, Known: p.Take(picked[:known]), Targets: p.Take(picked[len(picked)-targets:])})
	}
	return held
}

// ScanOthers is rows.ScanFile without the rows that are for calibration. all is what ScanFile returned.
func ScanOthers(d config.Data, dataDir string, all rows.Scan) (rows.Scan, error) {
	points := map[string]int{}
	for _, g := range all.Groups {
		if g.Used > 0 {
			points[g.Name] = g.Used
		}
	}
	held, err := reserve(points, d.SplitBy == "point", d.Calibration)
	if err != nil {
		return rows.Scan{}, err
	}
	return rows.ScanOthers(d, dataDir, held)
}
