package datasets

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/ops"
	"github.com/acqnp/acqnp/internal/random"
)

// Levels makes u, the quantile models' input: drawn anew for every function, point and level, or one grid for all.
type Levels struct {
	random random.Generator
	grid   []float32 // nil for drawn levels
}

// RandomLevels are u ~ U[0, 1), drawn from a stream under a seed.
func RandomLevels(seed uint64, s random.Stream) Levels {
	return Levels{random: random.New(seed, s)}
}

// GridLevels are n evenly spaced values from 0.001 to 0.999, the same for every point: of u for acqnp, of τ for cqnp,
// which maps u to τ = 0.001 + 0.998·u. One level is ½.
func GridLevels(n int, model string) Levels {
	grid := make([]float32, n)
	for k := range grid {
		u := 0.5
		if n > 1 {
			u = float64(k) / float64(n-1)
		}
		if model != "cqnp" {
			u = 0.001 + 0.998*u
		}
		grid[k] = float32(u)
	}
	return Levels{grid: grid}
}

// Fill writes the levels of a step (of batch i in evaluation) to dst [B, N, N_τ], levels of a point side by side.
// A drawn level depends on its place there. e.Levels must be the size of a grid.
func (l Levels) Fill(step uint64, e ops.Extents, dst []float32) {
	dst = dst[:e.Rows(ops.Row)]
	if l.grid == nil {
		l.random.Fill(step, 0, dst)
		return
	}
	if e.Levels != len(l.grid) {
		panic(fmt.Sprintf("datasets: %d levels asked of a grid of %d", e.Levels, len(l.grid)))
	}
	for i := 0; i < len(dst); i += e.Levels {
		copy(dst[i:], l.grid)
	}
}
