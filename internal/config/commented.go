package config

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// noteColumn is where notes begin.
const noteColumn = 40

// Commented returns the experiment as a configuration file for people: head as a comment at its start,
// every key with a note, and examples of keys that are not set, as comments. It checks that Parse reads
// the same experiment from it.
func (e Experiment) Commented(head string) ([]byte, error) {
	plain, err := e.YAML()
	if err != nil {
		return nil, err
	}
	lines := map[string]string{}
	section := ""
	for line := range strings.Lines(string(plain)) {
		line = strings.Replace(strings.TrimSuffix(line, "\n"), `  "y":`, "  y:", 1) // the encoder's quotes; y is a boolean in YAML 1.1
		key, _, isKey := strings.Cut(strings.TrimSpace(line), ":")
		switch {
		case !strings.HasPrefix(line, " "):
			section = key
			lines[key] = line
		case isKey:
			lines[section+"."+key] = line
		}
	}
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimSuffix(head, "\n"), "\n") {
		fmt.Fprintln(&b, strings.TrimSpace("# "+oneLine(line)))
	}
	section = ""
	for _, key := range table {
		above, name, dotted := strings.Cut(key.name, ".")
		if dotted && above != section {
			section = above
			fmt.Fprintln(&b, lines[section])
		}
		line, set := lines[key.name]
		if !set && key.example != "" && key.usedBy(e.benchmark()) {
			line, set = fmt.Sprintf("  # %s: %s", name, key.example), true
		}
		if !set {
			continue
		}
		if key.note != "" {
			line = fmt.Sprintf("%s%s# %s", line, strings.Repeat(" ", max(1, noteColumn-utf8.RuneCountInString(line))), key.note)
		}
		fmt.Fprintln(&b, line)
	}
	content := []byte(b.String())
	again, err := Parse("the configuration", content, Overrides{})
	if err != nil {
		return nil, err
	}
	if d := Differences(e, again); len(d) > 0 {
		return nil, fmt.Errorf("the configuration reads back with other values: %s", strings.Join(d, "; "))
	}
	return content, nil
}

// oneLine replaces line breaks and other control characters of a text by spaces.
func oneLine(text string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c == 0x85 || c == 0x2028 || c == 0x2029 {
			return ' '
		}
		return c
	}, text)
}
