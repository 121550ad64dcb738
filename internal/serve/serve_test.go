package serve_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/serve"
	"github.com/acqnp/acqnp/internal/serve/servetest"
	"github.com/acqnp/acqnp/internal/test/must"
)

// untrained returns a small ACQNP with random weights.
func untrained(t testing.TB) predict.Trained {
	t.Helper()
	trained, _ := servetest.Trained(t, servetest.Curve)
	return trained
}

func model(t testing.TB, name string) *serve.Model {
	t.Helper()
	return servetest.Model(t, name, servetest.Curve)
}

// serving starts a server of a model, named a, as the program does, with its deadlines.
func serving(t testing.TB, text string, change ...func(*serve.Options)) (*httptest.Server, *serve.Server) {
	t.Helper()
	s := serve.New([]*serve.Model{servetest.Model(t, "a", text)}, limited(change...))
	server := httptest.NewUnstartedServer(nil)
	server.Config = s.HTTP()
	server.Start()
	t.Cleanup(server.Close)
	return server, s
}

func start(t testing.TB, change ...func(*serve.Options)) (*httptest.Server, *serve.Server) {
	t.Helper()
	return serving(t, servetest.Curve, change...)
}

// post returns the status and the body of an answer.
func post(t testing.TB, url, body string) (int, []byte) {
	t.Helper()
	r := must.Get(http.Post(url, "application/json", strings.NewReader(body)))(t)
	defer r.Body.Close()
	b := must.Get(io.ReadAll(r.Body))(t)
	return r.StatusCode, b
}

// says returns the answer to a request of /v1/predict. The test fails unless it has the status and all texts.
func says(t testing.TB, server *httptest.Server, body string, status int, texts ...string) string {
	t.Helper()
	found, answer := post(t, server.URL+"/v1/predict", body)
	for _, text := range texts {
		if !strings.Contains(string(answer), text) {
			t.Errorf("%s: %d %.600s, want %s", body, found, answer, text)
		}
	}
	if found != status {
		t.Fatalf("%s: %d %.600s, want %d", body, found, answer, status)
	}
	return string(answer)
}

// decoded returns the value of a JSON text.
func decoded[V any](t testing.TB, text string) (v V) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %.600s", err, text)
	}
	return v
}

// limited returns the default options with changes.
func limited(change ...func(*serve.Options)) serve.Options {
	o := serve.Options{Limits: serve.DefaultLimits()}
	for _, c := range change {
		c(&o)
	}
	return o
}

// within returns the body of a server's answer to a request, without a connection.
func within(t testing.TB, s *serve.Server, method, path, body string) string {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body)))
	return w.Body.String()
}

// asked returns a function of n context points and targets, and the same as JSON.
func asked(n, targets int, withY bool) (points.Question, string) {
	f := points.Question{Name: fmt.Sprint("f", n), Known: points.New(1, 1, nil, nil), Targets: points.New(1, 1, nil, nil)}
	var cx, cy, tx, ty [][]float64
	for i := range n {
		x := math.Sin(float64(i + n))
		f.Known.X, f.Known.Y = append(f.Known.X, x), append(f.Known.Y, x*x/3)
		cx, cy = append(cx, []float64{x}), append(cy, []float64{x * x / 3})
	}
	for i := range targets {
		x := math.Cos(float64(i + n))
		f.Targets.X, tx = append(f.Targets.X, x), append(tx, []float64{x})
		f.Targets.Y, ty = append(f.Targets.Y, x/7), append(ty, []float64{x / 7})
	}
	of := map[string]any{"x": tx}
	if withY {
		of["y"] = ty
	}
	b, _ := json.Marshal(map[string]any{"name": f.Name, "context": map[string]any{"x": cx, "y": cy}, "targets": of})
	return f, string(b)
}

type prediction struct {
	Groups []struct {
		Name    string
		Targets []struct {
			X        []float64
			Channels []struct {
				Mean, SD         float64
				Quantiles, Modes []float64
				Exceed           []float64
				Regions          [][][2]float64
				Density, CDF     struct{ Y, Values []float64 }
				Components       struct{ Tau, Mu, Sigma, Weight []float64 }
				Atoms            []struct{ Y, Probability float64 }
				Y, CRPS, PIT     float64
				LogDensity       float64 `json:"log_density"`
			}
		}
		Draws [][][]float64
	}
	Summary struct {
		CRPS float64
	}
}

