package config

import (
	"fmt"
	"slices"
	"strings"
)

// Variant names what distinguishes the model from the paper's: its aggregation, its head, its adaptor, whether
// heads of attention are shared, the form of its scale, its lower bound of σ, and its loss, as in "transformer, residual".
// It returns "" for the paper's model. The loss is named only if it is not the default of the
// aggregation. Sizes and settings of the optimiser are not named.
func (e Experiment) Variant() string {
	m, loss := e.Model, e.Train.Loss
	var names []string
	for _, part := range []struct {
		name  string
		named bool
	}{
		{m.Aggregation, m.Aggregation != "" && m.Aggregation != Mean},
		{m.Head, m.HeadName() != GaussianHead},
		{Residual, m.AdaptorForm == Residual},
		{"shared heads", m.HeadsForm == Shared},
		{"natural scale", m.ScaleForm == NaturalScale},
		{fmt.Sprintf("sigma floor %g", m.SigmaFloor), m.SigmaFloor != 0 && m.SigmaFloor != SigmaFloor(m.Name)},
		{map[string]string{AllPoints: "loss over all points", Targets: "loss over targets"}[loss],
			loss != "" && loss != defaultLoss(m.Name, m.Aggregation)},
	} {
		if part.named {
			names = append(names, part.name)
		}
	}
	return strings.Join(names, ", ")
}

// Label returns a model's name as the paper prints it, with its variant unless that is "": "ACQNP"
// or "ACQNP, transformer, residual".
func Label(model, variant string) string {
	if slices.Contains(models, model) {
		model = strings.ToUpper(model)
	}
	if variant == "" {
		return model
	}
	return model + ", " + variant
}

// Label returns the name of the model and its variant, in the form of the function Label.
func (e Experiment) Label() string { return Label(e.Model.Name, e.Variant()) }

// Named returns a model's name as configurations have it, with its variant in brackets unless that
// is "": "acqnp" or "acqnp (transformer, residual)".
func Named(model, variant string) string {
	if variant == "" {
		return model
	}
	return model + " (" + variant + ")"
}

// Named returns the name of the model and its variant, in the form of the function Named.
func (e Experiment) Named() string { return Named(e.Model.Name, e.Variant()) }
