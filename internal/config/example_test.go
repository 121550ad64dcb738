package config_test

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/config"
)

// A configuration needs only its benchmark and its model; everything else has the paper's values.
// Settings of --set win over the file.
func Example() {
	file := []byte(`benchmark: lissajous
model:
  name: acqnp
train:
  learning_rate: 5e-4
`)
	e, err := config.Parse("mine.yaml", file, config.Overrides{Set: []string{"train.steps=2000"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("N_τ:", e.Train.NumTau, "in training,", e.Eval.NumTau, "in evaluation")
	fmt.Println("adaptor:", e.Model.Adaptor)

	paper, err := config.Parse("paper.yaml", []byte("{benchmark: lissajous, model: {name: acqnp}}"), config.Overrides{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range config.Differences(paper, e) {
		fmt.Println(d)
	}
	// Output:
	// N_τ: 50 in training, 100 in evaluation
	// adaptor: [128 128 128 128 128]
	// train.steps: 100000 and 2000
	// train.learning_rate: 0.001 and 0.0005
}

// An error is one line: file and line, key, what was found and what was expected.
func Example_error() {
	file := []byte(`benchmark: rbf
model: {name: cnp}
eval:
  num_points: 5000
`)
	_, err := config.Parse("mine.yaml", file, config.Overrides{})
	fmt.Println(err)
	// Output:
	// mine.yaml:4: eval.num_points: found groups of 5000 points, expected at most 4096 for rbf
}
