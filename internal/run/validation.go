package run

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/acqnp/acqnp/internal/invalid"
)

// Validation is the part of a run's validations that its checkpoints hold.
type Validation struct {
	Best  float64 `json:"valid_ll"` // the highest valid_ll
	Step  int     `json:"step"`     // of the best; 0 before the first validation
	Worse int     `json:"worse"`    // validations after the best
	Out   int     `json:"out"`      // the step after which patience ran out; 0 before that
}

// readValidation reads the validation of a checkpoint after a number of steps. It is zero if the
// metadata have none.
func readValidation(path string, meta map[string]string, steps int) (v Validation, err error) {
	text, ok := meta[validKey]
	if !ok {
		return v, nil
	}
	err = json.Unmarshal([]byte(text), &v)
	if err != nil || math.IsNaN(v.Best) || v.Step < 1 || v.Step > steps || v.Worse < 0 || v.Out < 0 || v.Out > steps {
		return Validation{}, &invalid.Input{File: path, Key: validKey, Found: strconv.Quote(text), Expected: "the validations of a training"}
	}
	return v, nil
}
