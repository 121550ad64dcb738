// Package safetensorstest reads safetensors files for tests.
package safetensorstest

import (
	"testing"

	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/test/must"
)

// Read reads a whole file, with the tensors in the order of its header.
func Read(t testing.TB, path string) (meta map[string]string, all []safetensors.Tensor) {
	t.Helper()
	r := must.Get(safetensors.Open(path))(t)
	defer r.Close()
	for _, name := range r.Names() {
		all = append(all, must.Get(r.Read(name))(t))
	}
	return r.Metadata(), all
}
