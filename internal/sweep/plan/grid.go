package plan

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/yamlnode"
	"github.com/acqnp/acqnp/internal/invalid"
)

// readSet reads the settings of all runs.
func (f *planFile) readSet(n *yaml.Node) (err error) {
	if f.set, err = f.mapping("set", n); err != nil {
		return err
	}
	return f.checkSettable("set", f.set)
}

// checkSettable refuses train.seed, which a plan sets by its key seeds.
func (f *planFile) checkSettable(section string, settings []setting) error {
	for _, s := range settings {
		if s.key.Value == "train.seed" {
			return f.refuse(s.key, section, "train.seed", "seeds at the top of the plan")
		}
	}
	return nil
}

const listExpected = "a list of values, such as [0.001, 0.0005], or a range, such as {from: 1e-4, to: 1e-2, log: true}"

// An axis is a key of the grid with its values: those of a list, or a span that samples are drawn from.
type axis struct {
	key    *yaml.Node
	values []*yaml.Node
	span   span // if there are no values
}

// readGrid makes a candidate of every combination of values, the last key fastest, or draws samples.
func (f *planFile) readGrid(n *yaml.Node) error {
	entries, err := f.mapping("grid", n)
	if err != nil {
		return err
	}
	if err := f.checkSettable("grid", entries); err != nil {
		return err
	}
	axes := make([]axis, len(entries))
	for i, e := range entries {
		for _, s := range f.set {
			if s.key.Value == e.key.Value {
				return f.refuse(e.key, e.key.Value, fmt.Sprintf("the key in grid and in set (line %d)", s.key.Line), "the key in one of them")
			}
		}
		if axes[i], err = f.readAxis(e); err != nil {
			return err
		}
	}
	switch {
	case len(axes) == 0 && f.samples > 0:
		return f.refuse(n, "grid", yamlnode.Describe(n)+" without keys", "keys with ranges or lists, from which samples are drawn")
	case f.samples > 0:
		err = f.drawCandidates(axes)
	default:
		err = f.combine(axes)
	}
	if err != nil {
		return err
	}
	return f.nameCandidates(entries)
}

// readAxis reads a key with a list or a range.
func (f *planFile) readAxis(e setting) (a axis, err error) {
	a.key = e.key
	n := yamlnode.Resolve(e.value)
	if n.Kind != yaml.MappingNode {
		a.values, err = f.list(e.key.Value, n, listExpected)
		return a, err
	}
	a.span, err = f.readSpan(e.key, n)
	return a, err
}

// combine makes a candidate of every combination of the axes' values.
func (f *planFile) combine(axes []axis) error {
	for _, a := range axes {
		if len(f.candidates)*len(a.values) > MaxRuns {
			return f.refuse(a.key, a.key.Value, fmt.Sprintf("more than %d combinations", MaxRuns), "fewer values")
		}
		var all []candidate
		for _, c := range f.candidates {
			for _, v := range a.values {
				settings := append(c.settings[:len(c.settings):len(c.settings)], setting{a.key, v})
				all = append(all, candidate{settings: settings})
			}
		}
		f.candidates = all
	}
	return nil
}

// nameCandidates names each candidate after its settings: learning_rate=0.001,levels=20.
func (f *planFile) nameCandidates(axes []setting) error {
	var keys []string
	for _, s := range axes {
		keys = append(keys, s.key.Value)
	}
	short := config.ShortKeys(keys)
	names := map[string]bool{}
	for i := range f.candidates {
		c := &f.candidates[i]
		var parts []string
		for _, s := range c.settings {
			text, err := s.text()
			if err != nil {
				return err
			}
			_, value, _ := strings.Cut(text, "=")
			parts = append(parts, short[s.key.Value]+"="+fileName(value))
		}
		c.name = strings.Join(parts, ",")
		const longest = 200 // of most file systems' 255
		if names[c.name] || len(c.name) > longest {
			found := "two combinations with the name " + c.name
			if !names[c.name] {
				found = fmt.Sprintf("a combination whose name has %d letters", len(c.name))
			}
			return &invalid.Input{File: f.name, Line: axes[0].key.Line, Key: "grid", Found: found,
				Expected: fmt.Sprintf("different names of at most %d letters for the directories", longest)}
		}
		names[c.name] = true
	}
	return nil
}

// fileName replaces characters that are unusual in names of files: [128, 64] becomes 128_64.
func fileName(s string) string {
	ok := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("+-._", r)
	}
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return !ok(r) }), "_")
}

// text returns a setting as KEY=VALUE, on one line.
func (s setting) text() (string, error) {
	value := *yamlnode.Resolve(s.value)
	value.Style |= yaml.FlowStyle
	value.HeadComment, value.LineComment, value.FootComment = "", "", ""
	b, err := yaml.Marshal(&value)
	return s.key.Value + "=" + string(bytes.TrimSpace(b)), err
}
