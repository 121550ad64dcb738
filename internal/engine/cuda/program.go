package cuda

import (
	"cmp"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// Program is a compiled graph. It is an engine.Program.
type Program struct {
	*machine
	host    *host
	params  []float32
	stale   bool // the device's parameters, since Params was called
	grads   []float32
	outputs map[string][]float32 // at capacity
	e       ops.Extents          // of the last run
}

var _ engine.Program[float32] = (*Program)(nil)

// New compiles a float32 graph for the driver's device. The caller closes the driver after the
// program.
func New(d gpu.Driver, g *ops.Graph, o Options) (engine.Program[float32], error) {
	o.DrawLevels = nil // only a trainer draws them
	c, err := compile(d, g, o, false)
	if err != nil {
		return nil, err
	}
	m, err := load(d, c, o)
	if err != nil {
		return nil, err
	}
	p := &Program{machine: m, stale: true, outputs: map[string][]float32{}}
	if err := p.buffers(); err != nil {
		return nil, cmp.Or(err, m.Close())
	}
	return p, nil
}

// buffers allocates the host's memory.
func (p *Program) buffers() (err error) {
	if p.host, err = p.newHost(); err != nil {
		return err
	}
	if p.params, err = p.pinned(p.n); err != nil {
		return err
	}
	if p.source.Grads != nil {
		if p.grads, err = p.pinned(p.n); err != nil {
			return err
		}
	}
	for _, o := range p.source.Outputs {
		if p.outputs[o.Name], err = p.pinned(p.source.Capacity.Rows(o.Space) * o.Width); err != nil {
			return err
		}
	}
	return nil
}

// Params returns the flat parameter vector.
func (p *Program) Params() []float32 {
	p.stale = true
	return p.params
}

// Grads returns the gradient of the cost with respect to Params.
func (p *Program) Grads() []float32 { return p.grads }

// Input returns the buffer of an input, at capacity.
func (p *Program) Input(name string) []float32 { return p.host.inputs[name] }

// Output returns an output of the last run; nil if the graph has none of that name.
func (p *Program) Output(name string) []float32 {
	for _, o := range p.source.Outputs {
		if o.Name == name {
			return p.outputs[name][:p.e.Rows(o.Space)*o.Width]
		}
	}
	return nil
}

// Run evaluates the graph at the extents and waits for it.
func (p *Program) Run(e ops.Extents) error {
	if err := p.check(e); err != nil {
		return err
	}
	p.e = e
	if err := p.upload(0, p.host, e, 0, 0); err != nil {
		return err
	}
	if p.stale {
		if err := p.driver.Upload(p.ptr(p.compiler.params), bytesOf(p.params)); err != nil {
			return err
		}
		p.stale = false
	}
	if err := p.run(0); err != nil {
		return err
	}
	for _, o := range p.source.Outputs {
		if err := p.download(p.Output(o.Name), p.compiler.outputs[o.Name]); err != nil {
			return err
		}
	}
	return p.download(p.grads, p.compiler.grads)
}
