package serve_test

import (
	"fmt"
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

// With what fit wrote, a group of its data knows its own rows, unless the request takes it as new; each function says
// what is known of it, and a line how many are which.
func TestGroupsOfAFitAreKnown(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("school,class,x,y\n")
	for i := range 96 {
		fmt.Fprintf(&rows, "s%d,%d,%d,%d\n", i/12, i/4%3, i%4, 10*(i/12*7%5)+3*(i/4%3)+i%4+i*i%3)
	}
	file := filepath.Join(t.TempDir(), "d.csv")
	must.Do(t, os.WriteFile(file, []byte(rows.String()), 0o600))
	asked := must.Get(formula.Parse("y ~ x | school/class"))(t)
	f, _, err := fit.Fit(t.Context(), fit.Options{File: file, Formula: asked, Instant: true, Out: t.TempDir(), Threads: 1, Progress: progress.Quiet(progress.New(os.Stderr, progress.Auto))})
	must.Do(t, err)
	m := must.Get(serve.NewModel("a", f, 1))(t)
	server := httptest.NewServer(serve.New([]*serve.Model{m}, serve.Options{Limits: serve.DefaultLimits()}).HTTP().Handler)
	t.Cleanup(server.Close)
	body := `{%s"functions": [{"name": "s1/0", "context": {"x": [[9]], "y": [[30]]}, "targets": {"x": [[1]]}}, {"name": "s1/new", "targets": {"x": [[1]]}}, {"name": "S1/0", "targets": {"x": [[1]]}}, {"targets": {"x": [[1]]}}]}`
	for asNew, want := range map[string][]string{
		"": {`"name":"s1/0","known":{"fit":4,"context":1,"beside":8}`, `"name":"s1/new","known":{"fit":0,"context":0,"beside":13}`, `"name":"","known":{"fit":0,"context":0,"beside":0}`,
			"known points: of 1 group (s1/0) the 4 rows of the fit's data", "of 1 group (S1/0) and of its school no point is known"},
		`"as_new": true, `: {`"name":"s1/0","known":{"fit":0,"context":1,"beside":0}`, `"name":"s1/new","known":{"fit":0,"context":0,"beside":1}`},
	} {
		status, answer := post(t, server.URL+"/v1/predict", fmt.Sprintf(body, asNew))
		for _, text := range want {
			if status != 200 || !strings.Contains(string(answer), text) {
				t.Errorf("%d %s, want %s", status, answer, text)
			}
		}
		if asNew != "" && strings.Contains(string(answer), "fit's data") {
			t.Errorf("rows of the data in %s", answer)
		}
	}
}
