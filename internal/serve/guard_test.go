package serve_test

import (
	"bufio"
	"io"
	"net/http"
	"testing"

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
		{"/metrics", nil, 401},
		{"/metrics", []string{"Authorization", "Bearer secret", "Origin", "https://evil.example"}, 403},
		{"/metrics", []string{"Authorization", "Bearer secret"}, 200},
		{"/", []string{"Host", "evil.example"}, 403},
		{"/", nil, 200},
		{"/healthz", nil, 200},
	} {
		if status, body := get(t, server.URL+c.path, c.header...); status != c.want {
			t.Errorf("%s %q: %d, want %d\n%.200s", c.path, c.header, status, c.want, body)
		}
	}
	if status, text := post(t, server.URL+"/metrics", ""); status != 401 {
		t.Errorf("POST /metrics without a token: %d %s", status, text)
	}
	_, text := get(t, server.URL+"/metrics", "Authorization", "Bearer secret")
	holds(t, text, `acqnp_http_requests_total{code="401",route="/metrics"} 2`) // counted under its route
}

// Requests beyond the queue are refused, here while another waits for the rest of its body.
func TestFullQueue(t *testing.T) {
	server, _ := start(t, func(o *serve.Options) { o.Concurrent = 1 })
	slow := half(t, server.Listener.Addr().String())
	for range 2 {
		if status, answer := post(t, server.URL+"/v1/predict", small); status != 429 {
			t.Errorf("%d %s", status, answer)
		}
	}
	if n := metric(t, server, "acqnp_http_requests_refused_total"); n != 2 {
		t.Errorf("the metrics count %v refused requests, want 2", n)
	}
	must.Get(io.WriteString(slow, small[20:]))(t)
	if r, err := http.ReadResponse(bufio.NewReader(slow), nil); err != nil || r.StatusCode != 200 {
		t.Errorf("the slow request: %v, %v", r, err)
	}
}
