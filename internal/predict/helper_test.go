package predict_test

import (
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

const (
	levels = 5 // quantile levels, or bootstraps
	groups = 3
)

// tiny returns a small model with two channels of y and a lower bound of σ that is not the default.
func tiny(t *testing.T, name string) (*models.Model, []float32) {
	t.Helper()
	c := config.Model{Name: name, Representation: 6, Encoder: []int{7}, Decoder: []int{7}}
	switch name {
	case "acqnp":
		c.Adaptor = []int{5}
	case "canp":
		c.KeyEncoder, c.QueryEncoder, c.Heads = []int{5}, []int{5}, 2
	case "bnp":
		c = config.Model{Name: name, Width: 6, PreDepth: 2, PostDepth: 2, DecoderDepth: 3}
	}
	c.SigmaFloor = 0.15
	m := must.Get(models.New(c, 1, 2))(t)
	return m, m.Initial(3)
}

// source makes batches of changing sizes from random numbers. If levels is set, it gives them their
// own levels.
type source struct {
	batches int
	levels  func(i int, dst []float32) (numTau int)
	failAt  int // batch that cannot be made; 0 for none
	err     error
}

// of returns the source.
func (s source) of() *datasets.Source {
	return &datasets.Source{DX: 1, DY: 2, Eval: datasets.Batches{Size: datasets.Size{Groups: groups, Points: 12, Context: 6}, Count: s.batches, Make: s.batch}}
}

func (s source) batch(i int, dst *datasets.Batch) error {
	if s.failAt > 0 && i == s.failAt {
		return s.err
	}
	points := 9 + i%4
	*dst = datasets.Batch{
		Groups: groups, Points: points, Context: 2 + i%5, DX: 1, DY: 2,
		X: make([]float32, groups*points), Y: make([]float32, 2*groups*points),
	}
	g := random.New(7, random.Data)
	g.Fill(uint64(i), 0, dst.X)
	g.Fill(uint64(i), 1000, dst.Y)
	if s.levels != nil {
		u := make([]float32, 10*groups*points*levels)
		dst.NumTau = s.levels(i, u)
		dst.U = u[:groups*points*dst.NumTau]
	}
	return nil
}
