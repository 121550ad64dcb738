package cli_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/run"
)

// plainConfig is tinyConfig with the paper's adaptor, whose levels coincide after so few steps.
var plainConfig = strings.Replace(tinyConfig, "adaptor_form: residual", "adaptor_form: plain", 1)

// spans matches the warning; its group is the span that the warning states.
var spans = regexp.MustCompile(`levels coincide: the τ of a point span (\S+) .*adaptor_form: residual`)

// TestCoincidingLevelsAreWarnedOf checks that train and eval warn once and state the span, also
// under --quiet.
func TestCoincidingLevelsAreWarnedOf(t *testing.T) {
	dir := t.TempDir()
	file, runDir := write(t, dir, "plain.yaml", plainConfig), filepath.Join(dir, "run")
	for _, args := range [][]string{
		{"train", "--config", file, "--run-dir", runDir, "--quiet"},
		{"eval", "--run", runDir},
		{"eval", "--run", runDir, "--quiet", "--num-quantiles", "1"},
	} {
		o := succeed(t, args...)
		said := spans.FindAllStringSubmatch(o.err, -1)
		if len(said) != 1 {
			t.Fatalf("%v: %d warnings:\n%s", args, len(said), o.err)
		}
		if span, err := strconv.ParseFloat(said[0][1], 64); err != nil || !(span > 0 && span < 0.03) {
			t.Errorf("%v: span %g (%v)", args, span, err)
		}
	}
	line, _, _ := strings.Cut(succeed(t, "eval", "--run", runDir, "--quiet", "--json").err, "\n")
	var event struct{ Event, Message string }
	if err := json.Unmarshal([]byte(line), &event); err != nil || event.Event != "warning" || !spans.MatchString(event.Message) {
		t.Errorf("%q: %v", line, err)
	}
	if o := succeed(t, "train", "--config", file, "--run-dir", runDir, "--overwrite", "--quiet", "--no-eval"); o.err != "" {
		t.Errorf("--no-eval: %s", o.err)
	}
}

// TestSpreadLevelsAreNotWarnedOf evaluates untrained models whose levels are apart: a plain adaptor
// with large weights, a residual one, and CQNP.
func TestSpreadLevelsAreNotWarnedOf(t *testing.T) {
	dir := t.TempDir()
	cqnp := strings.NewReplacer("acqnp", "cqnp", "  adaptor: [8]\n", "", "  adaptor_form: residual\n", "").Replace(tinyConfig)
	for name, content := range map[string]string{"plain": plainConfig, "residual": tinyConfig, "cqnp": cqnp} {
		file := write(t, dir, name+".yaml", content)
		e, err := config.Load(file, config.Overrides{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := models.New(e.Model, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		params := m.Initial(0)
		for _, tensor := range m.Tensors() {
			if name == "plain" && tensor.Name == "_adaptor._net.2.weight" {
				for i := range tensor.Size() {
					params[tensor.Offset+i] *= 1000
				}
			}
		}
		weights := filepath.Join(dir, name+".safetensors")
		if err := run.WriteWeights(weights, m, params, nil); err != nil {
			t.Fatal(err)
		}
		if o := succeed(t, "eval", "--config", file, "--weights", weights, "--quiet"); o.err != "" {
			t.Errorf("%s: %s", name, o.err)
		}
	}
}
