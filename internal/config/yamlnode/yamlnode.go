// Package yamlnode reads YAML documents as nodes, which know their lines, and words what they hold for
// error messages.
package yamlnode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/acqnp/acqnp/internal/invalid"
)

// Parse reads one YAML document and returns its root, or nil for an empty one. It refuses a second
// document. An error is an *invalid.Input with the line in the file.
func Parse(file string, content []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var document, second yaml.Node
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, syntaxError(file, err)
	}
	switch err = decoder.Decode(&second); {
	case err == nil:
		return nil, &invalid.Input{File: file, Line: second.Line, Found: "a second document", Expected: "one YAML document"}
	case !errors.Is(err, io.EOF):
		return nil, syntaxError(file, err)
	}
	if len(document.Content) == 0 || IsNull(document.Content[0]) {
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
func syntaxError(file string, err error) *invalid.Input {
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
	return &invalid.Input{File: file, Line: line, Found: "text that is not YAML (" + Shorten(text) + ")", Expected: "YAML"}
}

// Resolve returns the node that an alias stands for. It returns any other node unchanged.
func Resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// IsNull reports whether a node is an empty value.
func IsNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// Describe returns what was written in a few words, for messages.
func Describe(n *yaml.Node) string {
	n = Resolve(n)
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		const most = 12
		if len(n.Content) > most {
			return fmt.Sprintf("a list of %d", len(n.Content))
		}
		items := make([]string, len(n.Content))
		for i, c := range n.Content {
			if c = Resolve(c); c.Kind != yaml.ScalarNode {
				return "a list of lists or mappings"
			}
			items[i] = Shorten(c.Value)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case IsNull(n):
		return "nothing"
	case n.ShortTag() == "!!str":
		return "the text " + strconv.Quote(Shorten(n.Value))
	default:
		return Shorten(n.Value)
	}
}

// Shorten cuts a text to 60 characters, so that a message stays short.
func Shorten(s string) string {
	const most = 60
	r := []rune(strings.ToValidUTF8(s, "?"))
	if len(r) > most {
		return string(r[:most]) + "…"
	}
	return string(r)
}
