package plan

import (
	"fmt"
	"math"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/yamlnode"
)

// A span is a range of numbers: {from: 1e-4, to: 1e-2, log: true}.
type span struct {
	from, to float64
	log      bool // evenly by the logarithm
	whole    bool // whole numbers alone
	line     int
}

const rangeExpected = "{from: LOW, to: HIGH}, with log: true, and samples: COUNT in the plan"

// readSpan reads a range of the values of a key. Both ends must be values of the key.
func (f *planFile) readSpan(key, n *yaml.Node) (span, error) {
	s := span{line: n.Line}
	entries, err := f.mapping(key.Value, n)
	if err != nil {
		return s, err
	}
	found := map[string]bool{}
	for _, e := range entries {
		value := yamlnode.Resolve(e.value)
		found[e.key.Value] = true
		switch e.key.Value {
		case "from":
			s.from, s.whole, err = config.Line{File: f.name, Key: key, Value: value}.Number()
		case "to":
			s.to, s.whole, err = config.Line{File: f.name, Key: key, Value: value}.Number()
		case "log":
			if value.ShortTag() != "!!bool" || value.Decode(&s.log) != nil {
				err = f.refuse(value, key.Value, "log: "+yamlnode.Describe(value), "true or false")
			}
		default:
			err = f.refuse(e.key, key.Value, "the unknown key "+yamlnode.Shorten(e.key.Value)+" of a range", rangeExpected)
		}
		if err != nil {
			return s, err
		}
	}
	switch {
	case !found["from"] || !found["to"]:
		return s, f.refuse(n, key.Value, "a range without from or without to", rangeExpected)
	case s.from >= s.to:
		return s, f.refuse(n, key.Value, fmt.Sprintf("a range from %g to %g", s.from, s.to), "from below to")
	case s.log && s.from <= 0:
		return s, f.refuse(n, key.Value, fmt.Sprintf("log: true of a range from %g", s.from), "from above 0")
	case f.samples == 0:
		return s, f.refuse(n, key.Value, "a range in a plan without samples", "samples: COUNT, which are drawn from it, or a list of values")
	}
	return s, nil
}

// drawn returns the value of a number u in [0, 1). A whole number stands for the interval that rounds to
// it.
func (s span) drawn(u float64) *yaml.Node {
	from, to := s.from, s.to
	if s.whole {
		from, to = from-0.5, to+0.5
	}
	return s.node(s.between(from, to, u))
}

// between returns the value at the share u of the way between two numbers.
func (s span) between(from, to, u float64) float64 {
	if s.log {
		return math.Exp(math.Log(from) + u*(math.Log(to)-math.Log(from)))
	}
	return from + u*(to-from)
}

// node returns a value in three digits, which keeps the names of directories short, or as a whole number. The
// ends of the span are not rounded.
func (s span) node(v float64) *yaml.Node {
	if s.whole {
		v = min(max(math.Round(v), s.from), s.to)
		return &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.FormatFloat(v, 'f', -1, 64), Line: s.line}
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil {
		panic(err) // it reads what it wrote
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.FormatFloat(min(max(short, s.from), s.to), 'g', -1, 64), Line: s.line}
}
