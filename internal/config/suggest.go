package config

import (
	"cmp"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/invalid"
)

// nearestKey returns the key that was probably meant by an unknown one: a similar key of the same
// section, or else the key of this name in another section. It returns "" if there is neither.
func nearestKey(section, typed string) string {
	if n := invalid.Nearest(typed, children(section)); n != "" {
		return join(section, n)
	}
	for _, e := range table {
		if _, last, dotted := strings.Cut(e.name, "."); dotted && last == strings.ToLower(typed) {
			return e.name
		}
	}
	return ""
}

// suggested returns what is expected instead of an unknown dotted key: a similar one, or those of its
// section.
func suggested(key string) string {
	section, name, dotted := strings.Cut(key, ".")
	if !dotted || !isSection(section) {
		section, name = "", key[strings.LastIndex(key, ".")+1:]
	}
	return expectedBelow(section, name)
}

// expectedBelow returns what is expected instead of an unknown name in a section.
func expectedBelow(section, name string) string {
	return cmp.Or(nearestKey(section, name), "one of "+strings.Join(children(section), ", "))
}

// children lists the keys and sections directly below a section; "" is the root.
func children(section string) []string {
	if section == "" {
		return append(slices.Clone(sections), "benchmark")
	}
	var names []string
	for _, e := range table {
		if name, ok := strings.CutPrefix(e.name, section+"."); ok {
			names = append(names, name)
		}
	}
	return names
}

// join returns the path of a name in a section; "" is the root.
func join(section, name string) string {
	return strings.TrimPrefix(section+"."+name, ".")
}
