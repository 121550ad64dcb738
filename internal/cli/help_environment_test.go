package cli_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// The order in which settings count is said where users look for it.
func TestPrecedenceIsSaid(t *testing.T) {
	const said = "A flag overrides its environment variable, a variable overrides the configuration file"
	for _, args := range [][]string{{"--help"}, {"help", "environment"}, {"help", "configuration", "--help"}} {
		if o := succeed(t, args...); !strings.Contains(o.out, said) {
			t.Errorf("acqnp %s does not say it:\n%s", strings.Join(args, " "), o.out)
		}
	}
	var variables []struct{ Name, Help string }
	if err := json.Unmarshal([]byte(succeed(t, "help", "environment", "--json").out), &variables); err != nil || len(variables) < 12 || variables[0].Help == "" {
		t.Errorf("%v: %+v", err, variables)
	}
}

// The help of the program lists every command in a group.
func TestHelpListsCommandsInGroups(t *testing.T) {
	text := succeed(t, "--help").out
	at := 0
	for _, part := range []string{"Usage:\n", "Examples:\n", "Your own data:\n", "  fit ", "The paper:\n", "  eval ", "Many runs:\n", "  sweep ", "Other programs:\n", "  serve ",
		"This machine:\n", "  doctor ", "  help ", "Flags:\n", "-q, --quiet"} {
		next := strings.Index(text[at:], part)
		if next < 0 {
			t.Fatalf("no %q after\n%s", part, text[:at])
		}
		at += next
	}
}

// -o, -c and -q are --out, --config and --quiet.
func TestShortFlags(t *testing.T) {
	dir := t.TempDir()
	config := write(t, dir, "tiny.yaml", tinyConfig)
	if o := succeed(t, "data", "generate", "-c", config, "-o", dir+"/tasks.safetensors", "-q", "--batches", "1"); o.err != "" {
		t.Error(o.err)
	}
	checkRefusal(t, "again", acqnp("data", "generate", "-c", config, "-o", dir+"/tasks.safetensors", "-q"), 2, "--out: ")
}
