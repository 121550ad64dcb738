package cpu

import (
	"slices"

	"github.com/acqnp/acqnp/internal/engine/analysis"
)

// mergeSums replaces two sums over tiles by one, if one stage makes both and the graph only adds them
// up. Two paths of a transformer that share a parameter have such gradients. The units that make them
// then add to the same partial sums, and the addition is not run.
func (s *schedule) mergeSums(units []*analysis.Unit) {
	for _, u := range units {
		if u.Op != nil || s.of[u].domain != whole {
			continue
		}
		at := s.stageOfSum(u.In[0])
		if at == nil || s.stageOfSum(u.In[1]) != at || u.In[0] == u.In[1] || len(u.In[0].Users) > 1 || len(u.In[1].Users) > 1 {
			continue
		}
		old := s.stages[s.of[u].stage]
		old.units = slices.DeleteFunc(old.units, func(x *analysis.Unit) bool { return x == u })
		at.sums = slices.DeleteFunc(at.sums, func(v *analysis.Value) bool { return slices.Contains(u.In, v) })
		at.sums = append(at.sums, u.Out[0])
		s.into[u.In[0]], s.into[u.In[1]] = u.Out[0], u.Out[0]
		s.of[u].stage = slices.Index(s.stages, at)
	}
	s.dropEmpty(units)
}

// stageOfSum returns the stage that sums v over tiles. It returns nil if v is not summed over tiles, or
// is a result of the run.
func (s *schedule) stageOfSum(v *analysis.Value) *stage {
	if v.Made == nil || v.Result {
		return nil
	}
	if at := s.stages[s.of[v.Made].stage]; slices.Contains(at.sums, v) {
		return at
	}
	return nil
}

// dropEmpty drops stages without units and numbers the others again.
func (s *schedule) dropEmpty(units []*analysis.Unit) {
	number, kept := make([]int, len(s.stages)), 0
	for i, st := range s.stages {
		number[i] = kept
		if len(st.units) > 0 {
			kept++
		}
	}
	s.stages = slices.DeleteFunc(s.stages, func(st *stage) bool { return len(st.units) == 0 })
	for _, u := range units {
		s.of[u].stage = number[s.of[u].stage]
	}
}

// merged returns the sum to which v's maker adds: v, unless v is only added to another sum.
func (s *schedule) merged(v *analysis.Value) *analysis.Value {
	for s.into[v] != nil {
		v = s.into[v]
	}
	return v
}
