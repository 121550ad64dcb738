package torch_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/export/torch"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/run"
)

// interpreter returns a Python with PyTorch: $TORCH_PYTHON, or Debian's.
func interpreter(t *testing.T) string {
	t.Helper()
	python := os.Getenv("TORCH_PYTHON")
	if python == "" {
		python = "/usr/bin/python3"
		if exec.Command(python, "-c", "import torch").Run() != nil {
			t.Skip("found no PyTorch in /usr/bin/python3 (Debian: python3-torch); TORCH_PYTHON names another Python")
		}
	}
	return python
}

const (
	levels     = 9 // of a mixture, or bootstraps
	moreLevels = 14
)

// A question is what testdata/predict.py reads.
type question struct {
	ContextX  [][]any     `json:"context_x"`
	ContextY  [][]any     `json:"context_y"`
	X         [][]any     `json:"x"`
	Y         [][]float64 `json:"y"`
	Levels    int         `json:"levels"` // 0: the program's own
	Quantiles []float64   `json:"quantiles"`

	function predict.Function
}

// An answer is what it writes: [N, dy, parts], [N, dy], and quantiles [levels, N, dy].
type answer struct {
	Mu, Sigma, Weight, Tau, Quantiles [][][]float64
	Mean, SD                          [][]float64
	LogDensity                        [][]float64 `json:"log_density"`
}

// ask returns a question with a number of context points, targets and levels.
func ask(u run.Units, context, targets, levels int) question {
	g := random.New(5, random.Data)
	drawn := func(step uint64, n int, forms []datasets.Form, offset, scale []float64) (raw []float64) {
		for i := range n * len(scale) {
			c, v := i%len(scale), g.Normal(step, uint64(i))
			var f datasets.Form
			if forms != nil {
				f = forms[c]
			}
			switch {
			case f.Categories != nil:
				raw = append(raw, float64(i/len(scale)%len(f.Categories)))
			case f.Log:
				raw = append(raw, max(math.Exp(offset[c]+v*scale[c])-f.Shift, 0))
			case f.Origin != "":
				raw = append(raw, math.Round(offset[c]+v*scale[c]))
			default:
				raw = append(raw, offset[c]+v*scale[c])
			}
		}
		return raw
	}
	s := u.Scaling
	q := question{Levels: levels, Quantiles: []float64{0.02, 0.3, 0.5, 0.77, 0.99}, function: predict.Function{
		ContextX: drawn(1, context, s.XForms, s.XOffset, s.XScale), ContextY: drawn(2, context, s.YForms, s.YOffset, s.YScale),
		TargetX: drawn(3, targets, s.XForms, s.XOffset, s.XScale), TargetY: drawn(4, targets, s.YForms, s.YOffset, s.YScale)}}
	q.ContextX, q.ContextY = cells(q.function.ContextX, s.XForms, len(s.XScale)), cells(q.function.ContextY, nil, len(s.YScale))
	q.X = cells(q.function.TargetX, s.XForms, len(s.XScale))
	for i := 0; i < len(q.function.TargetY); i += len(s.YScale) {
		q.Y = append(q.Y, q.function.TargetY[i:][:len(s.YScale)])
	}
	return q
}

// cells returns rows as a user writes them, with texts for names and dates.
func cells(raw []float64, forms []datasets.Form, columns int) [][]any {
	rows := [][]any{}
	for i, v := range raw {
		if i%columns == 0 {
			rows = append(rows, nil)
		}
		var cell any = v
		if forms != nil && (forms[i%columns].Categories != nil || forms[i%columns].Origin != "") {
			cell = forms[i%columns].Text(v)
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], cell)
	}
	return rows
}

