package serve

import (
	"context"
	"math"
	"net/http"
	"sync"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/predict"
)

// firstContext is the number of context points that a program has room for at first.
const firstContext = 128

// A Model is a trained model that a server answers for.
type Model struct {
	Name    string
	Trained predict.Trained
	Steps   int // of training; 0 if unknown

	idle    chan *predict.Predictor
	mu      sync.Mutex
	users   int
	retired bool
}

// NewModel returns a model with so many predictors, each of which answers one request at a time.
func NewModel(name string, t predict.Trained, predictors int) (*Model, error) {
	m := &Model{Name: name, Trained: t, idle: make(chan *predict.Predictor, predictors)}
	if t.Weights.Step != nil {
		m.Steps = *t.Weights.Step
	}
	for range predictors {
		p, err := t.NewPredictor(firstContext)
		if err != nil {
			return nil, err
		}
		m.idle <- p
	}
	return m, nil
}

// enter counts a user. It returns false if the model was retired.
func (m *Model) enter() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.retired {
		m.users++
	}
	return !m.retired
}

// use calls f with an idle predictor. It waits for one until ctx ends. The caller has entered.
func (m *Model) use(ctx context.Context, f func(*predict.Predictor) error) error {
	select {
	case p := <-m.idle:
		defer func() { m.idle <- p }()
		return f(p)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave closes a model that was retired when its last user leaves.
func (m *Model) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.users--; m.users == 0 && m.retired {
		m.close()
	}
}

// retire closes the model when its last user leaves.
func (m *Model) retire() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.retired = true
	if m.users == 0 {
		m.close()
	}
}

// close closes all predictors, which are idle.
func (m *Model) close() {
	for range cap(m.idle) {
		(<-m.idle).Close()
	}
}

// modelAnswer is the answer of GET /v1/model.
type modelAnswer struct {
	Runs []modelEntry `json:"runs"`
}

type modelEntry struct {
	Name       string  `json:"name"`
	Model      string  `json:"model"`
	Variant    string  `json:"variant,omitempty"`
	Benchmark  string  `json:"benchmark"`
	Data       string  `json:"data"`
	Columns    columns `json:"columns"`
	Parameters int     `json:"parameters"`
	Steps      int     `json:"steps"`
}

type columns struct {
	X []column `json:"x"`
	Y []column `json:"y"`
}

// A column is named as in the data. Low and high are two scales around its middle: where most of the
// training data lie.
type column struct {
	Name       string   `json:"name"`
	Low        *float64 `json:"low,omitempty"`
	High       *float64 `json:"high,omitempty"`
	Categories []string `json:"categories,omitempty"`
	Dates      bool     `json:"dates,omitempty"` // written as 2024-03-01
}

func (s *Server) model(w http.ResponseWriter, _ *http.Request) {
	var a modelAnswer
	for _, m := range *s.runs.Load() {
		t := m.Trained
		u := t.Units
		a.Runs = append(a.Runs, modelEntry{Name: m.Name, Model: t.Model.Name(), Variant: t.Variant, Benchmark: t.Benchmark, Data: t.Data,
			Columns:    columns{describe(u.XNames, u.Scaling.XForms, u.Scaling.XOffset, u.Scaling.XScale), describe(u.YNames, u.Scaling.YForms, u.Scaling.YOffset, u.Scaling.YScale)},
			Parameters: t.Model.NumParams(), Steps: m.Steps})
	}
	answer(w, http.StatusOK, a)
}

// describe returns the columns of x or of y.
func describe(names []string, forms []datasets.Form, offset, scale []float64) []column {
	all := make([]column, len(names))
	for i, name := range names {
		all[i].Name = name
		var f datasets.Form
		if i < len(forms) {
			f = forms[i]
		}
		if f.Categories != nil {
			all[i].Categories = f.Categories
			continue
		}
		low, high := offset[i]-2*scale[i], offset[i]+2*scale[i]
		if f.Log {
			low, high = math.Exp(low)-f.Shift, math.Exp(high)-f.Shift
		}
		all[i].Low, all[i].High, all[i].Dates = &low, &high, f.Origin != ""
	}
	return all
}
