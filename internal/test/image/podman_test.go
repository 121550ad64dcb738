//go:build linux

package image

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/test/must"
)

// images are the names of the two images, of Dockerfile and Dockerfile.cuda.
var images = []string{"acqnp", "acqnp-cuda"}

// user is the user of both images.
const user = 65532

// An inspection is what podman says of an image.
type inspection struct {
	Config struct {
		User       string
		Entrypoint []string
		Labels     map[string]string
	}
	Healthcheck struct{ Test []string }
}

// podman calls podman and returns what it prints, on standard output and standard error, and its exit
// code. Without images to test it skips the test.
func podman(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	words := strings.Fields(os.Getenv("PODMAN"))
	if len(words) == 0 {
		t.Skip("needs images: .ci/nightly image")
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(words[0], append(words[1:], args...)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// succeed calls podman and returns its standard output. Another exit code than 0 ends the test.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	out, errs, code := podman(t, args...)
	if code != 0 {
		t.Fatalf("podman %q: exit code %d\n%s%s", args, code, out, errs)
	}
	return out
}

// A box is how containers of a test run: without network, and with a root that nobody can write.
// /work/runs is a folder of this machine.
type box struct {
	image string
	runs  string
}

func newBox(t *testing.T, image string) box {
	t.Helper()
	b := box{image, t.TempDir()}
	if os.Getenv("PODMAN") == "" {
		t.Skip("needs images: .ci/nightly image")
	}
	must.Do(t, os.Chown(b.runs, user, user))
	return b
}

// flags returns the flags of podman run.
func (b box) flags(more ...string) []string {
	return append([]string{"--read-only", "--read-only-tmpfs=false", "--cap-drop=all", "--network=none", "-v", b.runs + ":/work/runs"}, more...)
}

// acqnp runs a command of the program to its end and returns what it prints.
func (b box) acqnp(t *testing.T, args ...string) string {
	t.Helper()
	return succeed(t, append(append([]string{"run", "--rm"}, b.flags(b.image)...), args...)...)
}

// start starts a command of the program with further flags of podman run. It returns the container,
// which goes with the test.
func (b box) start(t *testing.T, flags []string, args ...string) (container string) {
	t.Helper()
	call := append(append([]string{"run", "--detach"}, flags...), b.image)
	container = strings.TrimSpace(succeed(t, append(call, args...)...))
	t.Cleanup(func() {
		if t.Failed() {
			out, errs, _ := podman(t, "logs", container)
			t.Logf("%s%s", out, errs)
		}
		podman(t, "rm", "--force", container)
	})
	return container
}

// stop ends a container as docker stop does, and returns the exit code.
func stop(t *testing.T, container string) string {
	t.Helper()
	succeed(t, "stop", "--time=120", container)
	return strings.TrimSpace(succeed(t, "inspect", "--format", "{{.State.ExitCode}}", container))
}

func (b box) read(t *testing.T, name string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(filepath.Join(b.runs, name)))(t)
}

func (b box) write(t *testing.T, name, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(filepath.Join(b.runs, name), []byte(text), 0o644))
}

// eventually waits until a condition holds, two minutes at most.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !holds(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %s after two minutes", what)
		}
	}
}

func inspect(t *testing.T, image string) (found inspection) {
	t.Helper()
	var list []inspection
	if err := json.Unmarshal([]byte(succeed(t, "image", "inspect", image)), &list); err != nil || len(list) != 1 {
		t.Fatalf("%d images, %v", len(list), err)
	}
	return list[0]
}