// TestProgramsPredictAsPredictDoes compares programs of models with random weights with package
// predict: all models and aggregations, both adaptors, all forms of columns, with and without a
// context.
func TestProgramsPredictAsPredictDoes(t *testing.T) {
	python, dir := interpreter(t), t.TempDir()
	trained, questions := map[string]predict.Trained{}, map[string][]question{}
	for _, k := range kinds() {
		u := k.units
		dx, dy := u.Dims()
		m, err := models.New(k.config, dx, dy)
		if err != nil {
			t.Fatal(err)
		}
		params := m.Initial(3)
		spread(m, params)
		tr := predict.Trained{Model: m, Params: params, Units: u, NumTau: levels,
			Bootstraps: levels, Seed: 43 + 3<<32, Data: `da"""ta`, Variant: k.form}.Evenly()
		qs := []question{ask(u, 5, 7, 0), ask(u, 1, 1, 0)}
		if !m.Bootstrap() {
			qs = append(qs, ask(u, 0, 3, 0))
		}
		if m.Quantile() {
			qs = append(qs, ask(u, 4, 2, moreLevels), ask(u, 2, 3, 1))
		}
		folder := filepath.Join(dir, k.name)
		exported(t, folder, tr)
		content, err := json.Marshal(qs)
		if err != nil {
			t.Fatal(err)
		}
		written(t, filepath.Join(folder, "cases.json"), content)
		trained[k.name], questions[k.name] = tr, qs
	}
	script, err := os.ReadFile("testdata/predict.py")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(python, "-c", string(script), dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for key, tr := range trained {
		var answers []answer
		content, err := os.ReadFile(filepath.Join(dir, key, "results.json"))
		if err == nil {
			err = json.Unmarshal(content, &answers)
		}
		if err != nil || len(answers) != len(questions[key]) {
			t.Fatalf("%s: %d answers, error %v\n%s", key, len(answers), err, content)
		}
		t.Run(key, func(t *testing.T) {
			for i, q := range questions[key] {
				compare(t, tr, q, answers[i])
			}
		})
	}
}

// spread makes random weights more like trained ones. The parts of a mixture differ, and their σ are
// small: else the tails of a level of 0.001 are so long that exp of them is too large for a float64.
func spread(m *models.Model, params []float32) {
	for i := range params {
		params[i] *= 1.7
	}
	if _, dy := m.Dims(); m.Quantile() { // the last layer's bias has μ, s and the logits of the weights
		for i := range dy {
			params[len(params)-2*dy+i] = -7
		}
	}
}

// exported writes the weights of a model, and their program, to a new folder.
func exported(t *testing.T, folder string, tr predict.Trained) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	weights := filepath.Join(folder, "weights.safetensors")
	if err := run.WriteWeights(weights, tr.Model, tr.Params, &tr.Units); err != nil {
		t.Fatal(err)
	}
	if err := torch.Write(torch.Path(weights), weights, tr); err != nil {
		t.Fatal(err)
	}
}

