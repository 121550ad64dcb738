package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/acqnp/acqnp/internal/input"
)

// A leaf is a key with its value, checked by its rule, and the place where it was written.
type leaf struct {
	key   string
	value any    // of the key's type
	found string // as written, for messages
	file  string // the file, flag or environment variable
	line  int    // 0 outside files
}

func (l leaf) refuse(found, expected string) *input.Error {
	return &input.Error{File: l.file, Line: l.line, Key: l.key, Found: found, Expected: expected}
}

// parseYAML reads one YAML document and returns its root, or nil for an empty one. It refuses a
// second document.
func parseYAML(file string, content []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var document, second yaml.Node
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, syntaxError(file, err)
	}
	err = decoder.Decode(&second)
	if err == nil {
		return nil, &input.Error{File: file, Line: second.Line, Found: "a second document", Expected: "one YAML document"}
	}
	if !errors.Is(err, io.EOF) {
		return nil, syntaxError(file, err)
	}
	if len(document.Content) == 0 || isNull(document.Content[0]) {
		return nil, nil
	}
	return document.Content[0], nil
}

var (
	yamlLine    = regexp.MustCompile(`^line (\d+): `)
	parserFault = regexp.MustCompile(`^did not find expected (key|'-'|node|',|<)|^found (undefined tag|duplicate %|incompatible)`)
	noPlace     = regexp.MustCompile(`^unknown anchor|UTF-|control characters`)
)

// syntaxError turns the library's "yaml: line 3: …" into a place and a message. The library counts
// lines from 1 in its scanner and from 0 in its parser, and does not print a line number of 0.
func syntaxError(file string, err error) *input.Error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line, counted := 0, false
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text, counted = text[len(m[0]):], true
	}
	switch {
	case noPlace.MatchString(text):
	case !counted:
		line = 1
	case parserFault.MatchString(text):
		line++
	}
	return &input.Error{File: file, Line: line, Found: "text that is not YAML (" + shorten(text) + ")", Expected: "YAML"}
}

// A reader collects the leaves below a node, in the order of the text. It stops at the first
// mistake.
type reader struct {
	file   string
	lines  bool // whether the nodes come from a file and have line numbers
	leaves []leaf
}

func (r *reader) line(n *yaml.Node) int {
	if !r.lines {
		return 0
	}
	return n.Line
}

func (r *reader) refuse(n *yaml.Node, key, found, expected string) error {
	return &input.Error{File: r.file, Line: r.line(n), Key: key, Found: found, Expected: expected}
}

// section reads mapping n as the section of that name; "" is the root. A section without a value is
// an empty mapping.
func (r *reader) section(section string, n *yaml.Node) error {
	m := resolve(n)
	if section != "" && isNull(m) {
		return nil
	}
	if m.Kind != yaml.MappingNode {
		return r.refuse(n, section, describe(n), "a mapping of keys to values")
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(m.Content); i += 2 {
		key, value := m.Content[i], m.Content[i+1]
		name := key.Value
		path := join(section, name)
		if key.Kind != yaml.ScalarNode || strings.Contains(name, ".") || !known(path) {
			return r.unknown(key, section)
		}
		if first, twice := seen[name]; twice {
			return r.refuse(key, path, fmt.Sprintf("the key a second time (first in line %d)", first), "the key once")
		}
		seen[name] = key.Line
		if err := r.entry(path, value); err != nil {
			return err
		}
	}
	return nil
}

// known reports whether a path is a key or a section.
func known(path string) bool {
	_, ok := lookup(path)
	return ok || isSection(path)
}

func isSection(path string) bool { return slices.Contains(sections, path) }

// unknown returns the error for a key that does not exist. It suggests a similar one.
func (r *reader) unknown(key *yaml.Node, section string) error {
	if key.Kind != yaml.ScalarNode {
		return r.refuse(key, section, describe(key)+" as a key", "one of "+strings.Join(children(section), ", "))
	}
	path := join(section, shorten(key.Value))
	if above, below, dotted := strings.Cut(key.Value, "."); dotted && section == "" && known(key.Value) {
		return r.refuse(key, path, "a key with a dot", below+" below "+above)
	}
	if n := nearestKey(section, key.Value); n != "" {
		return r.refuse(key, path, "an unknown key", n)
	}
	return r.refuse(key, path, "an unknown key", "one of "+strings.Join(children(section), ", "))
}

// entry reads the value of a known key or section.
func (r *reader) entry(path string, n *yaml.Node) error {
	f, ok := lookup(path)
	if !ok {
		return r.section(path, n)
	}
	value, bad := convert(n, f.typ)
	if bad != nil {
		return r.refuse(bad, path, describe(bad), rules[path].expected)
	}
	if !rules[path].ok(value) {
		return r.refuse(n, path, describe(n), rules[path].expected)
	}
	r.leaves = append(r.leaves, leaf{key: path, value: value, found: describe(n), file: r.file, line: r.line(n)})
	return nil
}

// resolve returns the node that an alias stands for. It returns any other node unchanged.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// describe returns what was written in a few words, for messages.
func describe(n *yaml.Node) string {
	n = resolve(n)
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return describeList(n)
	case isNull(n):
		return "nothing"
	case n.ShortTag() == "!!str":
		return "the text " + strconv.Quote(shorten(n.Value))
	default:
		return shorten(n.Value)
	}
}

func describeList(n *yaml.Node) string {
	const most = 12
	if len(n.Content) > most {
		return fmt.Sprintf("a list of %d", len(n.Content))
	}
	items := make([]string, len(n.Content))
	for i, c := range n.Content {
		c = resolve(c)
		if c.Kind != yaml.ScalarNode {
			return "a list of lists or mappings"
		}
		items[i] = shorten(c.Value)
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// shorten cuts a text to 60 characters, so that a message stays short.
func shorten(s string) string {
	const most = 60
	r := []rune(strings.ToValidUTF8(s, "?"))
	if len(r) > most {
		return string(r[:most]) + "…"
	}
	return string(r)
}
