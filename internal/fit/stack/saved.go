package stack

import (
	"encoding/json"
	"fmt"

	"github.com/acqnp/acqnp/internal/fit/simple"
)

// Saved is a model that a file can hold.
type Saved struct {
	Kind  string
	Model simple.Model // nil after reading, until Stack.Open

	content json.RawMessage // of Model, in a file that was read
}

// savedFile is a model in a file.
type savedFile[M any] struct {
	Kind  string `json:"kind"`
	Model M      `json:"model"`
}

// MarshalJSON writes the kind beside the model.
func (s Saved) MarshalJSON() ([]byte, error) {
	return json.Marshal(savedFile[simple.Model]{s.Kind, s.Model})
}

// UnmarshalJSON reads what MarshalJSON writes, except the model, which Stack.Open reads.
func (s *Saved) UnmarshalJSON(content []byte) error {
	var f savedFile[json.RawMessage]
	err := json.Unmarshal(content, &f)
	s.Kind, s.content = f.Kind, f.Model
	return err
}

// open reads the model.
func (s *Saved) open(kinds []Kind) (err error) {
	for _, k := range kinds {
		if k.Name == s.Kind {
			s.Model, err = k.Read(s.content)
			s.content = nil
			return err
		}
	}
	return fmt.Errorf("a model of the kind %q, which this program does not know", s.Kind)
}

// Open reads the models of a stack that json.Unmarshal has read.
func (s *Stack) Open(kinds []Kind) error {
	for _, c := range s.Candidates {
		for i := range c.Models {
			if err := c.Models[i].open(kinds); err != nil {
				return err
			}
		}
	}
	return nil
}
