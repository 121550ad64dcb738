package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
)

// TestOwnDataNeedsNoNetwork goes from an example to scores and a plot in a network namespace without
// interfaces but a loopback that is down, so that every connection would fail.
func TestOwnDataNeedsNoNetwork(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	unshare := namespaces(t)
	dir := t.TempDir()
	program := filepath.Join(dir, "acqnp")
	build := exec.Command("go", "build", "-o", program, "./cmd/acqnp")
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	known := "product,age,price\nnew,1,500\nnew,2,300\n"
	must.Do(t, os.WriteFile(filepath.Join(dir, "known.csv"), []byte(known), 0o644))
	for _, line := range []string{
		"data example --out prices.csv",
		"fit prices.csv price~age|product --instant --quiet",
		"predict prices.fit --context known.csv --grid=0.2:6:20 --out predictions.csv --plot prediction.png",
		"score prices.fit --targets known.csv --out scores.csv --plot pit.png",
	} {
		cmd := exec.Command(unshare[0], append(unshare[1:], append([]string{program}, strings.Fields(line)...)...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("acqnp %s: %v\n%s", line, err, out)
		}
	}
	for _, file := range []string{"prices.csv", "prices.fit/fit.png", "predictions.csv", "prediction.png", "scores.csv", "pit.png"} {
		if info, err := os.Stat(filepath.Join(dir, file)); err != nil || info.Size() == 0 {
			t.Errorf("%s: not written (%v)", file, err)
		}
	}
}

// namespaces returns a command that runs another without network. It skips the test where there is none.
func namespaces(t *testing.T) []string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("network namespaces are of Linux")
	}
	for _, command := range [][]string{{"unshare", "--net"}, {"unshare", "--user", "--map-root-user", "--net"}} {
		// A new namespace has the loopback interface alone, and it is down.
		script := append(command[1:len(command):len(command)], "sh", "-c", `[ "$(grep -c : /proc/net/dev)" -le 1 ] && [ "$(wc -l </proc/net/route)" -le 1 ]`)
		if exec.Command(command[0], script...).Run() == nil {
			return command
		}
	}
	t.Skip("this process may not make network namespaces: it is not root, or a container forbids it")
	return nil
}
