package stack

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// A Kind is a model that a stack can have.
type Kind struct {
	Name                  string
	Fit                   func([]points.Group) (simple.Model, error)            // the same groups give the same bits; an error leaves the kind out
	Read                  func(content []byte) (simple.Model, error)            // reads what json.Marshal writes of a model
	Grouped               bool                                                  // it needs several groups
	Suits                 func([]points.Group) bool                             // it is for such data only; nil for all
	Takes                 func(of likelihood.Support, on likelihood.Scale) bool // it is for such an outcome on this scale only; nil for all
	IgnoresRowWeights     bool                                                  // it reads each row once, whatever its weight
	Guesses               bool                                                  // of a censored known point it sees a guess, not the side
	Outer                 bool                                                  // it learns of a group from others in the same outer group
	FirstFoldChoosesScale bool                                                  // it keeps the scale that is best on the first fold alone, and not all that are not clearly behind
	Most                  int                                                   // the most rows that it is fitted to, a sample of larger data; 0 for all
	// PerRow is roughly the cost of a row in all fits together, of folds, scales and the last one, in seconds of an
	// ordinary core.
	PerRow float64
}

// Cost returns about how many seconds of an ordinary core all fits to a number of rows take.
func (k Kind) Cost(rows int) float64 {
	if k.Most > 0 {
		rows = min(rows, k.Most)
	}
	return k.PerRow * float64(rows)
}

// mostFitted bounds the rows that a statistical model is fitted to.
const mostFitted = 10_000

// MixedModel returns the kind of [simple.Mixed].
func MixedModel() Kind {
	return Kind{Name: "mixed model", Fit: simple.FitMixed, Read: Read[simple.Mixed], Grouped: true, Outer: true, Most: mostFitted, PerRow: 0.3e-3}
}

// CommonGrid returns the kind of [simple.Grid].
func CommonGrid() Kind {
	return Kind{Name: "common grid", Fit: simple.FitGrid, Read: Read[simple.Grid], Grouped: true, Suits: simple.ShareGrid, IgnoresRowWeights: true, PerRow: 1e-3}
}

// CountModel returns the kind of [simple.Counts].
func CountModel() Kind {
	return Kind{Name: "count model", Fit: simple.FitCounts, Read: Read[simple.Counts], Grouped: true, Suits: simple.AreCounts, Takes: wholeY, Guesses: true, Most: mostFitted, PerRow: 0.4e-3}
}

// LogisticModel returns the kind of [simple.Counts] for 0 and 1.
func LogisticModel() Kind {
	k := CountModel()
	k.Name, k.Fit, k.Suits = "logistic model", simple.FitLogistic, simple.AreBinary
	return k
}

func wholeY(of likelihood.Support, on likelihood.Scale) bool { return of.Whole && on == likelihood.OfY }

// HurdleModel returns the kind of [simple.Hurdle].
func HurdleModel() Kind {
	return Kind{Name: "hurdle model", Fit: simple.FitHurdle, Read: Read[simple.Hurdle], Grouped: true, Suits: hasZeros, Takes: hasAtom, Most: mostFitted, PerRow: 0.7e-3}
}

func hasAtom(of likelihood.Support, _ likelihood.Scale) bool { return of.Low != nil && !of.Whole }

// leastZeros is the least share of zeros, and of other y, for a model of two parts.
const leastZeros = 0.05

// hasZeros reports whether y is 0 at least, and that in a part of the rows, and no count. Beside limits of y, a point below
// the least amount is no zero.
func hasZeros(groups []points.Group) bool {
	var y [][]float64
	zeros, rows := 0.0, 0.0
	for _, g := range groups {
		if g.CensoredY(0) != nil {
			return false
		}
		y = append(y, g.Y)
		for _, v := range g.Y {
			if rows++; v == 0 {
				zeros++
			}
		}
	}
	s, _ := OutcomeOf(y, "")
	return s.Low != nil && *s.Low == 0 && !s.Whole && min(zeros, rows-zeros) >= leastZeros*rows
}

// Kinds returns the statistical models, in the order in which they are fitted.
func Kinds() []Kind {
	return []Kind{MixedModel(),
		{Name: "Gaussian process", Fit: simple.FitGP, Read: Read[simple.GP], Outer: true, Most: mostFitted, PerRow: 2e-3},
		{Name: "regressions", Fit: simple.FitRegressions, Read: Read[simple.Regressions], Guesses: true, Most: mostFitted, PerRow: 5e-3},
		CommonGrid(), CountModel(), LogisticModel(), HurdleModel()}
}

// For returns the kinds that are for such data.
func For(groups []points.Group, kinds []Kind) []Kind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k Kind) bool { return k.Suits != nil && !k.Suits(groups) })
}

// Read reads a model of a type.
func Read[M any, P interface {
	*M
	simple.Model
}](content []byte) (simple.Model, error) {
	m := P(new(M))
	return m, json.Unmarshal(content, m)
}

// Saved is a model that a file can hold.
type Saved struct {
	Kind  string
	Model simple.Model // nil after reading, until Stack.Open or OpenFolds

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

// UnmarshalJSON reads what MarshalJSON writes, except the model, which Stack.Open and OpenFolds read.
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

// OpenFolds reads the models without each fold, for OfFold and OutOfFold: predictions need them not, so Open leaves
// them. It returns an error for those of other than dx columns of x, and for a model that lacks a fold.
func (s *Stack) OpenFolds(kinds []Kind, dx int) error {
	for _, c := range s.Candidates {
		if c.Weight != 0 && len(c.folds()) != folds {
			return fmt.Errorf("a damaged %s without a fold", c.Name)
		}
		for i := range c.ByFold {
			m := &c.ByFold[i]
			if m.Model == nil {
				if err := m.open(kinds); err != nil {
					return err
				}
			}
			if m.Model.Columns() != s.Filling.width(dx) || m.Model.Check() != nil {
				return fmt.Errorf("a damaged %s without a fold", c.Name)
			}
		}
	}
	return nil
}
