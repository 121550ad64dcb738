package run_test

import (
	"fmt"
	"log"
	"os"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/run"
)

// A training writes its directory, and an evaluation reads the weights from it.
func Example() {
	dir, err := os.MkdirTemp("", "run-")
	check(err)
	defer os.RemoveAll(dir)
	e, err := config.Parse("example.yaml", []byte(
		"benchmark: lissajous\nmodel: {name: cnp, encoder: [8], decoder: [8]}\n"), config.Overrides{})
	check(err)
	m, err := models.New(e.Model, 1, 1)
	check(err)
	write(dir, e, m)

	r, err := run.Open(dir)
	check(err)
	c, err := r.Load(run.Newest, m, nil)
	check(err)
	lines, err := r.Metrics()
	check(err)
	fmt.Printf("%s on %s after step %d, loss %.2f\n", r.Experiment.Model.Name, r.Experiment.Benchmark, c.Step, lines[0].Loss)
	fmt.Println("all weights are there:", len(c.Params) == m.NumParams())
	// Output:
	// cnp on lissajous after step 100, loss -0.25
	// all weights are there: true
}

// write writes the directory of a run of 100 steps that changed no weight.
func write(dir string, e config.Experiment, m *models.Model) {
	text, err := e.YAML()
	check(err)
	w, err := run.Create(dir, false)
	check(err)
	n, units := m.NumParams(), run.UnitsOf(e, &datasets.Source{DX: 1, DY: 1, Scaling: datasets.Unscaled(1, 1)})
	c := run.Checkpoint{Step: 100, Benchmark: e.Benchmark, Model: m.Name(), Config: string(text), Units: &units,
		State: engine.State{Params: m.Initial(e.Train.Seed), M: make([]float32, n), V: make([]float32, n), Updates: 100}}
	check(w.OpenLog(0))
	check(w.WriteConfig(string(text)))
	check(w.Log(run.Metrics{Step: 100, Loss: -0.25, LearningRate: 1e-3}))
	check(w.Save(&c, m, e.Train))
	check(w.Close())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
