package network

import (
	"math"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/fit/simple"
)

// Experiment returns the configuration of the training.
func Experiment() (config.Experiment, error) {
	return config.Parse("the network of acqnp fit", []byte(`
benchmark: csv
model:
  name: cnp
  aggregation: attention
  representation: 32
  encoder: [32, 32]
  key_encoder: [32]
  query_encoder: [32]
  heads: 4
  decoder: [48, 48]
  head: gaussian-mixture
  parts: 5
  sigma_floor: 0.05
data: {file: data.csv, x: [x], y: [y]}
train:
  steps: 3000
  learning_rate: 2e-3
  weight_decay: 3e-3
  schedule: plateau
  validate_every: 50
  patience: 8
  loss: targets
eval: {batches: 0}
`), config.Overrides{})
}

// New returns an untrained network on a base that was fitted to the groups. It has no parameters.
func New(base simple.Model, groups []simple.Group) *Network {
	dx, n := groups[0].DX, 0.0
	m := &Network{Base: base, Centre: make([]float64, dx), Width: make([]float64, dx)}
	for _, g := range groups {
		for i, v := range g.X {
			m.Centre[i%dx] += v
		}
		n += float64(g.Points())
	}
	for c := range m.Centre {
		m.Centre[c] /= n
	}
	for _, g := range groups {
		for i, v := range g.X {
			m.Width[i%dx] += (v - m.Centre[i%dx]) * (v - m.Centre[i%dx]) / n
		}
	}
	for c, v := range m.Width {
		if m.Width[c] = math.Sqrt(v); !(m.Width[c] > 0) {
			m.Width[c] = 1
		}
	}
	return m
}
