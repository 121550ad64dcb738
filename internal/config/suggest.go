package config

import (
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

// children lists the keys and sections directly below a section; "" is the root.
func children(section string) []string {
	var names []string
	if section == "" {
		names = append(names, sections...)
	}
	for _, e := range table {
		head, last, dotted := strings.Cut(e.name, ".")
		switch {
		case dotted && head == section:
			names = append(names, last)
		case !dotted && section == "":
			names = append(names, head)
		}
	}
	return names
}

// join returns the path of a name in a section; "" is the root.
func join(section, name string) string {
	if section == "" {
		return name
	}
	return section + "." + name
}
