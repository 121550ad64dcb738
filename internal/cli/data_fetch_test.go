package cli_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mirror serves a torn file of freyface, which has no published checksum, and a wrong one of mnist.
func mirror(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/data/freyface/frey_rawface.mat":
			w.Write([]byte("MATLAB 5.0 MAT-file, torn"))
		case "/data/mnist/train-images-idx3-ubyte.gz":
			w.Write(make([]byte, 9912422)) // its size, not its sum
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/data"
}

func TestDataFetch(t *testing.T) {
	dir, url := t.TempDir(), mirror(t)
	fetch := func(more ...string) outcome {
		return acqnp(append([]string{"data", "fetch", "--data-dir", dir, "--mirror", url}, more...)...)
	}
	path := filepath.Join(dir, "freyface", "frey_rawface.mat")
	o := fetch("freyface")
	if o.code != 0 || !strings.Contains(o.out, path+"  fetched  25 bytes  no published sum\n") || !strings.Contains(o.err, "freyface") {
		t.Errorf("%+v", o)
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "MATLAB 5.0 MAT-file, torn" {
		t.Errorf("%q, %v", content, err)
	}
	if o := fetch("freyface", "--quiet"); o.code != 0 || !strings.Contains(o.out, "existing") || o.err != "" {
		t.Errorf("%+v", o)
	}
	o = fetch("freyface", "--json")
	var files []map[string]any
	if err := json.Unmarshal([]byte(o.out), &files); err != nil || len(files) != 1 || files[0]["path"] != path ||
		files[0]["bytes"] != 25.0 || files[0]["fetched"] != false || files[0]["checked"] != false {
		t.Errorf("%+v, %v", o, err)
	}
	for _, c := range []struct {
		code       int
		args, says string
	}{
		{1, "svhn", "404 Not Found"},
		{1, "mnist", "SHA-256"},
		{2, "circle", `found "circle", expected a benchmark that has files: speed-flow, mnist, `},
		{2, "", "requires at least 1 arg(s)"},
		{2, "freyface --mirror nowhere", "--mirror: found"},
		{1, "omniglot --mirror http://127.0.0.1:1", "Without a network, put the file at " + filepath.Join(dir, "omniglot", "images_background.zip")},
	} {
		o := fetch(strings.Fields(c.args)...)
		if o.code != c.code || !strings.Contains(o.err, c.says) || o.out != "" {
			t.Errorf("data fetch %s: %+v, want code %d and %q", c.args, o, c.code, c.says)
		}
	}
	if left, err := os.ReadDir(filepath.Join(dir, "mnist")); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
	// data check finds a torn file that has no published checksum.
	if o := acqnp("data", "check", "freyface", "--data-dir", dir); o.code != 2 || !strings.Contains(o.err, "acqnp data fetch freyface") {
		t.Errorf("%+v", o)
	}
	if o := acqnp("__complete", "data", "fetch", ""); !strings.Contains(o.out, "fashion-mnist\n") {
		t.Errorf("%+v", o)
	}
	if o := acqnp("data", "fetch", "--help"); o.code != 0 || !strings.Contains(o.out, "Examples:\n  acqnp data fetch") {
		t.Errorf("%+v", o)
	}
}

// The HTTP client logs what servers send unasked. Users see only the command's own line.
func TestServersThatSpeakUnaskedLeaveOneLine(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = http.ReadRequest(bufio.NewReader(c))
				_, _ = io.WriteString(c, "HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\nSSH-2.0-OpenSSH_9.2\r\n")
			}()
		}
	}()
	cmd := exec.Command("acqnp", "data", "fetch", "svhn", "--quiet", "--data-dir", t.TempDir(), "--mirror", "http://"+listener.Addr().String())
	out, err := cmd.CombinedOutput()
	if err == nil || strings.Count(string(out), "\n") != 1 || !strings.HasPrefix(string(out), "acqnp data fetch: ") {
		t.Errorf("%v\n%s", err, out)
	}
}
