package own

import (
	"maps"
	"slices"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
)

// Bounds of a calibration's contexts and targets.
const (
	calibrationContext = 2000 // context points of a group of which points are held out
	calibrationTargets = 100  // target points of a group that is held out whole
	leastLeft          = 2    // points of a group that are not for calibration, if it has two or more
)

// held returns what is held back for calibration (data.calibration), in raw units: none of it is in
// the training, the validation, the test, the scaling or a baseline. A group that is held out whole
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

// reserved is the generator of the calibration's choices. They depend on names and numbers of points
// alone, so that no search over data.seed sees what is for calibration.
func reserved() random.Generator { return random.New(0, random.Calibration) }

// reserve draws what is for calibration: n groups of two points or more, or n points, such that two of
// each group remain. counts has the number of points of each group. It returns the rows of each group
// that has any, and refuses an n that is too large.
func reserve(counts map[string]int, byPoint bool, n int) (map[string][]int, error) {
	type unit struct {
		group string
		rows  []int
	}
	var units []unit
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		rows := make([]int, counts[name])
		for k := range rows {
			rows[k] = k
		}
		switch {
		case byPoint:
			for k := range rows {
				units = append(units, unit{name, rows[k : k+1]})
			}
		case len(rows) > 1:
			units = append(units, unit{name, rows})
		}
	}
	held, left := map[string][]int{}, n
	for _, u := range points.Pick(units, 1, reserved().Order(0, len(units))) {
		if left > 0 && (!byPoint || counts[u.group]-len(held[u.group]) > leastLeft) {
			held[u.group] = append(held[u.group], u.rows...)
			left--
		}
	}
	switch {
	case left > 0:
		return nil, datasets.Refuse("data.calibration", n, "at most %d, which leave two points of each group", n-left)
	case !byPoint && n >= len(units):
		return nil, datasets.Refuse("data.calibration", n, "fewer than the %s of two points or more", invalid.Plural(len(units), "group", "groups"))
	}
	return held, nil
}

// reservePoints draws what is for calibration and returns the other groups. If points are held out, these are all
// groups, and the rows for calibration are in s.order.
func (s *source) reservePoints(groups []points.Group) (others []int, err error) {
	sizes := map[string]int{}
	for _, g := range groups {
		sizes[g.Name] = g.Len()
	}
	held := map[string][]int{}
	if n := s.e.Data.Calibration; n > 0 {
		if held, err = reserve(sizes, s.byPoint(), n); err != nil {
			return nil, err
		}
	}
	for i, f := range groups {
		rows := held[f.Name]
		s.spans[i].calibration = len(rows)
		if s.byPoint() {
			s.order[i] = rows
		}
		if s.byPoint() || rows == nil {
			others = append(others, i)
		}
	}
	return others, nil
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