// Predictions equal those of package predict to the last digit: for several groups, more context
// than before, many requests at once.
func TestPredictionsEqualPredicts(t *testing.T) {
	server, _ := start(t)
	trained := untrained(t)
	levels, density := []float64{0.05, 0.5, 0.95}, []float64{-0.5, 0, 1}
	var all sync.WaitGroup
	for worker := range 6 {
		all.Go(func() {
			f, text := asked(1+worker*60, 3+worker*40, false) // from 64 targets on, two predictors share them
			g, more := asked(0, 2, false)
			status, body := post(t, server.URL+"/v1/predict", `{"groups": [`+text+`,`+more+`], "quantiles": [0.05, 0.5, 0.95], "regions": [0.5, 0.9], "density": {"y": [-0.5, 0, 1]}, "cdf": {"y": [0.1]}, "exceed": [0.1], "modes": true, "components": true}`)
			var p prediction
			if err := json.Unmarshal(body, &p); err != nil || status != 200 {
				t.Errorf("%d %s %v", status, body, err)
				return
			}
			for want, err := range trained.Predict(t.Context(), []points.Question{f, g}) {
				if err != nil {
					t.Error(err)
					return
				}
				got, d := p.Groups[want.Group].Targets[want.Target].Channels[0], want.Channels[0]
				values := likelihood.Densities(d.Distribution, density)
				if got.Mean != d.Mean() || got.SD != math.Sqrt(d.Variance()) || !slices.Equal(got.Quantiles, likelihood.ApproximateQuantiles(d.Distribution, levels...)) ||
					!slices.Equal(got.Modes, likelihood.Modes(d.Distribution)) || !slices.Equal(got.Density.Values, values) || !slices.Equal(got.Density.Y, density) {
					t.Errorf("group %d, target %d: %+v", want.Group, want.Target, got)
				}
				if !slices.Equal(got.CDF.Values, []float64{d.CDF(0.1)}) || !slices.Equal(got.Exceed, []float64{d.Survival(0.1)}) {
					t.Errorf("group %d, target %d: probabilities %v and %v, want %v and %v", want.Group, want.Target, got.CDF, got.Exceed, d.CDF(0.1), d.Survival(0.1))
				}
				for k, mass := range []float64{0.5, 0.9} {
					var region [][2]float64
					for _, part := range likelihood.HighestDensity(d.Distribution, mass) {
						region = append(region, [2]float64{part.Low, part.High})
					}
					if !slices.Equal(got.Regions[k], region) {
						t.Errorf("group %d, target %d: the region of %v is %v, want %v", want.Group, want.Target, mass, got.Regions[k], region)
					}
				}
				for k, c := range d.Components() {
					if parts := got.Components; parts.Tau[k] != c.Tau || parts.Mu[k] != c.Mu || parts.Sigma[k] != c.Sigma || parts.Weight[k] != c.Weight {
						t.Errorf("group %d, target %d: component %d of %+v, want %+v", want.Group, want.Target, k, parts, c)
					}
				}
			}
		})
	}
	all.Wait()
}

// Joint draws are those of predict --joint with the run's seed, or with the one asked for.
func TestDrawsEqualPredicts(t *testing.T) {
	server, _ := start(t)
	trained := untrained(t)
	f, text := asked(4, 3, false)
	for _, seed := range []uint64{trained.Seed, 9} {
		p := decoded[prediction](t, says(t, server, fmt.Sprintf(`{"groups": [%s], "draws": 2, "seed": %d}`, text, seed), 200))
		if len(p.Groups[0].Draws) != 2 {
			t.Fatalf("%d draws", len(p.Groups[0].Draws))
		}
		groups := []points.Question{f}
		for want, err := range predict.WithJointDraws(t.Context(), trained, groups, predict.JointDraws{Number: 2, Seed: seed}, trained.Predict(t.Context(), groups)) {
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range want.Draws {
				if got := p.Groups[0].Draws[i][want.Target][0]; got != v {
					t.Errorf("draw %d of target %d: %v, want %v", i, want.Target, got, v)
				}
			}
		}
	}
}

// Scores equal those of package predict, and their means those of package score.
func TestScoresEqualScores(t *testing.T) {
	server, _ := start(t)
	trained := untrained(t)
	f, text := asked(4, 5, true)
	status, body := post(t, server.URL+"/v1/score", `{"run": "a", "groups": [`+text+`]}`)
	var p prediction
	if err := json.Unmarshal(body, &p); err != nil || status != 200 {
		t.Fatalf("%d %s %v", status, body, err)
	}
	tally := score.NewTally([]string{"y"})
	scores := predict.Scores{Names: predict.Names{Questions: []points.Question{f}, XNames: []string{"x"}, YNames: []string{"y"}}, Threads: 1}
	err := scores.Each(trained.Predict(t.Context(), []points.Question{f}), func(want predict.Target, points []score.Point) error {
		tally.Add(points)
		got, w := p.Groups[0].Targets[want.Target].Channels[0], points[0]
		if got.Y != w.Y || got.LogDensity != w.LogDensity || got.CRPS != w.CRPS || got.PIT != w.PIT {
			t.Errorf("target %d: %+v, want %+v", want.Target, got, w)
		}
		return nil
	})
	if err != nil || p.Summary.CRPS != tally.Summary().CRPS {
		t.Errorf("CRPS %v, want %v; %v", p.Summary.CRPS, tally.Summary().CRPS, err)
	}
}

// While models are replaced, every request is answered by one of them.
func TestReplaceLosesNothing(t *testing.T) {
	server, s := start(t)
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if status, answer := post(t, server.URL+"/v1/predict", `{"run": "a", "groups": [{"targets": {"x": [[1]]}}]}`); status != 200 {
					t.Errorf("%d %s", status, answer)
					return
				}
			}
		})
	}
	for range 20 {
		s.Replace([]*serve.Model{model(t, "a"), model(t, "b")})
		time.Sleep(5 * time.Millisecond)
	}
	close(stop)
	all.Wait()
	if _, body := get(t, server.URL+"/v1/model"); strings.Count(body, `"name":"b"`) != 1 {
		t.Error(body)
	}
	if status, _ := post(t, server.URL+"/v1/predict", `{"groups": [{"targets": {"x": [[1]]}}]}`); status != 400 {
		t.Errorf("a request that names none of two runs: %d", status)
	}
}

// No body makes the server panic or answer without a status of its own.
func FuzzBody(f *testing.F) {
	server, _ := start(f, func(o *serve.Options) { o.Points, o.Numbers = 50, 1000 })
	_, text := asked(2, 2, false)
	f.Add(`{"groups": [` + text + `], "quantiles": [0.5], "draws": 1, "modes": true, "density": {"y": [1]}}`)
	f.Add(`{"groups": [` + text + `], "components": true, "density": {"points": 9}}`)
	f.Add(`{"groups": [{"targets": {"x": [[1e38], [-0]]}}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		status, answer := post(t, server.URL+"/v1/predict", body)
		if !slices.Contains([]int{200, 400, 413}, status) || !json.Valid(answer) {
			t.Errorf("%q: %d %s", body, status, answer)
		}
	})
}
