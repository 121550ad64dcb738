package pretrained

import (
	"bytes"
	_ "embed" // the files
	"math/bits"
	"sync"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	ownrun "github.com/acqnp/acqnp/internal/run"
)

var (
	//go:embed weights.safetensors
	weights []byte
	//go:embed config.yaml
	configuration []byte
)

type program = engine.Program[float32]

// A net is the network with its compiled programs.
type net struct {
	model               *models.Model
	params              []float32
	readers, predictors *pool
}

// network returns the network of the program.
var network = sync.OnceValue(func() *net {
	e, err := Experiment()
	if err != nil {
		panic("pretrained: " + err.Error())
	}
	n := &net{}
	if n.model, err = models.New(e.Model, datasets.Varying+datasets.Constant, 1); err != nil {
		panic("pretrained: " + err.Error())
	}
	r, err := safetensors.NewReader(bytes.NewReader(weights), int64(len(weights)), Name)
	if err == nil {
		n.params, err = ownrun.WeightsIn(r, Name, n.model)
	}
	if err != nil {
		panic("pretrained: " + err.Error())
	}
	n.readers = &pool{build: func(e ops.Extents) (*ops.Graph, error) { return n.model.BuildSiblings(tensor.Float32, e) }}
	n.predictors = &pool{build: func(e ops.Extents) (*ops.Graph, error) { return n.model.Build(tensor.Float32, e, models.Prediction) }}
	return n
})

// Experiment returns the configuration of the training.
func Experiment() (config.Experiment, error) {
	return config.Parse(Name, configuration, config.Overrides{})
}

// A pool keeps compiled programs that are not in use, by their capacity.
type pool struct {
	build func(capacity ops.Extents) (*ops.Graph, error)
	lock  sync.Mutex
	free  map[ops.Extents][]program
}

// use calls f with a program for so many rows of siblings and points.
func (n *net) use(from *pool, siblings, points int, f func(p program)) {
	capacity := ops.Extents{Groups: 1, Context: roundUp(siblings), Points: roundUp(points), Levels: levels}
	p := from.take(capacity)
	if p == nil {
		graph, err := from.build(capacity)
		if err == nil {
			p, err = device.CPU(1).Program(graph)
		}
		if err != nil {
			panic("pretrained: " + err.Error())
		}
		copy(p.Params(), n.params)
	}
	f(p)
	from.give(capacity, p)
}

func (p *pool) take(capacity ops.Extents) program {
	p.lock.Lock()
	defer p.lock.Unlock()
	free := p.free[capacity]
	if len(free) == 0 {
		return nil
	}
	p.free[capacity] = free[:len(free)-1]
	return free[len(free)-1]
}

func (p *pool) give(capacity ops.Extents, one program) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.free == nil {
		p.free = map[ops.Extents][]program{}
	}
	p.free[capacity] = append(p.free[capacity], one)
}

// roundUp returns the next power of two, at least 32, so that few programs are compiled.
func roundUp(n int) int { return max(32, 1<<bits.Len(uint(n-1))) }
