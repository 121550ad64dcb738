package cuda

import (
	"fmt"

	"github.com/acqnp/acqnp/kernels/gpu"
)

// launch is a kernel launch before regions have addresses. An argument is a region, an int, which
// becomes an int32, or a type that gpu.Args accepts.
type launch struct {
	kernel        string
	dims          gpu.Dims
	args          []any
	reads, writes []region
}

// call is a launch whose kernel and addresses are known.
type call struct {
	kernel string
	f      gpu.Func
	dims   gpu.Dims
	params gpu.Params
}

// bind finds the kernels and addresses of launches.
func bind(d gpu.Driver, m *memory, launches []*launch) ([]call, error) {
	found := map[string]gpu.Func{}
	calls := make([]call, len(launches))
	for i, l := range launches {
		f, ok := found[l.kernel]
		if !ok {
			var err error
			if f, err = d.Function(l.kernel); err != nil {
				return nil, err
			}
			found[l.kernel] = f
		}
		args := make([]any, len(l.args))
		for j, a := range l.args {
			switch a := a.(type) {
			case region:
				args[j] = m.ptr(a)
			case int:
				if int(int32(a)) != a {
					return nil, fmt.Errorf("cuda: argument %d of %s is %d, beyond the range of int32; use a smaller batch or fewer levels", j, l.kernel, a)
				}
				args[j] = int32(a)
			default:
				args[j] = a
			}
		}
		calls[i] = call{kernel: l.kernel, f: f, dims: l.dims, params: gpu.Args(args...)}
	}
	return calls, nil
}

// run makes the launches of a side. The first time it starts them one after another, because the
// driver loads kernels when they are first started. From the second time on it replays them as one
// graph. With Options.Synchronous it makes no graph and waits after each launch, so that an error
// names its kernel.
func (m *machine) run(side int) error {
	if m.graphs[side] != nil {
		return m.graphs[side].Replay()
	}
	if m.started && !m.synchronous {
		var err error
		if m.graphs[side], err = m.driver.Graph(nodes(m.calls[side], m.after, m.late)); err != nil {
			m.graphs[side] = nil
			return err
		}
		return m.graphs[side].Replay()
	}
	m.started = true
	for _, c := range m.calls[side] {
		if err := m.start(c); err != nil {
			return err
		}
	}
	return nil
}

// start makes one launch, and waits for it if the options ask for that.
func (m *machine) start(c call) error {
	if err := m.driver.Launch(c.f, c.dims, c.params); err != nil || !m.synchronous {
		return err
	}
	err := m.driver.Sync()
	if e, ok := err.(*gpu.Error); ok && e.Kernel == "" {
		return &gpu.Error{Call: "kernel", Kernel: c.kernel, Cause: e.Cause}
	}
	return err
}
