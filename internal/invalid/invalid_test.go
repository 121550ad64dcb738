package invalid_test

import (
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/invalid"
)

func TestAnErrorNamesItsKeyOnce(t *testing.T) {
	for _, c := range []struct {
		err  invalid.Input
		want string
	}{
		{invalid.Input{File: "a.yaml", Line: 3, Key: "train.steps", Found: "0", Expected: "1"}, "a.yaml:3: train.steps: found 0, expected 1"},
		{invalid.Input{File: "--set train.steps", Key: "train.steps", Found: "0", Expected: "1"}, "--set train.steps: found 0, expected 1"},
		{invalid.Input{File: "--seed", Key: "train.seed", Found: "x", Expected: "1"}, "--seed: train.seed: found x, expected 1"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A name of a megabyte in a file does not fill the terminal.
func TestErrorShortensLongTexts(t *testing.T) {
	long := strings.Repeat("é", 1<<20)
	err := &invalid.Input{File: "f.csv", Line: 3, Key: long, Found: long, Expected: "a shorter name"}
	got := err.Error()
	if len(got) > 3000 || !strings.HasPrefix(got, "f.csv:3: éé") || !strings.HasSuffix(got, "é…, expected a shorter name") {
		t.Errorf("%d bytes: %.100s", len(got), got)
	}
	if strings.ContainsRune(got, '\ufffd') || !strings.Contains(got, "é…: found éé") {
		t.Error("the text is cut inside a letter")
	}
}

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{"runs/a-1.yaml": "runs/a-1.yaml", "a b": "'a b'", "it's": `'it'\''s'`, "": "''", "[16]": "'[16]'"} {
		if got := invalid.ShellWord(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}
