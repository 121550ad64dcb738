package cpu

import (
	"slices"

	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// fused is an addition of two gradients in the unit that makes one of them. The unit adds its
// gradient to base and writes the sum.
type fused struct {
	base, sum *analysis.Value
	inPlace   bool // the sum has base's memory
}

// fuseAdditions moves additions of gradients into the units of layers and attentions that make them.
// In a transformer every token has several gradients, and adding them takes as long as a layer norm.
func (s *schedule) fuseAdditions(units []*analysis.Unit) {
	for _, u := range units {
		if u.Op != nil || s.of[u].domain == whole {
			continue
		}
		base, last := u.In[0], u.In[1]
		if s.before(last, base) {
			base, last = last, base
		}
		if f := (fused{base: base, sum: u.Out[0]}); s.fusible(&f, last, u) {
			st := s.stages[s.of[u].stage]
			st.units = slices.DeleteFunc(st.units, func(x *analysis.Unit) bool { return x == u })
			s.fused[last] = f
			s.of[u] = s.of[last.Made]
		}
	}
	for _, st := range s.stages {
		for i, u := range st.units {
			s.of[u].pos = i
		}
	}
}

// before reports whether a is complete before the unit that makes b runs.
func (s *schedule) before(a, b *analysis.Value) bool {
	if a.Made == nil || b.Made == nil {
		return a.Made == nil
	}
	p, q := s.of[a.Made], s.of[b.Made]
	return p.stage < q.stage || p.stage == q.stage && p.pos < q.pos
}

// fusible reports whether the maker of last can do the addition u, and completes f.
func (s *schedule) fusible(f *fused, last *analysis.Value, u *analysis.Unit) bool {
	made := last.Made
	if made == nil || made.Op == nil || len(last.Users) > 1 || last.Result || s.of[made].stage != s.of[u].stage || !s.before(f.base, last) {
		return false
	}
	switch made.Op.Kind {
	case ops.LinearGrad:
		return made.Out[ops.InGrad] == last
	case ops.AttentionGrad: // adds to its results in any case
		f.inPlace = made.Out[ops.QueryGrad] != last && s.local(f.base) && s.local(f.sum) && len(f.base.Users) == 1
		return f.inPlace
	}
	return false
}
