package serve

import (
	"math"
	"net/http"
	"sync"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/predict/conformal"
	"github.com/acqnp/acqnp/internal/run/version"
)

// A Model is a trained model that a server answers for.
type Model struct {
	Name      string
	Predictor predict.Predictor
	About     predict.About   // of Predictor
	Ranges    datasets.Ranges // of the columns; zero if unknown

	// Calibrated corrects quantiles and PITs; nil corrects nothing.
	Calibrated *conformal.Calibration

	small, large *sessions // of small requests, and of the others
	users        sync.RWMutex
}

// NewModel returns a model with a number of sessions for small requests, and as many for others.
func NewModel(name string, p predict.Predictor, number int) (*Model, error) {
	m := &Model{Name: name, Predictor: p, About: p.About()}
	var err error
	if m.small, err = newSessions(p, number, smallContext, smallTargets); err != nil {
		return nil, err
	}
	if m.large, err = newSessions(p, number, smallContext, math.MaxInt); err != nil {
		m.small.close()
		return nil, err
	}
	return m, nil
}

// enter makes the caller a user. It returns false if the model was retired.
func (m *Model) enter() bool { return m.users.TryRLock() }

// leave ends what enter began.
func (m *Model) leave() { m.users.RUnlock() }

// retire closes the model when its last user has left.
func (m *Model) retire() {
	go func() {
		m.users.Lock() // for good: all sessions are idle
		m.small.close()
		m.large.close()
	}()
}

// modelAnswer is the answer of GET /v1/model.
type modelAnswer struct {
	Version string       `json:"version"` // of the program
	Runs    []modelEntry `json:"runs"`
}

type modelEntry struct {
	Name       string   `json:"name"`
	Model      string   `json:"model"`
	Variant    string   `json:"variant,omitempty"`
	Benchmark  string   `json:"benchmark"`
	Data       string   `json:"data"`
	File       string   `json:"file,omitempty"`
	Formula    string   `json:"formula,omitempty"`
	Group      string   `json:"group,omitempty"`
	Columns    columns  `json:"columns"`
	Parameters int      `json:"parameters"`
	Steps      int      `json:"steps"`              // of training; 0 if unknown
	ValidLL    *float64 `json:"valid_ll,omitempty"` // of these weights; left out if they were not validated
}

type columns struct {
	X []column `json:"x"`
	Y []column `json:"y"`
}

// A column describes a column of the data. Most of the training data lie between Low and High, which are
// left out if they are not known.
type column struct {
	Name       string   `json:"name"`
	Unit       string   `json:"unit,omitempty"`
	Low        *float64 `json:"low,omitempty"`
	High       *float64 `json:"high,omitempty"`
	Log        bool     `json:"log,omitempty"` // the model takes the logarithm
	Categories []string `json:"categories,omitempty"`
	Dates      bool     `json:"dates,omitempty"` // written as 2024-03-01, or as a number in its unit

	Names   []string            `json:"names,omitempty"`   // of y: those of 0 and 1
	Outcome *likelihood.Support `json:"outcome,omitempty"` // of y, if it is not any number
}

func (s *Server) model(w http.ResponseWriter, _ *http.Request) {
	all := modelAnswer{Version: version.String()}
	for _, m := range *s.runs.Load() {
		a := m.About
		u, steps := a.Units, 0
		if a.Weights.Step != nil {
			steps = *a.Weights.Step
		}
		x, y := m.describe(u.XNames, u.Scaling.XForms, m.Ranges.X), m.describe(u.YNames, u.Scaling.YForms, m.Ranges.Y)
		for i, o := range a.Outcomes {
			y[i].Names, y[i].Categories = y[i].Categories, nil
			if !o.Real() {
				y[i].Outcome = &o
			}
		}
		all.Runs = append(all.Runs, modelEntry{Name: m.Name, Model: a.Model, Variant: a.Variant, Benchmark: a.Benchmark, Data: a.Data,
			File: a.File, Formula: a.Formula, Group: a.Group,
			Columns: columns{x, y}, Parameters: a.Parameters, Steps: steps, ValidLL: a.ValidLL})
	}
	answer(w, http.StatusOK, all)
}

// describe returns the columns of x or of y that requests have.
func (m *Model) describe(names []string, forms []rows.Form, ranges []datasets.Range) []column {
	all := []column{}
	for i, name := range names {
		if name == "" {
			continue
		}
		f := rows.FormAt(forms, i)
		c := column{Name: name, Unit: benchmark.UnitOf(m.About.Benchmark, name, f), Log: f.Log, Categories: f.Categories, Dates: f.Origin != ""}
		if i < len(ranges) && ranges[i] != (datasets.Range{}) {
			c.Low, c.High = &ranges[i].Low, &ranges[i].High
		}
		all = append(all, c)
	}
	return all
}
