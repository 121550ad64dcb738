package config

import "strings"

// nearest finds the name closest to what was typed, or "" where none is close enough to be meant.
func nearest(typed string, names []string) string {
	best, least := "", max(2, len(typed)/3)+1
	for _, n := range names {
		if d := distance(strings.ToLower(typed), n); d < least {
			best, least = n, d
		}
	}
	return best
}

// nearestKey finds the key that was meant by an unknown one: a sibling by preference, else a key of another section
// whose last part is spelt just so.
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

// children lists what may stand directly below a section; "" is the root.
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

func join(section, name string) string {
	if section == "" {
		return name
	}
	return section + "." + name
}

// distance is Levenshtein's: the fewest bytes to insert, delete or replace. Long words are cut, as they match nothing.
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
