//go:build unix

package slurm

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// compare compares the runs in a folder with those that were trained one after another.
func (s *study) compare(t *testing.T, dir string, runs int) {
	t.Helper()
	for n := range runs {
		seed := fmt.Sprintf("seed-%d", n)
		want, got := results(t, filepath.Join(s.dir, "serial", seed)), results(t, filepath.Join(dir, seed))
		for _, name := range []string{"checkpoint", "log", "evaluation"} {
			if got[name] != want[name] {
				t.Errorf("the %s of seed %d is not that of a run alone: %d bytes, want %d", name, n, len(got[name]), len(want[name]))
			}
		}
	}
}

// results returns the bytes of a run's results, without what the clock measured and the run's place.
func results(t *testing.T, dir string) map[string]string {
	t.Helper()
	read := func(name string) []byte {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	log := ""
	for line := range strings.Lines(string(read("metrics.jsonl"))) {
		log += timeless(t, []byte(line)) + "\n"
	}
	checkpoint := read("checkpoints/step-100000.safetensors")
	header := 8 + binary.LittleEndian.Uint64(checkpoint)
	return map[string]string{
		"checkpoint": timeless(t, checkpoint[8:header]) + string(checkpoint[header:]),
		"log":        log,
		"evaluation": timeless(t, read("eval.json")),
	}
}

// timeless returns a JSON object without times, rates, paths, and the hash of a checkpoint, whose
// metadata has a time.
func timeless(t *testing.T, content []byte) string {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(content, &v); err != nil {
		t.Fatalf("%q: %v", content, err)
	}
	for _, inner := range []string{"checkpoint", "__metadata__"} {
		if object, is := v[inner].(map[string]any); is {
			maps.DeleteFunc(object, measured)
		}
	}
	maps.DeleteFunc(v, measured)
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func measured(key string, _ any) bool {
	return slices.Contains([]string{"elapsed_s", "rows_per_s", "seconds", "path", "sha256"}, key)
}
