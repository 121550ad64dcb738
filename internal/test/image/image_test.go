//go:build linux

package image

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
)

// each runs a test in both images.
func each(t *testing.T, test func(t *testing.T, b box)) {
	for _, image := range images {
		t.Run(image, func(t *testing.T) { test(t, newBox(t, image)) })
	}
}

// The labels name the release and the commit that the program was built from.
func TestImagesSayWhatTheyAre(t *testing.T) {
	each(t, func(t *testing.T, b box) {
		got, revision := inspect(t, b.image), os.Getenv("REVISION")
		if got.Config.User != fmt.Sprintf("%d:%d", user, user) || !slices.Equal(got.Config.Entrypoint, []string{"acqnp"}) {
			t.Errorf("user %q, entry point %q", got.Config.User, got.Config.Entrypoint)
		}
		label := func(name string) string { return got.Config.Labels["org.opencontainers.image."+name] }
		for name, want := range map[string]string{"title": b.image, "revision": revision, "source": "https://github.com/acqnp/acqnp", "licenses": "MIT"} {
			if label(name) != want {
				t.Errorf("label %s is %q, want %q", name, label(name), want)
			}
		}
		said := b.acqnp(t, "--version")
		if want := fmt.Sprintf("acqnp %s (%.12s)\n", label("version"), revision); said != want {
			t.Errorf("the program says %q, the labels %q", said, want)
		}
	})
}

// A program that is asked for a GPU says in one line that there is none. By itself it takes the CPU.
func TestImagesRunWithoutAGPU(t *testing.T) {
	each(t, func(t *testing.T, b box) {
		train := []string{"train", "--config", "configs/quickstart.yaml", "--set", "train.steps=2", "--no-eval", "--device"}
		call := append([]string{"run", "--rm"}, b.flags(b.image)...)
		_, errs, code := podman(t, append(append(call, train...), "cuda")...)
		podmans := regexp.MustCompile(`(?m)^time=.*\n`) // podman's own lines, where no systemd runs health checks
		if errs = podmans.ReplaceAllString(errs, ""); code != 1 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "no NVIDIA device found") {
			t.Errorf("--device cuda: exit code %d, %q", code, errs)
		}
		b.acqnp(t, append(train, "auto")...)
		if said := b.acqnp(t, "doctor"); !regexp.MustCompile(`(?m)^GPU +none`).MatchString(said) {
			t.Errorf("doctor says\n%s", said)
		}
	})
}

// tensors returns the bytes of a safetensors file after its header, which has a time.
func tensors(file []byte) []byte { return file[8+binary.LittleEndian.Uint64(file):] }

// checkOwner checks that all files belong to the image's user.
func checkOwner(t *testing.T, dir string) {
	t.Helper()
	must.Do(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Sys().(*syscall.Stat_t).Uid != user {
			t.Errorf("%s belongs to user %d", path, info.Sys().(*syscall.Stat_t).Uid)
		}
		return err
	}))
}

// A new volume belongs to the image's user, who can write to it.
func TestImagesWriteToNewVolumes(t *testing.T) {
	each(t, func(t *testing.T, b box) {
		name := "acqnp-test-" + b.image
		podman(t, "volume", "rm", "--force", name)
		t.Cleanup(func() { podman(t, "volume", "rm", "--force", name) })
		succeed(t, "run", "--rm", "--read-only", "--network=none", "-v", name+":/work/runs", b.image,
			"train", "--config", "configs/quickstart.yaml", "--set", "train.steps=2", "--no-eval")
	})
}

const tiny = `benchmark: sawtooth
model: {name: acqnp, representation: 8, encoder: [8], adaptor: [8], adaptor_form: residual, decoder: [8]}
data: {points: [6, 12]}
train: {steps: 30000, batch_size: 4, num_tau: 4, log_every: 100, checkpoint_every: 100000, learning_rate: 1e-3}
eval: {num_tau: 5, batches: 3, batch_size: 2, num_points: 20, max_context: 8}
`

// A training that is stopped, as process 1 of its container, writes a checkpoint, exits with 130, and
// goes on to the same bits.
func TestStoppedTrainingsGoOn(t *testing.T) {
	each(t, func(t *testing.T, b box) {
		b.write(t, "tiny.yaml", tiny)
		train := func(dir string) []string {
			return []string{"train", "--config", "runs/tiny.yaml", "--run-dir", "runs/" + dir, "--no-eval", "--resume"}
		}
		container := b.start(t, b.flags(), train("stopped")...)
		eventually(t, "training", func() bool { return strings.Count(b.maybe("stopped/metrics.jsonl"), "\n") > 3 })
		if code := stop(t, container); code != "130" {
			t.Fatalf("exit code %s, want 130", code)
		}
		if last := b.maybe("stopped/checkpoints/step-30000.safetensors"); last != "" {
			t.Fatal("the training was at its end before it was stopped")
		}
		if found, _ := filepath.Glob(b.runs + "/stopped/checkpoints/step-*.safetensors"); len(found) == 0 {
			t.Fatal("no checkpoint")
		}
		b.acqnp(t, train("stopped")...)
		b.acqnp(t, train("whole")...)
		const last = "/checkpoints/step-30000.safetensors"
		if string(tensors(b.read(t, "stopped"+last))) != string(tensors(b.read(t, "whole"+last))) {
			t.Error("the weights are not those of a training in one piece")
		}
		checkOwner(t, filepath.Join(b.runs, "stopped"))
	})
}

// maybe returns a file's content, "" if there is none.
func (b box) maybe(name string) string {
	content, _ := os.ReadFile(filepath.Join(b.runs, name))
	return string(content)
}
