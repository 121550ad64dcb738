package run

import (
	"strings"

	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models"
)

// A Start says which weights a training begins with. At most one of its files is set.
type Start struct {
	Weights string `json:"weights,omitempty"` // a safetensors file with all weights
	Encoder string `json:"encoder,omitempty"` // one whose encoder is taken; its model may have another likelihood
}

// File returns the file that is set, or "".
func (s Start) File() string { return s.Weights + s.Encoder }

// Params returns a model's flat vector [NumParams]: that of the file, or one drawn from the seed. With
// an encoder's file, the other tensors are drawn.
func (s Start) Params(m *models.Model, seed uint64) ([]float32, error) {
	if s.Weights != "" {
		return ReadWeights(s.Weights, m)
	}
	params := m.Initial(seed)
	if s.Encoder == "" {
		return params, nil
	}
	return params, readEncoder(s.Encoder, m, params)
}

// readEncoder reads the encoder in a file of weights into its place in the model's flat vector. It
// returns an *invalid.Input if the file has another encoder than the model, or none.
func readEncoder(path string, m *models.Model, params []float32) error {
	r, err := safetensors.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	own := tensorsOf(m, ofEncoder)
	if len(own) == 0 {
		return &invalid.Input{File: path, Found: "an encoder for model " + m.Name(), Expected: "another model: bnp has two encoders"}
	}
	if err := checkExported(r, path); err != nil {
		return err
	}
	if err := checkTensors(r, path, m, ofEncoder, ""); err != nil {
		return err
	}
	if err := checkHeads(r, path, m); err != nil {
		return err
	}
	return join(r, path, own, "", params)
}

// ofEncoder reports whether a tensor of this name belongs to an encoder: of all models but BNP.
func ofEncoder(name string) bool { return strings.HasPrefix(name, "_encoder.") }
