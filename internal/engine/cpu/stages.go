package cpu

import (
	"cmp"
	"slices"

	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// stage is a sequence of units that a tile can run through without waiting for other tiles.
type stage struct {
	domain ops.Space
	units  []*analysis.Unit
	sums   []*analysis.Value // the sums over tiles, complete when the stage ends
}

// place says where a unit runs: its domain, its stage, and its position in the stage.
type place struct {
	domain     ops.Space
	stage, pos int
}

// schedule is the division of a graph's units into stages.
type schedule struct {
	stages      []*stage
	of          map[*analysis.Unit]*place
	wholeGroups bool
	into        map[*analysis.Value]*analysis.Value // sums that are only added up: see mergeSums
	fused       map[*analysis.Value]fused           // gradients that their makers add to others: see fuseAdditions
}

// newSchedule puts every unit into a stage, as late as its users allow, so that values are in
// memory for a short time. A barrier separates two units if their domains differ, if the user reads
// a sum over tiles, or if it reads rows of other tiles. With wholeGroups, tiles of units without
// levels hold whole groups.
func newSchedule(a *analysis.Analysis, wholeGroups bool) *schedule {
	s := &schedule{of: map[*analysis.Unit]*place{}, into: map[*analysis.Value]*analysis.Value{}, fused: map[*analysis.Value]fused{}, wholeGroups: wholeGroups}
	for _, u := range a.Units {
		s.of[u] = &place{domain: domainOf(u, wholeGroups)}
	}
	earliest := map[*analysis.Unit]int{}
	for _, u := range a.Units {
		for _, v := range u.In {
			if v.Made != nil {
				earliest[u] = max(earliest[u], earliest[v.Made]+s.barrier(v, u))
			}
		}
	}
	for _, u := range slices.Backward(a.Units) {
		p := s.of[u]
		p.stage = earliest[u]
		used := false
		for _, v := range u.Outs() {
			for _, user := range v.Users {
				latest := s.of[user].stage - s.barrier(v, user)
				if !used {
					p.stage, used = latest, true
				}
				p.stage = min(p.stage, latest)
			}
		}
	}
	s.group(a.Units)
	if wholeGroups {
		s.mergeSums(a.Units)
		s.fuseAdditions(a.Units)
	}
	return s
}

// barrier returns 1 if user must be in a later stage than the unit that makes v, otherwise 0.
func (s *schedule) barrier(v *analysis.Value, user *analysis.Unit) int {
	domain := s.of[user].domain
	if s.summed(v) || s.of[v.Made].domain != domain || domain != ops.Group && user.Op != nil && user.Op.Across() {
		return 1
	}
	return 0
}

// group collects the units of equal stage and domain, in order, and numbers them.
func (s *schedule) group(units []*analysis.Unit) {
	type key struct {
		level  int
		domain ops.Space
	}
	byKey := map[key]*stage{}
	var keys []key
	for _, u := range units {
		p := s.of[u]
		k := key{p.stage, p.domain}
		if byKey[k] == nil {
			byKey[k] = &stage{domain: p.domain}
			keys = append(keys, k)
		}
		st := byKey[k]
		p.pos = len(st.units)
		st.units = append(st.units, u)
		for _, v := range u.Outs() {
			if s.summed(v) {
				st.sums = append(st.sums, v)
			}
		}
	}
	slices.SortFunc(keys, func(x, y key) int { return cmp.Or(cmp.Compare(x.level, y.level), cmp.Compare(x.domain, y.domain)) })
	for i, k := range keys {
		s.stages = append(s.stages, byKey[k])
		for _, u := range byKey[k].units {
			s.of[u].stage = i
		}
	}
}

// summed reports whether v is a sum over tiles, which is complete only after its maker's stage. The
// gradients of keys and values are such sums even in the space of the queries: a tile adds to the
// rows of all tiles of its groups.
func (s *schedule) summed(v *analysis.Value) bool {
	if v.Made == nil || v.Made.Op == nil {
		return false
	}
	own := s.of[v.Made].domain
	if own == v.Space {
		return v.Reduced && v.Made.Op.Across()
	}
	return v.Reduced && !own.Contains(v.Space)
}

// local reports whether v is tile-local: made and used in one stage that has tiles, and no result
// of the run.
func (s *schedule) local(v *analysis.Value) bool {
	if v.Made == nil || s.of[v.Made].domain == whole || s.summed(v) || v.Result {
		return false
	}
	for _, u := range v.Users {
		if s.of[u].stage != s.of[v.Made].stage {
			return false
		}
	}
	return true
}
