// Package network trains conditional neural processes as candidates of acqnp fit.
//
// A [Network] corrects a simpler model, its base. It sees what the base leaves: each target's y is
// standardised by the mean and deviation that the base predicts from the context. So a network that
// has learnt nothing predicts about what the base does, and one that has learnt something adds
// branches, skew and a scale that depends on x and on the group.
package network

import (
	"errors"
	"math"
	"sync"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/datasets/feed"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// A Network is a CNP with attention on the residuals of a base. Its head is a mixture of Gaussians.
type Network struct {
	Base   simple.Model
	Centre []float64 // [DX]: x is standardised to (x − Centre)/Width
	Width  []float64 // [DX]
	Params []float32 // of the model

	running sync.Mutex // guards the program
	model   *models.Model
	program engine.Program[float32]
}

// Bounds of a prediction: context points that the network reads, evenly spread over a larger
// context, and targets of one run.
const (
	mostContext = 256
	mostTargets = 256
)

// extra is the number of inputs besides x: what the context tells the base about a target, its mean
// and the logarithm of its deviation in units of the prediction without a context.
const extra = 2

// columns returns the width of the network's input.
func (m *Network) columns() int { return len(m.Centre) + extra }

// Columns implements [simple.Model].
func (m *Network) Columns() int { return len(m.Centre) }

// Check implements [simple.Model].
func (m *Network) Check() error {
	if m.Base == nil || len(m.Centre) == 0 || len(m.Width) != len(m.Centre) || m.Base.Columns() != len(m.Centre) {
		return errDamaged
	}
	for _, w := range m.Width {
		if !(w > 0) || math.IsInf(w, 0) {
			return errDamaged
		}
	}
	for _, v := range m.Params {
		if v-v != 0 {
			return errDamaged
		}
	}
	e, err := Experiment()
	if err != nil {
		return err
	}
	model, err := models.New(e.Model, m.columns(), 1)
	if err != nil || model.NumParams() != len(m.Params) {
		return errDamaged
	}
	return m.Base.Check()
}

var errDamaged = errors.New("numbers that do not make a network")

// Given implements [simple.Model].
func (m *Network) Given(context simple.Group, x []float64) []likelihood.GaussianMixture {
	dx := len(m.Centre)
	base := m.Base.Given(context, x)
	before := m.Base.Given(simple.Group{DX: dx}, x)
	cx, cy := m.context(simple.Thin(context, mostContext))
	tx := make([]float32, 0, len(x)/dx*m.columns())
	for t := range base {
		tx = m.appendInput(tx, x[t*dx:][:dx], base[t], before[t])
	}
	out := make([]likelihood.GaussianMixture, len(base))
	m.running.Lock()
	defer m.running.Unlock()
	program, err := m.compiled()
	if err != nil {
		return base // no program of this size can be compiled, so the base predicts alone
	}
	var f feed.Feed
	for first := 0; first < len(base); first += mostTargets {
		end := min(first+mostTargets, len(base))
		f.Targets(feed.Draws{}, 0, first, cx, cy, tx[first*m.columns():end*m.columns()], m.columns(), 1)
		f.Write(program)
		if err := program.Run(f.Extents); err != nil {
			return base
		}
		raw := program.Output("components")[:(end-first)*m.model.RowWidth()]
		for i, d := range m.model.Gaussians(raw, end-first) {
			b := base[first+i]
			out[first+i] = d.In(likelihood.Units{Factor: deviation(b), Offset: b.Mean()})
		}
	}
	return out
}

// compiled returns the program for predictions of one group.
func (m *Network) compiled() (engine.Program[float32], error) {
	if m.program != nil {
		return m.program, nil
	}
	e, err := Experiment()
	if err != nil {
		return nil, err
	}
	if m.model, err = models.New(e.Model, m.columns(), 1); err != nil {
		return nil, err
	}
	graph, err := m.model.Build(tensor.Float32, ops.Extents{Functions: 1, Context: mostContext, Points: mostTargets}, models.Prediction)
	if err != nil {
		return nil, err
	}
	if m.program, err = device.CPU(1).Program(graph); err == nil {
		copy(m.program.Params(), m.Params)
	}
	return m.program, err
}

// context returns what the network sees of context points: x, zeros and y standardised by the base's
// prediction without a context.
func (m *Network) context(g simple.Group) (x, y []float32) {
	if g.Points() == 0 {
		return nil, nil
	}
	for i, d := range m.Base.Given(simple.Group{DX: g.DX}, g.X) {
		x = m.appendInput(x, g.X[i*g.DX:][:g.DX], d, d)
		y = append(y, standard(g.Y[i], d))
	}
	return x, y
}

// appendInput appends the input for a point: x, and how the base's prediction d differs from before, the
// one without a context.
func (m *Network) appendInput(dst []float32, x []float64, d, before likelihood.GaussianMixture) []float32 {
	for c, v := range x {
		dst = append(dst, bounded((v-m.Centre[c])/m.Width[c]))
	}
	s := deviation(before)
	return append(dst, bounded((d.Mean()-before.Mean())/s), bounded(math.Log(deviation(d)/s)))
}

// standard returns y in units of a prediction.
func standard(y float64, d likelihood.GaussianMixture) float32 {
	return bounded((y - d.Mean()) / deviation(d))
}

// bounded clips a number of deviations to ±20, where a network can use it.
func bounded(v float64) float32 { return float32(max(-20, min(20, v))) }

func deviation(d likelihood.GaussianMixture) float64 { return math.Sqrt(d.Variance()) }
