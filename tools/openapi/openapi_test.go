package openapi

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/errors"

	"github.com/acqnp/acqnp/internal/serve"
	"github.com/acqnp/acqnp/internal/serve/servetest"
)

// An api is a server of three runs, and the validator of its description.
type api struct {
	*testing.T
	url string
	validator.Validator
}

func start(t *testing.T, change func(*serve.Options)) api {
	t.Helper()
	o := serve.Options{Limits: serve.DefaultLimits()}
	if change != nil {
		change(&o)
	}
	server := httptest.NewServer(serve.New([]*serve.Model{
		servetest.Model(t, "curve", servetest.Curve),
		servetest.Model(t, "cnp", strings.Replace(strings.Replace(servetest.Curve, "acqnp", "cnp", 1), "adaptor: [8], ", "", 1)),
		servetest.Model(t, "cars", servetest.Cars(t, "x: [sold, age, miles, fuel], y: [price, score], categories: [fuel], log: [miles]")),
	}, o))
	t.Cleanup(server.Close)
	r, err := http.Get(server.URL + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	document, err := libopenapi.NewDocument(text)
	if err != nil {
		t.Fatal(err)
	}
	v, errs := validator.NewValidator(document)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return api{t, server.URL, v}
}

func lines(errs []*errors.ValidationError) string {
	var b strings.Builder
	for _, e := range errs {
		b.WriteString("\n" + e.Message + ": " + e.Reason)
		for _, s := range e.SchemaValidationErrors {
			b.WriteString("\n  " + s.FieldPath + ": " + s.Reason)
		}
	}
	return b.String()
}

// ask sends a request and tests that its status is the one wanted, and that the answer is as described.
// asDescribed says whether the request is.
func (a api) ask(method, path, body string, status int, asDescribed bool, header ...string) []byte {
	a.Helper()
	request := func() *http.Request {
		r, err := http.NewRequestWithContext(a.Context(), method, a.url+path, strings.NewReader(body))
		if err != nil {
			a.Fatal(err)
		}
		if body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		return r
	}
	if ok, errs := a.ValidateHttpRequest(request()); ok != asDescribed {
		a.Errorf("%s %s %.200s: as described: %t, expected %t%s", method, path, body, ok, asDescribed, lines(errs))
	}
	r, err := http.DefaultClient.Do(request())
	if err != nil {
		a.Fatal(err)
	}
	defer r.Body.Close()
	answer, err := io.ReadAll(r.Body)
	if err != nil {
		a.Fatal(err)
	}
	if r.StatusCode != status {
		a.Errorf("%s %s %.200s: status %d, expected %d: %.300s", method, path, body, r.StatusCode, status, answer)
	}
	r.Body = io.NopCloser(bytes.NewReader(answer))
	if ok, errs := a.ValidateHttpResponse(request(), r); !ok {
		a.Errorf("%s %s %.200s: %.300s%s", method, path, body, answer, lines(errs))
	}
	return answer
}

func TestDocument(t *testing.T) {
	a := start(t, nil)
	if ok, errs := a.ValidateDocument(); !ok {
		t.Error(lines(errs))
	}
}

// The examples in the description are answered as it says.
func TestExamples(t *testing.T) {
	a := start(t, nil)
	var d struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct{ Example map[string]any }
			}
		}
	}
	if err := json.Unmarshal(a.ask("GET", "/openapi.json", "", 200, true), &d); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/v1/predict", "/v1/score"} {
		example := d.Paths[path]["post"].RequestBody.Content["application/json"].Example
		example["run"] = "curve"
		text, err := json.Marshal(example)
		if err != nil || len(example) < 2 {
			t.Fatalf("%s: the example %v, error %v", path, example, err)
		}
		a.ask("POST", path, string(text), 200, true)
	}
}

const (
	curve = `{"name": "f", "context": {"x": [[0.1], [-1]], "y": [[0.2], [0]]}, "targets": {"x": [[0], [1e1]]}}`
	car   = `{"context": {"x": [["2024-03-02", 3, 0, "diesel"]], "y": [[200, 0.5]]}, "targets": {"x": [[3.5, 3, 20, "steam"]]}}`
)