func written(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// tolerance is the largest difference, relative to the prediction's deviation and the scale of y:
// package predict computes the network in float32, on outputs near 1.
const tolerance = 1e-5

// compare compares an answer with what package predict says.
func compare(t *testing.T, tr predict.Trained, q question, a answer) {
	t.Helper()
	if q.Levels > 0 {
		tr.NumTau = q.Levels
	}
	n := 0
	for target, err := range tr.Predict(t.Context(), []predict.Function{q.function}) {
		if err != nil {
			t.Fatal(err)
		}
		for c, d := range target.Channels {
			near := func(what string, got, want, scale float64) {
				if !(math.Abs(got-want) <= tolerance*scale) {
					t.Errorf("%d context points, %d levels, target %d, channel %d: %s = %v, predict has %v", len(q.ContextX), q.Levels, n, c, what, got, want)
				}
			}
			sd := math.Sqrt(d.Variance())
			parts := d.Components()
			if len(a.Mu[n][c]) != len(parts) {
				t.Fatalf("%d parts, predict has %d", len(a.Mu[n][c]), len(parts))
			}
			scale := tr.Units.Scaling.YScale[c] // of y, or of log y
			of := sd + scale                    // of y
			spread := of                        // of the parts
			if d.Log() {
				of, spread = sd+scale*d.Mean(), scale
			}
			for k, p := range parts {
				near("mu", a.Mu[n][c][k], p.Mu, spread)
				near("sigma", a.Sigma[n][c][k], p.Sigma, p.Sigma)
				near("weight", a.Weight[n][c][k], p.Weight, 1)
				if tr.Model.Quantile() {
					near("tau", a.Tau[n][c][k], p.Tau, 1)
				}
			}
			near("mean", a.Mean[n][c], d.Mean(), of)
			near("sd", a.SD[n][c], sd, of)
			for i, p := range q.Quantiles {
				q := d.Quantile(p)
				if d.Log() {
					near("the logarithm of a quantile", math.Log(a.Quantiles[i][n][c]), math.Log(q), scale+math.Log(d.Quantile(0.99)/d.Quantile(0.01)))
				} else {
					near("a quantile", a.Quantiles[i][n][c], q, of)
				}
			}
			log := d.LogDensity(q.Y[n][c])
			near("log density", a.LogDensity[n][c], log, 10+math.Abs(log))
		}
		n++
	}
	if n != len(q.X) || len(a.Mu) != n {
		t.Errorf("%d predictions, %d answers, expected %d", n, len(a.Mu), len(q.X))
	}
}

// TestProgramsAreShort checks what readers are promised: a short program, whose network is a list of
// assignments, one a line.
func TestProgramsAreShort(t *testing.T) {
	// Logarithms, names and dates are further code.
	limits := map[string]int{"numbers": 130, "forms": 145, "dates": 145}
	for _, k := range kinds() {
		dx, dy := k.units.Dims()
		m, err := models.New(k.config, dx, dy)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "w.py")
		if err := torch.Write(path, "w.safetensors", predict.Trained{Model: m, Units: k.units, NumTau: 5}); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		before, network, found := strings.Cut(string(content), "        w = self.weights\n")
		network, after, ends := strings.Cut(network, "        return ")
		if !found || !ends || strings.Count(network, "\n") != strings.Count(network, " = ") {
			t.Errorf("%s: a network\n%s", k.name, network)
		}
		if lines := strings.Count(before+after, "\n"); lines > limits[k.form] {
			t.Errorf("%s: %d lines besides the network, at most %d", k.name, lines, limits[k.form])
		}
	}
}

func TestPaths(t *testing.T) {
	dir := t.TempDir() + "/"
	for weights, want := range map[string]string{
		dir + "weights.safetensors": dir + "weights.py",
		dir + "w-5.0.safetensors":   dir + "w_5_0.py",
		dir + "7":                   dir + "_7.py",
		dir + "w.py":                dir + "w_py.py",
		os.DevNull:                  "",
		"/dev/stdout":               "",
		"/dev/fd/1":                 "",
	} {
		if got := torch.Path(weights); got != want {
			t.Errorf("the program for %s is %s, want %s", weights, got, want)
		}
	}
}

func TestCheckKeepsOtherFiles(t *testing.T) {
	dir := t.TempDir()
	theirs, ours, empty := filepath.Join(dir, "theirs.py"), filepath.Join(dir, "ours.py"), filepath.Join(dir, "empty.py")
	written(t, theirs, []byte("import torch\n"))
	written(t, empty, nil)
	m, err := models.New(config.Model{Name: "cnp", Representation: 2, Encoder: []int{2}, Decoder: []int{2}}, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := torch.Write(ours, "ours.safetensors", predict.Trained{Model: m, Units: units()["numbers"]}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{ours, empty, filepath.Join(dir, "none.py")} {
		if err := torch.Check(path); err != nil {
			t.Error(err)
		}
	}
	var bad *invalid.Input
	if err := torch.Check(theirs); !errors.As(err, &bad) || bad.File != "--out" || !strings.Contains(bad.Found, theirs) {
		t.Errorf("error %v", err)
	}
}
