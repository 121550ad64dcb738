package config

import "strings"

// nearest returns the name closest to what was typed, or "" if none is close.
func nearest(typed string, names []string) string {
	best, least := "", max(2, len(typed)/3)+1
	for _, n := range names {
		if d := distance(strings.ToLower(typed), n); d < least {
			best, least = n, d
		}
	}
	return best
}

// nearestKey returns the key that was probably meant by an unknown one: a similar key of the same
// section, or else the key of this name in another section. It returns "" if there is neither.
func nearestKey(section, typed string) string {
	if n := nearest(typed, children(section)); n != "" {
		return join(section, n)
	}
	for _, f := range fields {
		if _, last, dotted := strings.Cut(f.key, "."); dotted && last == strings.ToLower(typed) {
			return f.key
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
	for _, f := range fields {
		head, last, dotted := strings.Cut(f.key, ".")
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

// distance returns Levenshtein's distance: the least number of bytes to insert, delete or replace.
// It compares the first 64 bytes.
func distance(a, b string) int {
	const longest = 64
	a, b = a[:min(len(a), longest)], b[:min(len(b), longest)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
