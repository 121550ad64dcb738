package cuda

import (
	"cmp"
	"slices"
	"time"

	"github.com/acqnp/acqnp/internal/models/ops"
)

// LaunchTime is how long a kernel launch of a training step takes.
type LaunchTime struct {
	Kernel        string
	Blocks        int
	Median, Least time.Duration
	Early         bool // in a step it may start before the launch before it has ended
}

// TimeLaunches makes a step with the inputs of the coming one, `times` times over, and waits after each launch. It returns
// the launches in the order of the step. It measures the time between two events around a
// launch, which includes the start of the kernel. In a graph, kernels start sooner and may overlap.
func (t *Trainer) TimeLaunches(e ops.Extents, batch int, rate float64, times int) ([]LaunchTime, error) {
	if t.err != nil {
		return nil, t.err
	}
	if err := t.check(e); err != nil {
		return nil, err
	}
	var took [][]time.Duration
	if t.err = cmp.Or(t.upload(t.next, t.hosts[t.next], e, batch, rate), t.driver.Sync()); t.err == nil {
		took, t.err = t.timeLaunches(t.next, times)
	}
	if t.err != nil {
		return nil, t.err
	}
	calls, early := t.calls[t.next], make([]bool, len(t.calls[t.next]))
	for _, g := range t.graphs {
		if g != nil {
			early = g.Early() // the same for both sides
		}
	}
	all := make([]LaunchTime, len(calls))
	for i, c := range calls {
		slices.Sort(took[i])
		all[i] = LaunchTime{Kernel: c.kernel, Blocks: int(c.dims.Grid[0] * c.dims.Grid[1] * c.dims.Grid[2]),
			Median: took[i][times/2], Least: took[i][0], Early: early[i]}
	}
	return all, nil
}

// timeLaunches returns the times of each launch of a side.
func (m *machine) timeLaunches(side, times int) ([][]time.Duration, error) {
	took := make([][]time.Duration, len(m.calls[side]))
	for range times {
		for i, c := range m.calls[side] {
			d, err := m.driver.Time(func() error { return m.driver.Launch(c.f, c.dims, c.params) })
			if err != nil {
				return nil, err
			}
			took[i] = append(took[i], d)
		}
	}
	return took, nil
}
