package engine_test

import (
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// BenchmarkSpeedFlow measures forward and backward of every model at the size of a speed-flow step.
func BenchmarkSpeedFlow(b *testing.B) {
	h := []int{64, 64}
	plain := ops.Extents{Functions: 2, Context: 740, Points: 988}
	levels, ensemble := plain, plain
	levels.Levels, ensemble.Levels = 100, 4
	for _, s := range []shape{
		{config.Model{Name: "cnp", Representation: 64, Encoder: h, Decoder: h}, 1, 1, plain},
		{config.Model{Name: "canp", Representation: 64, Encoder: h, Decoder: h, KeyEncoder: h[:1], QueryEncoder: h[:1], Heads: 8}, 1, 1, plain},
		{config.Model{Name: "bnp", Width: 64, PreDepth: 4, PostDepth: 2, DecoderDepth: 3}, 1, 1, ensemble},
		{config.Model{Name: "cqnp", Representation: 64, Encoder: h, Decoder: h}, 1, 1, levels},
		{config.Model{Name: "acqnp", Representation: 64, Encoder: h, Decoder: h, Adaptor: h}, 1, 1, levels},
	} {
		b.Run(s.model.Name, func(b *testing.B) { benchmark(b, s) })
	}
}

func benchmark(b *testing.B, s shape) {
	m, err := models.New(s.model, s.dx, s.dy)
	if err != nil {
		b.Fatal(err)
	}
	p := compiled(b, m, s.e, models.Training, 0)
	fill(p, m, s.e, 1)
	for b.Loop() {
		if err := p.Run(s.e); err != nil {
			b.Fatal(err)
		}
	}
	rows := s.e.Rows(ops.Point) * max(1, s.e.Levels)
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkAdam measures an update of as many parameters as an ACQNP has, in nanoseconds per
// parameter.
func BenchmarkAdam(b *testing.B) {
	const n = 200_000
	adam := engine.NewAdam[float32](n, 1e-5)
	params, grads := make([]float32, n), make([]float32, n)
	for i := range params {
		params[i], grads[i] = float32(i%17)/100, float32(i%13-6)/100
	}
	for b.Loop() {
		adam.Update(params, grads, 1e-3)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/param")
}
