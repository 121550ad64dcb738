package serve_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/serve"
	"github.com/acqnp/acqnp/internal/serve/servetest"
)

// A number that is missing is not 0: null is refused wherever a number of y or x is expected.
func TestNullIsNoNumber(t *testing.T) {
	server := listening(t, nil)
	for _, c := range []struct{ path, body, line string }{
		{"predict", `{"functions": [{"context": {"x": [[1], [2]], "y": [[1], [null]]}, "targets": {"x": [[1]]}}]}`,
			"functions[0].context.y[1]: found null for y, expected a finite number"},
		{"predict", `{"functions": [{"context": {"x": [[1]], "y": [null]}, "targets": {"x": [[1]]}}]}`,
			"functions[0].context.y[0]: found null, expected an array with values of y"},
		{"predict", `{"functions": [{"context": {"x": [[1]], "y": [[]]}, "targets": {"x": [[1]]}}]}`,
			"functions[0].context.y[0]: found 0 values, expected values of y"},
		{"predict", `{"functions": [{"context": {"x": [[1]], "y": [["2"]]}, "targets": {"x": [[1]]}}]}`,
			"functions[0].context.y[0]: found 2 for y, expected a finite number"},
		{"predict", `{"density": {"y": [1, null]}, "functions": [{"targets": {"x": [[1]]}}]}`,
			"density.y: found null for y, expected a finite number"},
		{"predict", `{"density": {"y": null}, "functions": [{"targets": {"x": [[1]]}}]}`,
			"density.y: found null for y, expected finite numbers"},
		{"predict", `{"quantiles": [null], "functions": [{"targets": {"x": [[1]]}}]}`,
			"quantiles: found null, expected a finite number"},
		{"predict", `{"draws": null, "functions": [{"targets": {"x": [[1]]}}]}`,
			"draws: found null, expected a whole number"},
		{"score", `{"functions": [{"targets": {"x": [[1]], "y": [[null]]}}]}`,
			"functions[0].targets.y[0]: found null for y, expected a finite number"},
		{"score", `{"functions": [{"targets": {"x": [[1]], "y": null}}]}`,
			"functions[0].targets.y: found 0 rows for 1 of x, expected as many"},
	} {
		if status, answer := post(t, server.URL+"/v1/"+c.path, c.body); status != 400 || !isLine(answer, c.line) {
			t.Errorf("%s: %d %s, want %s", c.body, status, answer, c.line)
		}
	}
	// Clients in Go write a list of no points as null.
	body := `{"functions": [{"context": {"x": null, "y": null}, "targets": {"x": [[1]]}}]}`
	if status, answer := post(t, server.URL+"/v1/predict", body); status != 200 {
		t.Errorf("%s: %d %s", body, status, answer)
	}
}

// Every answer has a list of warnings, also if there are none.
func TestAnswersHaveWarnings(t *testing.T) {
	server := listening(t, nil)
	for path, body := range map[string]string{
		"predict": small, "score": `{"functions": [{"targets": {"x": [[1]], "y": [[1]]}}]}`,
	} {
		if status, answer := post(t, server.URL+"/v1/"+path, body); status != 200 || !strings.HasSuffix(string(answer), `,"warnings":[]}`+"\n") {
			t.Errorf("%s: %d %s", path, status, answer)
		}
	}
}

// cars returns a server of a model of price by age and fuel, of cars of 0 to 8 years.
func cars(t *testing.T, keys ...string) *httptest.Server {
	t.Helper()
	m := servetest.Model(t, "cars", servetest.Cars(t, append(keys, "x: [age, fuel]", "categories: [fuel]", "y: [price]")...))
	server := httptest.NewServer(serve.New([]*serve.Model{m}, serve.Options{Limits: serve.DefaultLimits()}).HTTP().Handler)
	t.Cleanup(server.Close)
	return server
}

// A number far outside the data is said, on the scale that the training saw.
func TestAnswersSayThatTheyExtrapolate(t *testing.T) {
	body := `{"functions": [{"targets": {"x": [[AGE, "diesel"], [8, "diesel"]]}}]}`
	for _, c := range []struct{ scale, age, want string }{
		{"standard", "0", `"warnings":[]`},
		{"standard", "40", `"warnings":["predictions there extrapolate: age of 1 of 2 targets lies more than 4 deviations from the data's mean"]`},
		{"range", "8.3", `"warnings":[]`},
		{"range", "-2", `"warnings":["predictions there extrapolate: age of 1 of 2 targets lies outside the data"]`},
	} {
		server := cars(t, "scale: "+c.scale)
		status, answer := post(t, server.URL+"/v1/predict", strings.Replace(body, "AGE", c.age, 1))
		if status != 200 || !strings.Contains(string(answer), c.want) {
			t.Errorf("%s, age %s: %d %s, want %s", c.scale, c.age, status, answer, c.want)
		}
	}
}

// A name that the training did not have is named in the answer, once, with the nearest that it had.
func TestAnswersNameUnseenNames(t *testing.T) {
	server := cars(t)
	body := `{"functions": [{"context": {"x": [[1, "diesel"]], "y": [[120]]}, "targets": {"x": [[1, "Diesel"], [2, "Diesel"], [3, "hydrogen"]]}}]}`
	status, answer := post(t, server.URL+"/v1/predict", body)
	want := `"warnings":["fuel of 3 of 3 targets is not among the data's names: Diesel (nearest: diesel), hydrogen (nearest: `
	if status != 200 || !strings.Contains(string(answer), want) {
		t.Errorf("%d %s, want %s", status, answer, want)
	}
}
