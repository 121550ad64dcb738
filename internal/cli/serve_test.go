package cli_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/test/must"
)

// served starts acqnp serve on any port and returns its process, its address and the lines that it
// writes after it.
func served(t *testing.T, args ...string) (signal func(syscall.Signal), url string, lines chan string, wait func() int) {
	t.Helper()
	cmd, _ := command(append([]string{"serve", "--listen", "127.0.0.1:0", "--device", "cpu", "--json"}, args...)...)
	return started(t, cmd)
}

// started is served for a command that starts acqnp serve --json.
func started(t *testing.T, cmd *exec.Cmd) (signal func(syscall.Signal), url string, lines chan string, wait func() int) {
	t.Helper()
	cmd.Stderr = nil
	errs := must.Get(cmd.StderrPipe())(t)
	must.Do(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines = make(chan string, 100)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(errs); s.Scan(); {
			lines <- s.Text()
		}
	}()
	for line := range lines {
		var e struct{ Message, Address string }
		if json.Unmarshal([]byte(line), &e) == nil && e.Address != "" {
			return func(s syscall.Signal) { _ = cmd.Process.Signal(s) }, "http://" + e.Address, lines, func() int { _ = cmd.Wait(); return cmd.ProcessState.ExitCode() }
		}
	}
	t.Fatalf("serve did not listen: %v", cmd.Wait())
	return nil, "", nil, nil
}

// until waits for a line with a text, a minute at most.
func until(t *testing.T, lines chan string, text string) {
	t.Helper()
	late := time.After(time.Minute)
	for {
		select {
		case line, ok := <-lines:
			if strings.Contains(line, text) {
				return
			}
			if !ok {
				t.Fatalf("no line with %q", text)
			}
		case <-late:
			t.Fatalf("no line with %q in a minute", text)
		}
	}
}

// fetch returns the body of an answer, to a POST unless body is "".
func fetch(t *testing.T, url, body string) string {
	t.Helper()
	impatient := http.Client{Timeout: 10 * time.Second}
	get := func() (*http.Response, error) { return impatient.Get(url) }
	if body != "" {
		get = func() (*http.Response, error) {
			return impatient.Post(url, "application/json", strings.NewReader(body))
		}
	}
	r := must.Get(get())(t)
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != 200 {
		t.Fatalf("%s: %d %s %v", url, r.StatusCode, b, err)
	}
	return string(b)
}

// ends tells a server to end, which it does with exit code 0.
func ends(t *testing.T, signal func(syscall.Signal), wait func() int) {
	t.Helper()
	signal(syscall.SIGTERM)
	if code := wait(); code != 0 {
		t.Fatalf("exit code %d", code)
	}
}

// serve answers what predict writes, loads its runs again on SIGHUP, and ends in order on SIGTERM.
func TestServe(t *testing.T) {
	s := share(t)
	signal, url, lines, wait := served(t, "--run", s.run, "--num-quantiles", "7")
	const body = `{"groups": [{"context": {"x": [[-1], [0], [1]], "y": [[0.5], [0.25], [-0.5]]}, "targets": {"x": [[-2], [0], [2]]}}], "quantiles": [0.05, 0.5]}`
	out := t.TempDir() + "/predictions.csv"
	succeed(t, "predict", "--run", s.run, "--context", s.context, "--grid=-2:2:3", "--num-quantiles", "7", "--quantiles", "0.05,0.5", "--hdr", "0.5", "--out", out, "--device", "cpu")
	answer := fetch(t, url+"/v1/predict", body)
	for _, row := range readRows(t, out) {
		for _, name := range []string{"mean", "sd", "q0.05", "q0.5"} {
			if text := row[name]; text == "" || !strings.Contains(answer, text) {
				t.Errorf("%s %q of predict is not in %s", name, text, answer)
			}
		}
	}
	signal(syscall.SIGHUP)
	until(t, lines, "loaded the runs again")
	if again := fetch(t, url+"/v1/predict", body); again != answer {
		t.Errorf("after SIGHUP %s, before %s", again, answer)
	}
	for path, want := range map[string]string{"/metrics": `acqnp_reloads_total{result="ok"} 1`, "/v1/model": `"low":`} {
		if text := fetch(t, url+path, ""); !strings.Contains(text, want) {
			t.Errorf("%s has no %s: %s", path, want, text)
		}
	}
	signal(syscall.SIGTERM)
	until(t, lines, "all requests are answered")
	if code := wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// nohup has SIGHUP ignored, which says what a terminal's end does, not that runs are never loaded again.
func TestServeReloadsUnderNohup(t *testing.T) {
	cmd, _ := command("serve", "--listen", "127.0.0.1:0", "--device", "cpu", "--json", "--run", share(t).run)
	cmd.Args = append([]string{"sh", "-c", `trap "" HUP; exec "$@"`, "sh"}, cmd.Args...)
	cmd.Path = "/bin/sh"
	signal, _, lines, wait := started(t, cmd)
	signal(syscall.SIGHUP)
	until(t, lines, "loaded the runs again")
	ends(t, signal, wait)
}

// A server that may open few files still answers when many connections do nothing: the longest idle ones
// end. And the limit of the heap that somebody set stays.
func TestServeWithFewDescriptors(t *testing.T) {
	cmd, _ := command("serve", "--listen", "127.0.0.1:0", "--device", "cpu", "--json", "--run", share(t).run)
	cmd.Args = append([]string{"sh", "-c", `ulimit -n 64; exec "$@"`, "sh"}, cmd.Args...)
	cmd.Path, cmd.Env = "/bin/sh", append(cmd.Env, "GOMEMLIMIT=321MiB")
	signal, url, _, wait := started(t, cmd)
	for range 200 {
		c := must.Get(net.DialTimeout("tcp", strings.TrimPrefix(url, "http://"), 10*time.Second))(t)
		defer c.Close()
	}
	for path, want := range map[string]string{"/healthz": "ok", "/metrics": "go_gc_gomemlimit_bytes 3.36592896e+08"} {
		if text := fetch(t, url+path, ""); !strings.Contains(text, want) {
			t.Errorf("%s: %.2000s, want %s", path, text, want)
		}
	}
	ends(t, signal, wait)
}

// serve --check is the health check of an image without a shell.
func TestServeCheckAsksAServer(t *testing.T) {
	signal, url, _, wait := served(t, "--run", share(t).run)
	address := strings.TrimPrefix(url, "http://")
	_, port, _ := strings.Cut(address, ":")
	for _, listen := range []string{address, ":" + port, "0.0.0.0:" + port} {
		succeed(t, "serve", "--check", "--listen", listen)
	}
	ends(t, signal, wait)
	checkRefusal(t, "after its end", acqnp("serve", "--check", "--listen", address), 1, address+"/healthz does not answer")
	checkRefusal(t, "no port", acqnp("serve", "--check", "--listen", "8080"), 2, "HOST:PORT")
}
