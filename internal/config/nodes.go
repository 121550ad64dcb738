package config

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/acqnp/acqnp/internal/config/yamlnode"
	"github.com/acqnp/acqnp/internal/invalid"
)

// A leaf is a key with its value, checked by its rule, and the place where it was written.
type leaf struct {
	key   string
	value any    // of the key's type
	file  string // the file, flag or environment variable
	line  int    // 0 outside files
}

func (l leaf) refuse(found, expected string) *invalid.Input {
	return &invalid.Input{File: l.file, Line: l.line, Key: l.key, Found: found, Expected: expected}
}

// A reader collects the leaves below a node, in the order of the text. It stops at the first
// mistake.
type reader struct {
	file   string
	lines  bool // whether the nodes come from a file and have line numbers
	leaves []leaf
}

// leaf returns the leaf of a node.
func (r *reader) leaf(n *yaml.Node, key string, value any) leaf {
	l := leaf{key: key, value: value, file: r.file}
	if r.lines {
		l.line = n.Line
	}
	return l
}

func (r *reader) refuse(n *yaml.Node, key, found, expected string) error {
	return r.leaf(n, key, nil).refuse(found, expected)
}

// section reads mapping n as the section of that name; "" is the root. A section without a value is
// an empty mapping.
func (r *reader) section(section string, n *yaml.Node) error {
	m := yamlnode.Resolve(n)
	if section != "" && yamlnode.IsNull(m) {
		return nil
	}
	if m.Kind != yaml.MappingNode {
		return r.refuse(n, section, yamlnode.Describe(n), "a mapping of keys to values")
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
	_, ok := entries[path]
	return ok || isSection(path)
}

func isSection(path string) bool { return slices.Contains(sections, path) }

// unknown returns the error for a key that does not exist. It suggests a similar one.
func (r *reader) unknown(key *yaml.Node, section string) error {
	if key.Kind != yaml.ScalarNode {
		return r.refuse(key, section, yamlnode.Describe(key)+" as a key", "one of "+strings.Join(children(section), ", "))
	}
	path := join(section, yamlnode.Shorten(key.Value))
	if above, below, dotted := strings.Cut(key.Value, "."); dotted && section == "" && known(key.Value) {
		return r.refuse(key, path, "a key with a dot", below+" below "+above)
	}
	return r.refuse(key, path, "an unknown key", expectedBelow(section, key.Value))
}

// entry reads the value of a known key or section.
func (r *reader) entry(path string, n *yaml.Node) error {
	e, ok := entries[path]
	if !ok {
		return r.section(path, n)
	}
	value, bad := convert(n, e.typ)
	if bad == nil && !e.accepts.ok(value) {
		bad = n
	}
	if bad != nil {
		return r.refuse(bad, path, yamlnode.Describe(bad), e.accepts.expected)
	}
	r.leaves = append(r.leaves, r.leaf(n, path, value))
	return nil
}
