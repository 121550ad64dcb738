package stack

import (
	"encoding/json"
	"fmt"

	"github.com/acqnp/acqnp/internal/models/simple"
)

// A kind is a model that a stack can have.
type kind struct {
	name    string
	fit     func(groups []simple.Group) (simple.Model, error)
	read    func() simple.Model // an empty one, to read a file into
	grouped bool                // it needs several groups
}

// kinds lists the models, in the order in which they are fitted.
var kinds = []kind{
	{name: "mixed model", fit: as(simple.FitMixed), read: func() simple.Model { return new(simple.Mixed) }, grouped: true},
	{name: "Gaussian process", fit: as(simple.FitGP), read: func() simple.Model { return new(simple.GP) }},
	{name: "normal of the grid", fit: as(simple.FitGridNormal), read: func() simple.Model { return new(simple.GridNormal) }, grouped: true},
	{name: "two regressions", fit: regressions(2, 2), read: func() simple.Model { return new(simple.Regressions) }},
	{name: "kernel density", fit: as(simple.FitKernel), read: func() simple.Model { return new(simple.Kernel) }},
}

// as returns a fit as that of a kind.
func as[M simple.Model](fit func([]simple.Group) (M, error)) func([]simple.Group) (simple.Model, error) {
	return func(groups []simple.Group) (simple.Model, error) { return fit(groups) }
}

func regressions(k, powers int) func([]simple.Group) (simple.Model, error) {
	return func(groups []simple.Group) (simple.Model, error) { return simple.FitRegressions(groups, k, powers) }
}

// Saved is a model that a file can hold.
type Saved struct {
	Kind  string
	Model simple.Model
}

// MarshalJSON writes the kind beside the model.
func (s Saved) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Kind  string       `json:"kind"`
		Model simple.Model `json:"model"`
	}{s.Kind, s.Model})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Saved) UnmarshalJSON(content []byte) error {
	var raw struct {
		Kind  string          `json:"kind"`
		Model json.RawMessage `json:"model"`
	}
	if err := json.Unmarshal(content, &raw); err != nil {
		return err
	}
	for _, k := range kinds {
		if k.name == raw.Kind {
			s.Kind, s.Model = raw.Kind, k.read()
			return json.Unmarshal(raw.Model, s.Model)
		}
	}
	return fmt.Errorf("a model of the kind %q, which this program does not know", raw.Kind)
}
