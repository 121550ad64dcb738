package serve_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/serve"
	"github.com/acqnp/acqnp/internal/test/must"
)

// holds fails the test unless the metrics have every line.
func holds(t *testing.T, metrics string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(metrics, "\n"+line+"\n") {
			t.Errorf("the metrics have no line %q:\n%s", line, metrics)
		}
	}
}

func TestMetrics(t *testing.T) {
	server, s := start(t)
	_, two := asked(2, 3, true)
	for _, body := range []string{`{"groups": [` + two + `,` + two + `]}`, `{"groups": [` + two + `]}`, `{`} {
		post(t, server.URL+"/v1/score", body)
	}
	_, one := asked(1, 5, false)
	post(t, server.URL+"/v1/predict", `{"groups": [`+one+`]}`)
	get(t, server.URL+"/v1/other")
	get(t, server.URL+"/page/other")
	get(t, server.URL+"/page/another")
	must.Do(t, s.Reload(func() ([]*serve.Model, error) { return []*serve.Model{model(t, "a"), model(t, "b")}, nil }))
	absent := errors.New("absent")
	if err := s.Reload(func() ([]*serve.Model, error) { return nil, absent }); !errors.Is(err, absent) {
		t.Fatal(err)
	}
	status, text := get(t, server.URL+"/metrics")
	if status != 200 {
		t.Fatal(status, text)
	}
	holds(t, text,
		`acqnp_http_requests_total{code="200",route="/v1/score"} 2`,
		`acqnp_http_requests_total{code="400",route="/v1/score"} 1`,
		`acqnp_http_requests_total{code="200",route="/v1/predict"} 1`,
		`acqnp_http_requests_total{code="404",route="/v1/"} 1`,
		`acqnp_http_requests_total{code="404",route="/"} 2`,
		`acqnp_http_request_duration_seconds_count{route="/v1/score"} 3`,
		`acqnp_http_request_duration_seconds_bucket{route="/v1/predict",le="30"} 1`,
		`acqnp_http_requests_in_flight 1`, // this one
		`acqnp_http_requests_refused_total 0`,
		`acqnp_groups_total{route="/v1/score"} 3`,
		`acqnp_target_points_total{route="/v1/score"} 9`,
		`acqnp_groups_total{route="/v1/predict"} 1`,
		`acqnp_target_points_total{route="/v1/predict"} 5`,
		`acqnp_runs 2`,
		`acqnp_reloads_total{result="ok"} 1`,
		`acqnp_reloads_total{result="failed"} 1`,
	)
	for _, name := range []string{"go_goroutines", "process_resident_memory_bytes"} {
		if !regexp.MustCompile(`\n` + name + ` [1-9]`).MatchString(text) {
			t.Errorf("the metrics have no %s", name)
		}
	}
	if n := len(regexp.MustCompile(`duration_seconds_bucket\{route="/v1/predict",le="0\.0(0[1-9]|[1-4]|5")`).FindAllString(text, -1)); n < 10 {
		t.Errorf("%d buckets from 1 to 50 ms, expected at least 10", n)
	}
}
