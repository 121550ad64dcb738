// Package pretrained predicts new groups by a network that was trained once, on invented data sets of
// groups, and whose weights the program carries. Nothing is trained on a user's data: the network reads
// all rows of the known groups, the siblings, and then the context of the new one.
//
// research/pretrained/make.py makes the files of this folder: weights.safetensors, config.yaml, the configuration
// of the training, and card.json, which states how the weights were made and how good they are.
package pretrained

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// Name is the name of the model in a file and in tables.
const Name = "pretrained network"

// A Model is the network beside a data set, whose groups are the siblings of each new one. It implements
// [simple.Model].
type Model struct {
	Groups []points.Group // as New was given them, or a sample of their rows

	reading  sync.Mutex // guards memories
	memories []*memory  // one for each of signs
}

// signs are the ways in which the network sees a data set: as it is, and with every column of x reflected.
// Neither is better, and their mean is better than each.
var signs = []float64{1, -1}

// MostSiblings bounds the rows of siblings that the network reads: it was trained on fewer.
const MostSiblings = 2048

// Bounds of what the network reads of a group's context, of which it takes a sample, and of the targets of
// one run.
const (
	mostContext = 256
	mostTargets = 256
)

// New returns the network beside the groups, of which it reads at most so many rows.
func New(groups []points.Group, most int) *Model {
	return &Model{Groups: sample(groups, min(most, MostSiblings))}
}

// leastOfGroup is the number of rows that a sample keeps of a group before it leaves groups out. The network
// learns from the rows of a group how much groups differ and how much rows of a group do: groups of one row
// do not say.
const leastOfGroup = 6

// sample returns at most so many rows of the groups. It keeps all groups if that leaves each at least
// leastOfGroup rows. Otherwise it takes groups evenly spread over their order, which keep so many. Rows of a
// group are evenly spread over its order.
func sample(groups []points.Group, most int) []points.Group {
	each := leastOfGroup
	for rows(groups, each+1) <= most {
		if each++; rows(groups, each) == rows(groups, each+1) { // all rows
			return groups
		}
	}
	all, left := rows(groups, each), most
	var some []points.Group
	for i, g := range groups {
		if all > most && i*most/all == (i+1)*most/all {
			continue
		}
		if left -= min(g.Len(), each); left >= 0 {
			g.Points = g.Thin(each)
			some = append(some, g)
		}
	}
	return some
}

// rows counts the rows of groups with at most so many of each.
func rows(groups []points.Group, most int) (n int) {
	for _, g := range groups {
		n += min(g.Len(), most)
	}
	return n
}

// Columns implements [simple.Model].
func (m *Model) Columns() int {
	if len(m.Groups) == 0 {
		return 0
	}
	return m.Groups[0].DX
}

// SeesOuter implements [simple.Model].
func (m *Model) SeesOuter() bool { return false }

// AddFarTails implements [simple.Model]. It adds none: the tails are those that the network predicts.
func (m *Model) AddFarTails() {}

// Check implements [simple.Model].
func (m *Model) Check() error {
	if len(m.Groups) == 0 {
		return errDamaged
	}
	for _, g := range m.Groups {
		if g.DX != m.Columns() || g.DX < 1 || g.Len() == 0 || len(g.Y) != g.Len() || len(g.X) != g.DX*g.Len() {
			return errDamaged
		}
		for _, list := range [][]float64{g.X, g.Y} {
			for _, v := range list {
				if !(math.Abs(v) <= largest) {
					return errDamaged
				}
			}
		}
	}
	return nil
}

// largest is the largest number that the network takes: sums of squares are finite.
const largest = 1e100

var errDamaged = errors.New("numbers that do not make a data set")

// Work implements [simple.Model]: to read the siblings again and the context, and for each target.
func (m *Model) Work(known, targets int) float64 {
	points, siblings := float64(min(known, mostContext)), float64(rows(m.Groups, MostSiblings))
	runs := float64((targets + mostTargets - 1) / mostTargets)
	return runs*(250_000+250*siblings+7_500*points) + float64(targets)*(7_500+4*siblings+25*points)
}

// Given implements [simple.Model]. Each sign has a goroutine.
func (m *Model) Given(context, targets points.Points) []likelihood.GaussianMixture {
	memories := m.read()
	context = context.Thin(mostContext)
	if memories[0].single { // its rows are siblings already
		context = context.Cut(0, 0)
	}
	seen := make([][]likelihood.GaussianMixture, len(memories))
	var work sync.WaitGroup
	for i, memory := range memories {
		work.Go(func() {
			for first := 0; first < targets.Len(); first += mostTargets {
				seen[i] = append(seen[i], memory.predict(context, targets.Cut(first, min(targets.Len(), first+mostTargets)))...)
			}
		})
	}
	work.Wait()
	all := make([]likelihood.GaussianMixture, len(seen[0]))
	equal := slices.Repeat([]float64{1 / float64(len(seen))}, len(seen))
	for t := range all {
		each := make([]likelihood.GaussianMixture, len(seen))
		for i := range seen {
			each[i] = seen[i][t]
		}
		all[t] = likelihood.MixtureOfMixtures(each, equal).Merged(mostParts).In(memories[0].units())
	}
	return all
}

// read returns what the network remembers of the siblings.
func (m *Model) read() []*memory {
	m.reading.Lock()
	defer m.reading.Unlock()
	if m.memories == nil {
		m.memories = make([]*memory, len(signs))
		var work sync.WaitGroup
		for i, sign := range signs {
			work.Go(func() { m.memories[i] = newMemory(m.Groups, sign) })
		}
		work.Wait()
	}
	return m.memories
}

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
		m.Groups = append(m.Groups, points.Group{Points: points.New(s.Columns, 1, x, s.Y[i])})
	}
	return nil
}

// Kind is the network as a candidate of a stack. Nothing is fitted. It reads at most so many rows.
func Kind(siblings int) stack.Kind {
	return stack.Kind{
		Name: Name,
		Fit: func(groups []points.Group) (simple.Model, error) {
			m := New(groups, siblings)
			return m, m.Check()
		},
		Read: stack.Read[Model], IgnoresRowWeights: true, Guesses: true, Most: 10_000, PerRow: 1e-3,
	}
}
