package serve_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/serve"
	"github.com/acqnp/acqnp/internal/serve/servetest"
)

// Each request is a line of the log with its ID, status, size and groups, and nothing of its data.
func TestRequestsAreLogged(t *testing.T) {
	var last serve.Request
	o := serve.Options{Limits: serve.DefaultLimits(), Log: func(r serve.Request) { last = r }}
	s := serve.New([]*serve.Model{servetest.Model(t, "a", servetest.Curve)}, o)
	long := strings.Repeat("x", 300)
	for _, c := range []struct {
		id, path, body string
		want           serve.Request
	}{
		{"job-7.a", "/v1/predict?secret=1", `{"groups": [{"targets": {"x": [[0]]}}, {"targets": {"x": [[1]]}}]}`, serve.Request{ID: "job-7.a", Path: "/v1/predict", Status: 200, Groups: 2}},
		{"a b", "/v1/predict", `{`, serve.Request{Path: "/v1/predict", Status: 400}},
		{"", "/" + long, "", serve.Request{Path: "/" + long[:199], Status: 404}},
	} {
		q, answer := httptest.NewRequest("POST", c.path, strings.NewReader(c.body)), httptest.NewRecorder()
		q.Header.Set("X-Request-ID", c.id)
		q.Header.Set("Content-Type", "application/json")
		s.ServeHTTP(answer, q)
		if id := answer.Header().Get("X-Request-ID"); id != last.ID || len(id) < 4 {
			t.Errorf("%s: ID %q in the answer, %q in the log", c.path, id, last.ID)
		}
		if c.want.ID == "" && last.ID != c.id {
			c.want.ID = last.ID // drawn
		}
		if last.Took <= 0 || last.Bytes != answer.Body.Len() || last.Bytes == 0 {
			t.Errorf("%s: %d bytes in %v, want %d", c.path, last.Bytes, last.Took, answer.Body.Len())
		}
		if c.want.Method, c.want.Bytes, c.want.Took = "POST", last.Bytes, last.Took; last != c.want {
			t.Errorf("%s: %+v, want %+v", c.path, last, c.want)
		}
	}
}
