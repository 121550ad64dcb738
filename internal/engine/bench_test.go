package engine_test

import (
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// BenchmarkStep measures forward and backward of an ACQNP at two sizes: the quickstart's, and the
// speed-flow benchmark's over a tenth of its points.
func BenchmarkStep(b *testing.B) {
	for name, s := range map[string]shape{
		"quickstart": {config.Model{Name: "acqnp", Representation: 32, Encoder: []int{32, 32}, Adaptor: []int{32, 32, 32}, Decoder: []int{32, 32}},
			1, 1, ops.Extents{Functions: 16, Context: 16, Points: 33, Levels: 16}},
		"speed-flow": {config.Model{Name: "acqnp", Representation: 64, Encoder: []int{64, 64}, Adaptor: []int{64, 64}, Decoder: []int{64, 64}},
			1, 1, ops.Extents{Functions: 2, Context: 74, Points: 99, Levels: 100}},
		"lissajous": {config.Model{Name: "acqnp", Representation: 128, Encoder: []int{128, 128, 128},
			Adaptor: []int{128, 128, 128, 128, 128}, Decoder: []int{128, 128, 128}},
			1, 1, ops.Extents{Functions: 12, Context: 26, Points: 53, Levels: 50}},
	} {
		b.Run(name, func(b *testing.B) { benchmark(b, s) })
	}
}

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

// BenchmarkAggregation measures forward and backward of models with attention and transformers: at
// a size that trains on two cores, and at the paper's. The points are targets alone.
func BenchmarkAggregation(b *testing.B) {
	small := ops.Extents{Functions: 16, Context: 30, Points: 30, Levels: 32}
	paper := ops.Extents{Functions: 128, Context: 26, Points: 27, Levels: 50}
	for _, e := range []ops.Extents{small, paper} {
		width, size := 64, "small"
		if e == paper {
			width, size = 128, "paper"
		}
		for _, form := range []string{"cnp/attention", "cnp/transformer", "acqnp/attention/residual", "acqnp/transformer/residual", "acqnp/mean/plain", "acqnp/mean/residual"} {
			h := []int{width, width}
			c := sized(form, width, h, 4)
			c.Adaptor, c.Encoder, c.Layers, c.Feedforward = h, h[:1], 6, 128
			e := e
			if c.Name != "acqnp" {
				c.Adaptor, e.Levels = nil, 0
			}
			b.Run(size+"/"+strings.ReplaceAll(form, "/", "-"), func(b *testing.B) { benchmark(b, shape{c, 1, 1, e}) })
		}
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
