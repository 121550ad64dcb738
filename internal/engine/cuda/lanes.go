package cuda

import "slices"

// relate makes every step come after the earlier steps whose results it reads or overwrites, and
// after those that read what it overwrites. Two steps that write different parts of the same buffer
// have no order.
func relate(steps []*step) {
	for i, s := range steps {
		for _, earlier := range steps[:i] {
			if conflict(s, earlier) {
				s.before = append(s.before, earlier)
			}
		}
	}
}

// conflict reports whether two steps must keep their order.
func conflict(s, t *step) bool {
	return touches(s.reads, t.writes) || touches(s.writes, t.reads) || slices.ContainsFunc(s.writes, func(r region) bool { return slices.Contains(t.writes, r) })
}

// touches reports whether two lists have a buffer in common.
func touches(a, b []region) bool {
	return slices.ContainsFunc(a, func(r region) bool {
		return slices.ContainsFunc(b, func(q region) bool { return q.buffer == r.buffer })
	})
}

// lanes appends each lane to one whose results it reads, where takes allows it, so that one launch
// does the work of several. It returns the steps that are left, in an order that their before lists
// allow.
func lanes(steps []*step) []*step {
	relate(steps)
	within := map[*step]*step{} // the lane that a step became part of
	var left []*step
	for _, s := range steps {
		s.before = others(s, within)
		if lane := laneFor(s); lane != nil {
			lane.extend(s)
			within[s] = lane
			continue
		}
		left = append(left, s)
	}
	for _, s := range left {
		s.before = others(s, within)
	}
	return sorted(left)
}

// others returns what s must come after, with lanes in place of their parts.
func others(s *step, within map[*step]*step) []*step {
	var all []*step
	for _, b := range s.before {
		for within[b] != nil {
			b = within[b]
		}
		if b != s && !slices.Contains(all, b) {
			all = append(all, b)
		}
	}
	return all
}

// laneFor returns the lane that s can be appended to: the last one whose results it reads, if its
// other inputs do not depend on that lane. It returns nil if there is none.
func laneFor(s *step) *step {
	for _, lane := range slices.Backward(s.before) {
		if !lane.takes(s) {
			continue
		}
		free := !slices.ContainsFunc(s.before, func(b *step) bool { return b != lane && b.follows(lane) })
		if free {
			return lane
		}
	}
	return nil
}

// follows reports whether s comes after t, directly or through other steps.
func (s *step) follows(t *step) bool {
	seen := map[*step]bool{}
	var visit func(s *step) bool
	visit = func(s *step) bool {
		if s == t {
			return true
		}
		if seen[s] {
			return false
		}
		seen[s] = true
		return slices.ContainsFunc(s.before, visit)
	}
	return visit(s)
}

// takes reports whether the tasks of t can be appended to the lane s. t must compute the same rows
// and read the result of the lane's last task. A row of t may read only the same row of the lane's
// results. The lane must not use what t overwrites. A step that reads only an earlier result starts
// a lane of its own, which runs beside s.
func (s *step) takes(t *step) bool {
	if !s.lane() || !t.lane() || s.tasks[0].s != t.tasks[0].s || !touches(t.reads, s.tasks[len(s.tasks)-1].writes()) || touches(t.writes, s.reads) || touches(t.writes, s.writes) {
		return false
	}
	for _, r := range t.reads {
		if touches([]region{r}, s.writes) && !slices.Contains(t.tasks[0].local, r) {
			return false
		}
	}
	_, ok := s.kindWith(t)
	return ok
}

// lane reports whether other tasks can be appended to the step.
func (s *step) lane() bool {
	return (s.kind == byPiece || s.kind == byRows) && s.tasks[0].op != drawLevels && (s.tasks[0].op != add || s.tasks[0].stride == 0)
}

// kindWith returns the kind of the lane s with the tasks of t appended. ok is false if there is
// none.
func (s *step) kindWith(t *step) (k kind, ok bool) {
	if s.kind == byPiece && t.kind == byPiece && (s.width() == t.width() && s.width() > 0 || s.narrow() && t.narrow()) {
		return byPiece, true
	}
	sums := func(t task) bool { return t.op.sums() }
	return byRows, s.rows <= manyRows && !slices.ContainsFunc(s.tasks, sums) && !slices.ContainsFunc(t.tasks, sums)
}

// width returns the columns of all results of a lane of elementwise tasks; 0 if they differ.
func (s *step) width() int {
	for _, t := range s.tasks {
		if t.d != s.tasks[0].d {
			return 0
		}
	}
	return s.tasks[0].d
}

// fewColumns is the most columns that a thread of kernel each computes for its row.
const fewColumns = 8

// narrow reports whether a thread can compute whole rows of a lane's results.
func (s *step) narrow() bool {
	return !slices.ContainsFunc(s.tasks, func(t task) bool { return t.d > fewColumns })
}

// extend appends the tasks of t.
func (s *step) extend(t *step) {
	s.kind, _ = s.kindWith(t)
	s.tasks = append(s.tasks, t.tasks...)
	s.reads, s.writes = append(s.reads, t.reads...), append(s.writes, t.writes...)
	for _, b := range t.before {
		if b != s && !slices.Contains(s.before, b) {
			s.before = append(s.before, b)
		}
	}
}

// sorted returns the steps with each after those in its before list, and otherwise in their
// original order.
func sorted(steps []*step) []*step {
	done := map[*step]bool{}
	var all []*step
	var visit func(s *step)
	visit = func(s *step) {
		if done[s] {
			return
		}
		done[s] = true
		for _, b := range s.before {
			visit(b)
		}
		all = append(all, s)
	}
	for _, s := range steps {
		visit(s)
	}
	return all
}
