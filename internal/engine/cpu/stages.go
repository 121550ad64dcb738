package cpu

import (
	"cmp"
	"slices"
)

// stage is a stretch of units that one tile can run through without waiting for other tiles.
type stage struct {
	domain  domain
	units   []*unit
	reduced []*value // complete when the stage ends
}

// schedule puts every unit into a stage, as late as its users allow, so that a value lives as short as it can.
// Between two units lies a barrier where their tiles differ, a sum over tiles has to be complete, or the user reads rows
// of other tiles.
func (a *analysis) schedule() []*stage {
	earliest := map[*unit]int{}
	for _, u := range a.units {
		for _, v := range u.in {
			if v.made != nil {
				earliest[u] = max(earliest[u], earliest[v.made]+barrier(v, u))
			}
		}
	}
	for _, u := range slices.Backward(a.units) {
		u.stage = earliest[u]
		used := false
		for _, v := range u.outs() {
			for _, user := range v.users {
				latest := user.stage - barrier(v, user)
				if !used {
					u.stage, used = latest, true
				}
				u.stage = min(u.stage, latest)
			}
		}
	}
	return a.group()
}

// barrier is 1 where v is complete for user only in a later stage than it is made in.
func barrier(v *value, user *unit) int {
	if v.reduced || v.made.domain != user.domain || user.op != nil && user.op.Across() {
		return 1
	}
	return 0
}

// group collects the units of equal stage and domain, in order, and numbers them.
func (a *analysis) group() []*stage {
	type key struct {
		level  int
		domain domain
	}
	byKey := map[key]*stage{}
	var keys []key
	for _, u := range a.units {
		k := key{u.stage, u.domain}
		if byKey[k] == nil {
			byKey[k] = &stage{domain: u.domain}
			keys = append(keys, k)
		}
		s := byKey[k]
		u.pos = len(s.units)
		s.units = append(s.units, u)
		for _, v := range u.outs() {
			if v.reduced {
				s.reduced = append(s.reduced, v)
			}
		}
	}
	slices.SortFunc(keys, func(x, y key) int { return cmp.Or(cmp.Compare(x.level, y.level), cmp.Compare(x.domain, y.domain)) })
	stages := make([]*stage, len(keys))
	for i, k := range keys {
		stages[i] = byKey[k]
		for _, u := range stages[i].units {
			u.stage = i
		}
	}
	return stages
}

// local reports whether v lives only within a tile: made and used in one stage that has tiles, and no result of the run.
func (v *value) local() bool {
	if v.made == nil || v.made.domain == whole || v.reduced || v.result {
		return false
	}
	for _, u := range v.users {
		if u.stage != v.made.stage {
			return false
		}
	}
	return true
}
