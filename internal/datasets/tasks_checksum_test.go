package datasets_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/files/safetensors/safetensorstest"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/test/must"
)

// writtenTasks returns a tasks file of three batches.
func writtenTasks(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tasks.safetensors")
	must.Do(t, datasets.WriteTasks(t.Context(), path, "rbf", growing(nil), 3, nil))
	return path
}

// rewrite changes a file's metadata and keeps its tensors.
func rewrite(t *testing.T, path string, change func(meta map[string]string)) {
	t.Helper()
	meta, tensors := safetensorstest.Read(t, path)
	change(meta)
	var b bytes.Buffer
	must.Do(t, safetensors.Write(&b, meta, tensors))
	must.Do(t, os.WriteFile(path, b.Bytes(), 0o644))
}

func TestTasksWithoutAChecksumLoad(t *testing.T) {
	path := writtenTasks(t)
	rewrite(t, path, func(meta map[string]string) {
		if len(meta["sha256"]) != 64 {
			t.Errorf("the checksum is %q", meta["sha256"])
		}
		delete(meta, "sha256")
	})
	tasks := must.Get(datasets.OpenTasks(path))(t)
	tasks.Close()
}

func TestDamagedTasksAreRefused(t *testing.T) {
	for name, damage := range map[string]func(path string){
		"a bit of the last number": func(path string) {
			content := must.Get(os.ReadFile(path))(t)
			content[len(content)-2] ^= 1
			must.Do(t, os.WriteFile(path, content, 0o644))
		},
		"another context": func(path string) {
			rewrite(t, path, func(meta map[string]string) { meta["num_context"] = "[1,2,4]" })
		},
		"no checksum at all": func(path string) { rewrite(t, path, func(meta map[string]string) { meta["sha256"] = "" }) },
		"one more key":       func(path string) { rewrite(t, path, func(meta map[string]string) { meta["note"] = "mine" }) },
	} {
		path := writtenTasks(t)
		damage(path)
		_, err := datasets.OpenTasks(path)
		var bad *invalid.Input
		if !errors.As(err, &bad) || bad.File != path || !strings.Contains(err.Error(), "sha256: found bytes that do not match the checksum") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
