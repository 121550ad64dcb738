package cli_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
)

// plainConfig is tinyConfig with the paper's adaptor, whose levels coincide after so few steps.
var plainConfig = strings.Replace(tinyConfig, "adaptor_form: residual", "adaptor_form: plain", 1)

// TestSpreadLevelsAreNotWarnedOf evaluates untrained models whose levels are apart: a plain adaptor
// with large weights, a residual one, and CQNP.
func TestSpreadLevelsAreNotWarnedOf(t *testing.T) {
	dir := t.TempDir()
	cqnp := strings.NewReplacer("acqnp", "cqnp", "  adaptor: [8]\n", "", "  adaptor_form: residual\n", "").Replace(tinyConfig)
	for name, content := range map[string]string{"plain": plainConfig, "residual": tinyConfig, "cqnp": cqnp} {
		file := must.Write(t, content, dir, name+".yaml")
		e := must.Get(config.Load(file, config.Overrides{}))(t)
		m := must.Get(models.New(e.Model, 1, 1))(t)
		params := m.Initial(0)
		for _, tensor := range m.Tensors() {
			if name == "plain" && tensor.Name == "_adaptor._net.2.weight" {
				for i := range tensor.Size() {
					params[tensor.Offset+i] *= 1000
				}
			}
		}
		weights := filepath.Join(dir, name+".safetensors")
		must.Do(t, run.WriteWeights(weights, m, params, nil))
		if o := succeed(t, "eval", "--config", file, "--weights", weights, "--quiet"); o.err != "" {
			t.Errorf("%s: %s", name, o.err)
		}
	}
}
