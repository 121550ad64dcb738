package predict

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/ops"
	"github.com/acqnp/acqnp/internal/random"
)

// The two ways of choosing quantile levels, as --levels names them.
const (
	RandomLevels = "random" // drawn anew for every function, point and level
	GridLevels   = "grid"   // evenly spaced from 0.001 to 0.999, the same everywhere
)

// levels makes the input u of a quantile model.
type levels struct {
	count int // N_τ; 0 for a model without level input
	drawn bool
	draw  random.Generator
	grid  datasets.Levels
}

func newLevels(m *models.Model, kind string, count int, seed uint64) (levels, error) {
	if !m.Quantile() {
		return levels{}, nil
	}
	if count < 1 {
		return levels{}, &input.Error{Key: "--num-tau", Found: fmt.Sprint(count), Expected: "at least 1 quantile level"}
	}
	switch kind {
	case RandomLevels:
		return levels{count: count, drawn: true, draw: random.New(seed, random.Levels|random.Evaluation)}, nil
	case GridLevels:
		return levels{count: count, grid: datasets.GridLevels(count, m.Name())}, nil
	}
	return levels{}, &input.Error{Key: "--levels", Found: fmt.Sprintf("%q", kind), Expected: "random or grid"}
}

// fill writes the levels of the rows from first on: dst is [rows(Row)]. A drawn level depends on the step and its row
// alone, however the rows are cut into runs.
func (l levels) fill(step uint64, first int, e ops.Extents, dst []float32) {
	if l.drawn {
		l.draw.Fill(step, uint64(first), dst[:e.Rows(ops.Row)])
	} else if l.count > 0 {
		l.grid.Fill(step, e, dst)
	}
}
