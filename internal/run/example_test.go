package run_test

import (
	"fmt"
	"log"
	"os"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/run"
)

// A training writes its directory, and an evaluation reads the weights from it.
func Example() {
	dir, err := os.MkdirTemp("", "run-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	e, err := config.Parse("example.yaml", []byte(
		"benchmark: lissajous\nmodel: {name: cnp, encoder: [8], decoder: [8]}\n"), config.Overrides{})
	if err != nil {
		log.Fatal(err)
	}
	m, err := models.New(e.Model, 1, 1)
	if err != nil {
		log.Fatal(err)
	}
	if err := write(dir, e, m); err != nil {
		log.Fatal(err)
	}

	r, err := run.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	c, err := r.Load(run.Newest, m, nil)
	if err != nil {
		log.Fatal(err)
	}
	lines, err := r.Metrics()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s on %s after step %d, loss %.2f\n", r.Experiment.Model.Name, r.Experiment.Benchmark, c.Step, lines[0].Loss)
	fmt.Println("all weights are there:", len(c.Params) == m.NumParams())
	// Output:
	// cnp on lissajous after step 100, loss -0.25
	// all weights are there: true
}

// write writes the directory of a run of 100 steps that changed no weight.
func write(dir string, e config.Experiment, m *models.Model) error {
	text, err := e.YAML()
	if err != nil {
		return err
	}
	w, err := run.Create(dir, false)
	if err != nil {
		return err
	}
	defer w.Close()
	if err := w.OpenLog(0); err != nil {
		return err
	}
	if err := w.WriteConfig(string(text)); err != nil {
		return err
	}
	if err := w.Log(run.Metrics{Step: 100, Loss: -0.25, LearningRate: 1e-3}); err != nil {
		return err
	}
	n, units := m.NumParams(), run.UnitsOf(e, m)
	c := run.Checkpoint{Step: 100, Benchmark: e.Benchmark, Model: m.Name(), Config: string(text), Units: &units,
		State: engine.State{Params: m.Initial(e.Train.Seed), M: make([]float32, n), V: make([]float32, n), Updates: 100}}
	return w.Save(&c, m, e.Train)
}
