package cuda

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/gpu"
)

// launch is a kernel launch before regions have addresses. An argument is a region, an int, which
// becomes an int32, or a type that gpu.Args accepts.
type launch struct {
	kernel string
	dims   gpu.Dims
	args   []any
}

// call is a launch whose kernel and addresses are known.
type call struct {
	f      gpu.Func
	dims   gpu.Dims
	params gpu.Params
}

// bind finds the kernels and addresses of launches.
func bind(d gpu.Driver, m *memory, launches []launch) ([]call, error) {
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
		calls[i] = call{f: f, dims: l.dims, params: gpu.Args(args...)}
	}
	return calls, nil
}

// record captures the calls as one graph.
func record(d gpu.Driver, calls []call) (gpu.Graph, error) {
	return d.Capture(func() error {
		for _, c := range calls {
			if err := d.Launch(c.f, c.dims, c.params); err != nil {
				return err
			}
		}
		return nil
	})
}
