package config

import "strings"

// nearest returns the name closest to what was typed, "" if none is close.
func nearest(typed string, names []string) string {
	best, least := "", max(2, len(typed)/3)+1
	for _, n := range names {
		if d := distance(strings.ToLower(typed), n); d < least {
			best, least = n, d
		}
	}
	return best
}

// nearestKey returns the key that an unknown one was probably meant to be: one of the same section
// if there is one close enough, else one of another section with that very name. It is "" where
// there is neither.
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

func join(section, name string) string {
	if section == "" {
		return name
	}
	return section + "." + name
}

// distance is Levenshtein's: the least number of bytes to insert, delete or replace. Names are cut
// to 64 bytes first.
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
