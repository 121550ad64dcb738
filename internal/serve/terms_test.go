package serve_test

import (
	"fmt"
	"math"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/fit"
	"github.com/acqnp/acqnp/internal/fit/formula"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/serve"
	"github.com/acqnp/acqnp/internal/test/must"
)

// servingFit returns a server of what an instant fit of a formula to a CSV file wrote.
func servingFit(t *testing.T, csv, asked string) *httptest.Server {
	t.Helper()
	o := fit.Options{File: filepath.Join(t.TempDir(), "m.csv"), Formula: must.Get(formula.Parse(asked))(t), Instant: true, Out: t.TempDir(), Threads: 2,
		Progress: progress.Quiet(progress.New(os.Stderr, progress.Auto))}
	must.Do(t, os.WriteFile(o.File, []byte(csv), 0o600))
	_, _, err := fit.Fit(t.Context(), o)
	must.Do(t, err)
	f := must.Get(fit.Read(o.Out))(t)
	m := must.Get(serve.NewModel("m", f, 1))(t)
	m.Calibrated = f.Calibrated()
	server := httptest.NewServer(serve.New([]*serve.Model{m}, serve.Options{Limits: serve.DefaultLimits()}).HTTP().Handler)
	t.Cleanup(server.Close)
	return server
}

// machines returns rows of machines of plants, whose names are numbers.
func machines() string {
	text := "plant,machine,x,y\n"
	for p := range 8 {
		for i := range 5 {
			text += strings.Join([]string{string(rune('a' + p)), []string{"1", "2", "10"}[(p+i)%3], []string{"0", "1", "2", "3", "4.5"}[i], []string{"3", "4.5", "2", "7", "5", "6", "1"}[(3*p+2*i)%7]}, ",") + "\n"
		}
	}
	return text
}

// Codes that are names may be numbers in a request, null is a missing cell, and a formula without x has empty rows.
func TestTermsOfFormulas(t *testing.T) {
	server := servingFit(t, machines(), "y ~ factor(machine) + x | plant")
	for _, c := range []struct {
		body, want string
		status     int
	}{
		{`{"functions": [{"targets": {"x": [[10, 1], ["10", 1]]}}]}`, `"warnings":[]`, 200},
		{`{"functions": [{"targets": {"x": [[7, 1]]}}]}`, `machine of 1 of 1 target is not among the data's names: 7 (nearest: `, 200},
		{`{"functions": [{"targets": {"x": [[null, null]]}}]}`, `1 of x; each gets the median`, 200},
		{`{"functions": [{"targets": {"x": [[]]}}]}`, `found 0 values, expected values of machine, x`, 400},
		{`{"functions": [{"targets": {"x": [[1, 1]]}}], "quantiles": [0.4], "regions": [0.5]}`, `"warnings":[]`, 200},
		{`{"functions": [{"targets": {"x": [[1, 1]]}}], "regions": [0.999]}`, `"beyond what the groups calibrate, the mixture's own tail goes on: the region 0.999 of `, 200},
	} {
		status, answer := post(t, server.URL+"/v1/predict", c.body)
		if status != c.status || !strings.Contains(string(answer), c.want) {
			t.Errorf("%s: %d %s, want %d and %s", c.body, status, answer, c.status, c.want)
		}
	}
	server = servingFit(t, machines(), "y ~ 1 | plant")
	status, answer := post(t, server.URL+"/v1/predict", `{"functions": [{"context": {"x": [[], []], "y": [[3], [4]]}, "targets": {"x": [[]]}}]}`)
	if status != 200 || !strings.Contains(string(answer), `"warnings":[]`) {
		t.Errorf("%d %s, want a prediction", status, answer)
	}
	if status, answer := post(t, server.URL+"/v1/predict", `{"functions": [{"targets": {"x": [[1]]}, "context": {"x": [[1, 2]], "y": [[1]]}}]}`); status != 400 {
		t.Errorf("%d %s, want a refusal", status, answer)
	}
}

// Where models take the logarithm of y, a known point of 0 has a warning, as in predict.
func TestKnownPointsOfZero(t *testing.T) {
	text := "plant,x,y\n"
	for i := range 60 {
		text += fmt.Sprintf("%d,%d,%g\n", i/6, i%6, math.Exp(float64(i%6)/2+float64(i*i%7)/3+math.Sin(float64(i))/9))
	}
	server := servingFit(t, text, "log(y) ~ x | plant")
	status, answer := post(t, server.URL+"/v1/predict", `{"functions": [{"context": {"x": [[1]], "y": [[0]]}, "targets": {"x": [[1]]}}]}`)
	if status != 200 || !strings.Contains(string(answer), `"y of 1 known point is 0 or less and counts as `) {
		t.Errorf("%d %s, want a warning", status, answer)
	}
}

// Draws from what fit wrote, here of two columns of y, have the seed 43 of predict if a request has none.
func TestSeedOfDrawsFromAFit(t *testing.T) {
	server := servingFit(t, machines(), "x + y ~ 1 | plant")
	drawn := func(more string) string {
		status, answer := post(t, server.URL+"/v1/predict", `{"functions": [{"targets": {"x": [[], []]}}], "draws": 3`+more+`}`)
		_, draws, found := strings.Cut(string(answer), `"draws":`)
		if status != 200 || !found {
			t.Fatalf("%d %s, want draws", status, answer)
		}
		return draws
	}
	if got, want := drawn(""), drawn(`, "seed": 43`); got != want || got == drawn(`, "seed": 44`) {
		t.Errorf("draws are %s, want %s", got, want)
	}
}
