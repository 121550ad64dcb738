package serve_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/serve"
	"github.com/acqnp/acqnp/internal/test/must"
)

func get(t testing.TB, url string, header ...string) (int, string) {
	t.Helper()
	r := must.Get(http.NewRequest("GET", url, nil))(t)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	answer := must.Get(http.DefaultClient.Do(r))(t)
	defer answer.Body.Close()
	b, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(b)
}

// Pages of other origins, other names for this address, and requests without the token are refused.
func TestGuards(t *testing.T) {
	server, _ := start(t, func(o *serve.Options) {
		o.Hosts, o.Token = []string{"localhost", "127.0.0.1", "::1"}, "secret"
	})
	for _, c := range []struct {
		path   string
		header []string
		want   int
	}{
		{"/v1/model", []string{"Authorization", "Bearer secret"}, 200},
		{"/v1/model", []string{"Authorization", "Bearer secret", "Origin", server.URL}, 200},
		{"/v1/model", nil, 401},
		{"/v1/model", []string{"Authorization", "secret"}, 401},
		{"/v1/model", []string{"Authorization", "Bearer secre"}, 401},
		{"/v1/model", []string{"Authorization", "Bearer secret", "Origin", "https://evil.example"}, 403},
		{"/v1/model", []string{"Authorization", "Bearer secret", "Origin", "null"}, 403},
		{"/v1/model", []string{"Authorization", "Bearer secret", "Host", "evil.example"}, 403},
		{"/v1/model", []string{"Authorization", "Bearer secret", "Host", "localhost:1"}, 200},
		{"/", []string{"Host", "evil.example"}, 403},
		{"/", nil, 200},
		{"/healthz", nil, 200},
	} {
		if status, body := get(t, server.URL+c.path, c.header...); status != c.want {
			t.Errorf("%s %q: %d, want %d\n%.200s", c.path, c.header, status, c.want, body)
		}
	}
}

// Requests beyond the queue are refused, here while others wait for the rest of a body.
func TestFullQueue(t *testing.T) {
	server, _ := start(t, func(o *serve.Options) { o.Concurrent = 1 })
	half, rest := io.Pipe()
	ended := make(chan int)
	// The client sends the body when the server asks for it, which it does in the queue.
	waits := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute}}
	go func() {
		r, err := http.NewRequest("POST", server.URL+"/v1/predict", half)
		if err != nil {
			ended <- 0
			return
		}
		r.Header.Set("Expect", "100-continue")
		answer, err := waits.Do(r)
		if err != nil {
			ended <- 0
			return
		}
		answer.Body.Close()
		ended <- answer.StatusCode
	}()
	must.Get(io.WriteString(rest, `{"functions": [{"targets": `))(t)
	const body = `{"functions": [{"targets": {"x": [[1]]}}]}`
	post(t, server.URL+"/v1/predict", body)
	if status, answer := post(t, server.URL+"/v1/predict", body); status != 429 {
		t.Errorf("%d %s", status, answer)
	}
	if _, text := get(t, server.URL+"/metrics"); !strings.Contains(text, "\nacqnp_http_requests_refused_total 2\n") {
		t.Errorf("the metrics do not count two refused requests:\n%s", text)
	}
	_, _ = io.WriteString(rest, `{"x": [[1]]}}]}`)
	rest.Close()
	if status := <-ended; status != 200 {
		t.Errorf("the slow request: %d", status)
	}
}
