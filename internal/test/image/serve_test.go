//go:build linux

package image

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
)

// do runs the program of make build outside of containers.
func do(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("../../../acqnp", args...).CombinedOutput(); err != nil {
		t.Fatalf("acqnp %q: %v\n%s", args, err, out)
	}
}

const known = `product,age,price
kettle,0.5,310
kettle,1.8,270
lamp,1.5,880
`

// Own data: fit and predict say in a container what they say outside. A server of the fit says so too.
func TestImagesFitPredictAndServe(t *testing.T) {
	each(t, func(t *testing.T, b box) {
		b.write(t, "context.csv", known)
		b.acqnp(t, "data", "example", "--out", "runs/prices.csv")
		b.acqnp(t, "fit", "runs/prices.csv", "price ~ age | product", "--instant", "--out", "runs/prices.fit")
		predict := []string{"--grid=0.2:6:5", "--out"}
		b.acqnp(t, append([]string{"predict", "runs/prices.fit", "--context", "runs/context.csv"}, append(predict, "runs/predictions.csv")...)...)
		outside := t.TempDir()
		do(t, "fit", b.runs+"/prices.csv", "price ~ age | product", "--instant", "--out", outside+"/prices.fit")
		do(t, append([]string{"predict", outside + "/prices.fit", "--context", b.runs + "/context.csv"}, append(predict, outside+"/predictions.csv")...)...)
		want := must.Get(os.ReadFile(outside + "/predictions.csv"))(t)
		if got := b.read(t, "predictions.csv"); string(got) != string(want) {
			t.Errorf("predictions\n%s\noutside\n%s", got, want)
		}
		serveAndAsk(t, b)
	})
}

// serveAndAsk starts a server as docs/how-to/serve.md does, waits for its health, asks it and
// stops it.
func serveAndAsk(t *testing.T, b box) {
	t.Helper()
	container := b.start(t, []string{"--read-only", "--cap-drop=all", "-p", "127.0.0.1::8080", "-e", "ACQNP_SERVE_TOKEN=secret", "-v", b.runs + "/prices.fit:/work/prices.fit:ro"},
		"serve", "prices.fit", "--listen", ":8080")
	health := []string{"exec", container, "acqnp", "serve", "--check"}
	if b.image == "acqnp" {
		if test := inspect(t, b.image).Healthcheck.Test; strings.Join(test, " ") != "CMD acqnp serve --check" {
			t.Fatalf("health check %q", test)
		}
		health = []string{"healthcheck", "run", container}
	}
	eventually(t, "healthy server", func() bool { _, _, code := podman(t, health...); return code == 0 })
	address := strings.TrimSpace(succeed(t, "port", container, "8080/tcp"))
	for _, c := range []struct {
		path, token string
		status      int
	}{{"/healthz", "", 200}, {"/v1/model", "", 401}, {"/v1/model", "secret", 200}} {
		if status, text := ask(t, "http://"+address+c.path, c.token); status != c.status {
			t.Errorf("%s with token %q: %d %s", c.path, c.token, status, text)
		}
	}
	if code := stop(t, container); code != "0" {
		t.Errorf("the server's exit code is %s", code)
	}
}

func ask(t *testing.T, url, token string) (status int, text string) {
	t.Helper()
	r := must.Get(http.NewRequest(http.MethodGet, url, nil))(t)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer := must.Get(http.DefaultClient.Do(r))(t)
	defer answer.Body.Close()
	b, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(b)
}
