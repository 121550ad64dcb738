package pretrained

import (
	_ "embed" // the file
	"encoding/json"
	"fmt"
)

//go:embed card.json
var card []byte

// A Card says how the weights were made and how good they are.
type Card struct {
	Parameters int          `json:"parameters"`
	Steps      int          `json:"steps"` // of the training's last run
	Seconds    float64      `json:"train_seconds"`
	SHA256     string       `json:"sha256"` // of the file of weights
	Curve      [][3]float64 `json:"curve"`  // step, log density of a target of a new invented data set, and its standard error
}

// About returns the card of the weights.
func About() (c Card) {
	if err := json.Unmarshal(card, &c); err != nil {
		panic("pretrained: " + err.Error())
	}
	return c
}

// String says in a few words which weights these are.
func (c Card) String() string {
	return fmt.Sprintf("%d weights after %d steps, %s…", c.Parameters, c.Steps, c.SHA256[:12])
}
