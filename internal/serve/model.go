package serve

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/predict/conformal"
)

// firstContext is the number of context points that a program has room for at first.
const firstContext = 128

// A Model is a trained model that a server answers for.
type Model struct {
	Name    string
	Trained predict.Trained
	Ranges  datasets.Ranges // of the columns; zero if unknown

	// Calibrated corrects quantiles and PITs; nil corrects nothing.
	Calibrated *conformal.Calibration

	idle    chan *predict.Predictor
	turn    chan struct{} // held by the request that hands out pieces
	mu      sync.Mutex
	users   int
	retired bool
}

// NewModel returns a model with a number of predictors, each of which answers one request at a time.
func NewModel(name string, t predict.Trained, predictors int) (*Model, error) {
	m := &Model{Name: name, Trained: t, idle: make(chan *predict.Predictor, predictors), turn: make(chan struct{}, 1)}
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

// use calls f with an idle predictor. It waits for one until ctx ends. The caller must be a user of the
// model: see enter.
func (m *Model) use(ctx context.Context, f func(*predict.Predictor) error) error {
	select {
	case p := <-m.idle:
		defer func() { m.idle <- p }()
		return f(p)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// spread divides a prediction into pieces, which the predictors share. It calls each for every target,
// in any order and from several goroutines at once.
//
// Requests take turns, first come, first served. In its turn a request hands out twice as many pieces as
// there are predictors, so that all stay busy until the next turn. A small request has no more pieces.
func (m *Model) spread(ctx context.Context, functions []predict.Function, each func(predict.Target) error) error {
	turn := 2 * cap(m.idle)
	pieces := predict.Pieces(functions, len(m.Trained.Units.XNames), turn)
	workers, ctx := errgroup.WithContext(ctx)
	for some := range slices.Chunk(pieces, turn) {
		select {
		case m.turn <- struct{}{}:
		case <-ctx.Done():
			workers.Go(ctx.Err)
			return workers.Wait()
		}
		for _, piece := range some {
			m.hand(ctx, workers, func(p *predict.Predictor) error {
				for t, err := range p.Piece(ctx, functions, piece) {
					if err == nil {
						err = each(t)
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
		}
		<-m.turn
	}
	return workers.Wait()
}

// hand waits for an idle predictor and starts work on it. If ctx ends first, workers gets its error.
func (m *Model) hand(ctx context.Context, workers *errgroup.Group, work func(*predict.Predictor) error) {
	select {
	case p := <-m.idle:
		workers.Go(func() error {
			defer func() { m.idle <- p }()
			return work(p)
		})
	case <-ctx.Done():
		workers.Go(ctx.Err)
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
}

func (s *Server) model(w http.ResponseWriter, _ *http.Request) {
	var a modelAnswer
	for _, m := range *s.runs.Load() {
		t := m.Trained
		u, steps := t.Units, 0
		if t.Weights.Step != nil {
			steps = *t.Weights.Step
		}
		a.Runs = append(a.Runs, modelEntry{Name: m.Name, Model: t.Name(), Variant: t.Variant, Benchmark: t.Benchmark, Data: t.Data,
			File: t.File, Formula: t.Formula(), Group: t.Group,
			Columns:    columns{m.describe(u.XNames, u.Scaling.XForms, m.Ranges.X), m.describe(u.YNames, u.Scaling.YForms, m.Ranges.Y)},
			Parameters: t.NumParams(), Steps: steps, ValidLL: t.ValidLL})
	}
	answer(w, http.StatusOK, a)
}

// describe returns the columns of x or of y.
func (m *Model) describe(names []string, forms []datasets.Form, ranges []datasets.Range) []column {
	all := make([]column, len(names))
	for i, name := range names {
		f := datasets.FormAt(forms, i)
		all[i] = column{Name: name, Unit: datasets.UnitOf(m.Trained.Benchmark, name, f), Log: f.Log, Categories: f.Categories, Dates: f.Origin != ""}
		if i < len(ranges) && ranges[i] != (datasets.Range{}) {
			all[i].Low, all[i].High = &ranges[i].Low, &ranges[i].High
		}
	}
	return all
}
