//go:build unix

package kernels_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
)

// nvcc stands in for a compiler: it knows all GPUs but those of UNKNOWN, and writes its arguments as code.
const nvcc = `#!/bin/sh
case "$*" in *"sm_$UNKNOWN"*) exit 1 ;; esac
case "$*" in *--dryrun*) exit ;; esac
all=$*
while [ "$1" != -o ]; do shift; done
echo "$all" >"$2"
`

// A source that names its own GPUs is compiled for those that nvcc knows and ARCHS has, without PTX.
// What is left out is a line, and a source for no GPU gives an empty fatbin, which make keeps.
func TestFatbinsHaveWhatNvccKnows(t *testing.T) {
	for _, c := range []struct{ first, archs, unknown, gpus, left string }{
		{"", "75 80 90", "none", "75 80 90 ptx90", ""},
		{"", "75 90 100", "100", "75 90 ptx90", "sm_100"},
		{"// archs: 90a\n", "75 90", "none", "90a", ""},
		{"// archs: 90a\n", "75 90", "90a", "", "sm_90a"},
		{"// archs: 80 90a\n", "75 80", "none", "80", "sm_90a"},
	} {
		dir := t.TempDir()
		in, out := filepath.Join(dir, "k.cu"), filepath.Join(dir, "k.fatbin")
		must.Do(t, os.WriteFile(filepath.Join(dir, "nvcc"), []byte(nvcc), 0o755))
		must.Do(t, os.WriteFile(in, []byte(c.first+"__global__ void k() {}\n"), 0o644))
		cmd := exec.Command("sh", "../scripts/fatbin.sh", in, out, filepath.Join(dir, "k.ptxas"), c.archs)
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "UNKNOWN="+c.unknown)
		said, err := cmd.CombinedOutput()
		if err != nil || strings.Count(string(said), "\n") != min(1, len(c.left)) || !strings.Contains(string(said), c.left) {
			t.Errorf("%+v: %v: %s", c, err, said)
			continue
		}
		gpus, code := must.Get(os.ReadFile(filepath.Join(dir, "k.gpus")))(t), must.Get(os.ReadFile(out))(t)
		if strings.TrimSpace(string(gpus)) != c.gpus || (len(code) == 0) != (c.gpus == "") {
			t.Errorf("%+v: %q, compiled by %q", c, gpus, code)
		}
		for _, word := range strings.Fields(c.gpus) {
			option := "code=sm_" + word
			if number, ptx := strings.CutPrefix(word, "ptx"); ptx {
				option = "code=compute_" + number
			}
			if !strings.Contains(string(code), option) {
				t.Errorf("%+v: compiled by %q, without %s", c, code, option)
			}
		}
	}
}
