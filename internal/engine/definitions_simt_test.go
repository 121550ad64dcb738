//go:build simt

package engine_test

import (
	"testing"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cuda"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/kernels/emulator"
)

func init() {
	definitionEngines["cuda"] = func(t *testing.T, name string, dy int) opened[float32] {
		return compiledDefinition(name, dy, func(g *ops.Graph) (engine.Program[float32], error) {
			d := emulator.New(emulator.Options{})
			t.Cleanup(func() {
				must.Do(t, d.Close())
			})
			return cuda.New(d, g, cuda.Options{})
		})
	}
}
