package cuda

import "slices"

// mostPending limits the memory, in float32s, of results that are kept until a common launch of
// weight_grads.
const mostPending = 64 << 20

// schedule gives every step its level. Steps of a level do not depend on each other, and its lanes
// of the same kind share a launch. Gradients of weights wait for each other, so that few launches
// compute all of them.
func schedule(steps []*step) {
	var waiting, settled []*step
	size := 0
	flush := func() {
		comeAfterGradients(waiting, settled)
		setWaitingLevels(waiting)
		waiting, size = nil, 0
	}
	waits := map[*step]bool{}
	for _, s := range steps {
		reads := slices.ContainsFunc(s.before, func(b *step) bool { return waits[b] && slices.Contains(waiting, b) })
		switch {
		case s.kind == bySlices && s.rows <= manyRows, reads && s.kind != alone && !s.lane():
			waits[s] = true
			waiting = append(waiting, s)
			if s.kind == bySlices {
				if size += s.tasks[0].out.buffer.Size; size > mostPending {
					flush()
				}
			}
		case reads:
			flush()
			s.level = s.earliest()
		default:
			s.level = s.earliest()
			settled = append(settled, s)
		}
	}
	flush()
	share(steps)
}

// comeAfterGradients lets the gradients of weights wait for those of MLPs, though they do not read them. Beside
// each other neither could start early, nor what comes after both.
func comeAfterGradients(waiting, settled []*step) {
	for _, g := range settled {
		for _, s := range waiting {
			if g.gradient && s.kind == bySlices && !s.follows(g) && !g.follows(s) {
				s.before, s.reads = append(s.before, g), append(s.reads, g.writes...)
			}
		}
	}
}

// earliest returns the first level after those of the steps that s must come after.
func (s *step) earliest() int {
	level := 0
	for _, b := range s.before {
		level = max(level, b.level+1)
	}
	return level
}

// setWaitingLevels gives levels to gradients of weights and to the sums over their slices. All the
// gradients get one level; each sum gets the earliest that it can.
func setWaitingLevels(waiting []*step) {
	common := 0
	for _, s := range waiting {
		if s.kind == bySlices {
			common = max(common, s.earliest())
		}
	}
	for _, s := range waiting {
		if s.kind == bySlices {
			s.level = common
		}
	}
	for _, s := range waiting {
		if s.kind != bySlices {
			s.level = s.earliest()
		}
	}
}

// share moves lanes to later levels that have lanes of their kind, if that saves a launch.
func share(steps []*step) {
	for again := true; again; {
		again = false
		for _, group := range groups(steps) {
			to := make([]int, len(group))
			for i, s := range group {
				if to[i] = s.betterLevel(steps); to[i] == s.level {
					to = nil
					break
				}
			}
			if to == nil {
				continue
			}
			for i, s := range group {
				s.level = to[i]
			}
			again = true
			break
		}
	}
}

// betterLevel returns the first later level at which s could share a launch with other lanes and
// still end before the steps that need it. If there is none, it returns the level of s.
func (s *step) betterLevel(steps []*step) int {
	latest := -1
	for _, t := range steps {
		if slices.Contains(t.before, s) && (latest < 0 || t.level <= latest) {
			latest = t.level - 1
		}
	}
	best := s.level
	for _, t := range steps {
		if t.kind == s.kind && t.level > s.level && (latest < 0 || t.level <= latest) && (best == s.level || t.level < best) {
			best = t.level
		}
	}
	return best
}

// groups returns the steps by launch, in the order of the levels.
func groups(steps []*step) [][]*step {
	var all [][]*step
	in := slices.Clone(steps)
	slices.SortStableFunc(in, func(a, b *step) int { return a.level - b.level })
	for _, s := range in {
		at := -1
		if s.kind != alone {
			at = slices.IndexFunc(all, func(g []*step) bool {
				return g[0].kind == s.kind && g[0].level == s.level && len(g) < mostLanes
			})
		}
		if at < 0 {
			all = append(all, []*step{s})
			continue
		}
		all[at] = append(all[at], s)
	}
	return all
}

// mostLanes is the most lanes of a launch: kernel each has a bit for each.
const mostLanes = 31
