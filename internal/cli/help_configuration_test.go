package cli_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestHelpConfiguration(t *testing.T) {
	o := succeed(t, "help", "configuration")
	const block = `
train.loss: string
  Points whose mean log-likelihood training maximises. all: context and target points, the paper's;
  targets: target points alone.
  values:  all or targets
  default: all; targets for aggregation attention, aggregation transformer and aggregation groups
  used by: all
`
	if !strings.Contains(o.out, block) || o.err != "" {
		t.Errorf("no block\n%s in\n%s%s", block, o.out, o.err)
	}
	for line := range strings.Lines(o.out) {
		if line = strings.TrimSuffix(line, "\n"); utf8.RuneCountInString(line) > 100 || strings.HasSuffix(line, " ") {
			t.Errorf("more than 100 columns, or a space at the end: %q", line)
		}
	}
	var keys []struct{ Name, Default string }
	if err := json.Unmarshal([]byte(succeed(t, "help", "configuration", "--json").out), &keys); err != nil {
		t.Fatal(err)
	}
	if len(keys) < 70 || keys[0].Name != "benchmark" {
		t.Errorf("%d keys with --json: %+v", len(keys), keys)
	}
	checkRefusal(t, "a key", acqnp("help", "configuration", "train.loss"), 2, `unknown command "train.loss"`)
}