func TestAnswers(t *testing.T) {
	a := start(t, nil)
	for _, body := range []string{
		`{"run": "curve", "functions": [` + curve + `]}`,
		`{"run": "curve", "functions": [` + curve + `, ` + curve + `], "quantiles": [0.05, 0.999], "regions": [0.5, 0.9], "density": {"points": 5}, "modes": true, "draws": 3, "seed": 9007199254740991, "components": true}`,
		`{"run": "cnp", "functions": [` + curve + `], "quantiles": [0.5], "density": {"y": [0, 1]}, "modes": true, "draws": 1, "components": true}`,
		`{"run": "cars", "functions": [` + car + `], "quantiles": [], "density": {"y": [-5, 200]}, "modes": false, "draws": 2, "seed": 0}`,
	} {
		a.ask("POST", "/v1/predict", body, 200, true)
	}
	scored := strings.NewReplacer(`[1e1]]`, `[1e1]], "y": [[0.1], [2]]`, `"steam"]]`, `"steam"]], "y": [[150, 1]]`).Replace
	for _, body := range []string{
		`{"run": "curve", "functions": [` + curve + `]}`,
		`{"run": "cnp", "functions": [` + curve + `, ` + curve + `]}`,
		`{"run": "cars", "functions": [` + car + `]}`,
	} {
		a.ask("POST", "/v1/score", scored(body), 200, true)
	}
	for _, path := range []string{"/v1/model", "/healthz", "/metrics", "/openapi.json", "/"} {
		a.ask("GET", path, "", 200, true)
	}
}

// What the server refuses, the description refuses too, as far as it can know; and it describes the
// answers.
func TestRefusals(t *testing.T) {
	a := start(t, func(o *serve.Options) { o.Points, o.Body = 50, 1<<16 })
	for body, described := range map[string]bool{
		``:                  false,
		`{"functions": []}`: false,
		`{"run": "curve", "functions": [{"targets": {"x": []}}]}`:                                false,
		`{"run": "curve", "functions": [{"targets": {"x": [[1]], "y": [[1]]}}]}`:                 false,
		`{"run": "curve", "functions": [{"targets": {"x": [[null]]}}]}`:                          false,
		`{"run": "curve", "function": [` + curve + `]}`:                                          false,
		`{"run": "curve", "functions": [` + curve + `], "quantiles": [1]}`:                       false,
		`{"run": "curve", "functions": [` + curve + `], "draws": -1}`:                            false,
		`{"run": "curve", "functions": [` + curve + `], "density": {"y": [1], "points": 5}}`:     false,
		`{"run": "curve", "functions": [` + curve + `], "density": {"points": 1}}`:               false,
		`{"run": "curve", "draws": 9, "functions": [{"targets": {"x": [[1e6]]}}]}`:               true, // draws beyond float32
		`{"run": "other", "functions": [` + curve + `]}`:                                         true,
		`{"run": "cars", "functions": [` + curve + `]}`:                                          true,
		`{"run": "curve", "functions": [{"context": {"x": [[1]]}, "targets": {"x": [[1]]}}]}`:    false,
		`{"run": "curve", "functions": [{"targets": {"x": [["2024-03-01"]]}}]}`:                  true,
		`{"run": "curve", "functions": [{"targets": {"x": [[1, 2]]}}]}`:                          true,
		`{"run": "cars", "functions": [{"targets": {"x": [["2024-03-02", 3, -1, "diesel"]]}}]}`:  true,
		`{"run": "cars", "functions": [{"targets": {"x": [["2024-03-02", "3", 1, "diesel"]]}}]}`: true,
	} {
		a.ask("POST", "/v1/predict", body, 400, described)
	}
	a.ask("POST", "/v1/score", `{"run": "curve", "functions": [`+curve+`]}`, 400, false)
	a.ask("POST", "/v1/score", `{"run": "curve", "draws": 1, "functions": [`+strings.Replace(curve, `[1e1]]`, `[1e1]], "y": [[0.1], [2]]`, 1)+`]}`, 400, false)
	a.ask("POST", "/v1/predict", `{"run": "curve", "functions": [{"targets": {"x": [`+strings.Repeat("[1],", 50)+`[1]]}}]}`, 413, true)
	a.ask("POST", "/v1/predict", `{"run": "`+strings.Repeat("a", 1<<16)+`", "functions": [`+curve+`]}`, 413, true)
	a.ask("GET", "/v1/model", "", 403, true, "Origin", "https://example.org")
	a.ask("POST", "/v1/predict", `{"run": "curve", "functions": [`+curve+`]}`, 403, true, "Origin", "https://example.org")
}

func TestToken(t *testing.T) {
	a := start(t, func(o *serve.Options) { o.Token = "secret" })
	a.ask("GET", "/v1/model", "", 401, true)
	a.ask("GET", "/metrics", "", 401, true)
	a.ask("POST", "/v1/predict", `{"functions": [`+curve+`]}`, 401, true)
	a.ask("GET", "/v1/model", "", 200, true, "Authorization", "Bearer secret")
}

// A full server, and one that takes too long, are described.
func TestBusy(t *testing.T) {
	body := `{"run": "curve", "functions": [` + curve + `]}`
	full := start(t, func(o *serve.Options) { o.Concurrent = 0 })
	full.ask("POST", "/v1/predict", body, 429, true)
	full.ask("POST", "/v1/score", strings.Replace(body, `[1e1]]`, `[1e1]], "y": [[0.1], [2]]`, 1), 429, true)
	slow := start(t, func(o *serve.Options) { o.Time = 1 })
	slow.ask("POST", "/v1/predict", body, 503, true)
}
