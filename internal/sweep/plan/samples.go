package plan

import (
	"fmt"
	"hash/fnv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/acqnp/acqnp/internal/config/yamlnode"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/random"
)

// readSamples reads the number of candidates of a random search.
func (f *planFile) readSamples(n *yaml.Node) error {
	f.samplesLine = n.Line
	if err := f.whole("samples", n, 1, &f.samples); err != nil || f.samples <= MaxRuns {
		return err
	}
	return f.refuse(n, "samples", yamlnode.Describe(n), fmt.Sprintf("at most %d", MaxRuns))
}

// readSampleSeed reads the seed of a random search.
func (f *planFile) readSampleSeed(n *yaml.Node) error {
	if f.samples == 0 {
		return f.refuse(n, "sample_seed", "a seed without samples", "samples: COUNT beside it")
	}
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" || n.Decode(&f.sampleSeed) != nil {
		return f.refuse(n, "sample_seed", yamlnode.Describe(n), "a whole number from 0 to 18446744073709551615")
	}
	return nil
}

// drawCandidates makes the candidates of a random search. For each it draws a value of every key, and
// leaves out draws that repeat an earlier one. A value depends only on the seed, the key and the number of
// the draw. So more samples keep the first ones, and a new key does not change the values of the others.
func (f *planFile) drawCandidates(axes []axis) error {
	const repeats = 1000 // in a row, after which nothing new is expected
	f.candidates = nil
	seen := map[string]bool{}
	for draw, last := uint64(0), uint64(0); len(f.candidates) < f.samples; draw++ {
		c := f.draw(axes, draw)
		values, err := c.values()
		if err != nil {
			return err
		}
		if !seen[values] {
			seen[values], last = true, draw
			f.candidates = append(f.candidates, c)
		}
		if draw-last > repeats {
			return &invalid.Input{File: f.name, Line: f.samplesLine, Key: "samples", Found: fmt.Sprint(f.samples),
				Expected: fmt.Sprintf("%d or fewer: further draws from the grid repeat these", len(f.candidates))}
		}
	}
	return nil
}

// draw returns the candidate of an index of the random numbers.
func (f *planFile) draw(axes []axis, index uint64) (c candidate) {
	g := random.New(f.sampleSeed, random.Search)
	for _, a := range axes {
		hash := fnv.New64a()
		hash.Write([]byte(a.key.Value))
		var value *yaml.Node
		if a.values == nil {
			value = a.span.drawn(g.Float(hash.Sum64(), index))
		} else {
			value = a.values[g.IntN(hash.Sum64(), index, len(a.values))]
		}
		c.settings = append(c.settings, setting{a.key, value})
	}
	return c
}

// values returns a text that only candidates with the same values share.
func (c candidate) values() (string, error) {
	var all []string
	for _, s := range c.settings {
		text, err := s.text()
		if err != nil {
			return "", err
		}
		all = append(all, text)
	}
	return strings.Join(all, "\n"), nil
}
