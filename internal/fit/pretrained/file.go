package pretrained

import (
	"encoding/json"

	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/fit/stack"
)

// saved is a Model in a file: the rows that it read. What it remembers of them is computed again.
type saved struct {
	Columns int         `json:"columns"`
	X       [][]float64 `json:"x"` // by group, [n, columns]
	Y       [][]float64 `json:"y"`
}

// MarshalJSON writes the rows of the groups.
func (m *Model) MarshalJSON() ([]byte, error) {
	s := saved{Columns: m.Columns()}
	for _, g := range m.Groups {
		s.X, s.Y = append(s.X, g.X), append(s.Y, g.Y)
	}
	return json.Marshal(s)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (m *Model) UnmarshalJSON(content []byte) error {
	var s saved
	if err := json.Unmarshal(content, &s); err != nil {
		return err
	}
	if len(s.X) != len(s.Y) {
		return errDamaged
	}
	m.Groups = nil
	for i, x := range s.X {
		m.Groups = append(m.Groups, simple.Group{X: x, Y: s.Y[i], DX: s.Columns})
	}
	return nil
}

// Kind is the network as a candidate of a stack. Nothing is fitted. It reads at most so many rows.
func Kind(siblings int) stack.Kind {
	return stack.Kind{
		Name: Name,
		Fit: func(groups []simple.Group) (simple.Model, error) {
			m := New(groups, siblings)
			return m, m.Check()
		},
		Read: stack.Read[Model], Most: 10_000, PerRow: 1e-3,
	}
}
