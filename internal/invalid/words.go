package invalid

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// plain matches a word that shells read as it stands.
var plain = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// IsPlain reports whether shells read a word as it stands.
func IsPlain(word string) bool { return plain.MatchString(word) }

// ShellWord quotes a word for a shell.
func ShellWord(word string) string {
	if IsPlain(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Shown is how many names First shows at most.
const Shown = 6

// First returns the first names of a list: "a, b, …".
func First(names []string) string {
	if len(names) > Shown {
		return strings.Join(names[:Shown], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// Listed lists names, with a word between the last two: "a, b or c".
func Listed(names []string, between string) string {
	if len(names) == 1 {
		return names[0]
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + between + names[last]
}

// Plural returns a number with its noun: "1 batch", "3 batches".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Nearest returns the name closest to what was typed, or "" if none is close.
func Nearest(typed string, names []string) string {
	best, least := "", max(2, len(typed)/3)+1
	for _, n := range names {
		if d := Distance(strings.ToLower(typed), strings.ToLower(n)); d < least {
			best, least = n, d
		}
	}
	return best
}

// Alike reports whether two names differ only in case, in signs between words, or in one letter of four.
func Alike(a, b string) bool {
	fold := func(name string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(" _-.", r) {
				return -1
			}
			return unicode.ToLower(r)
		}, name)
	}
	a, b = fold(a), fold(b)
	return Distance(a, b) <= min(len(a), len(b))/4
}

// Distance returns Levenshtein's distance: the least number of bytes to insert, delete or replace.
// It compares the first 64 bytes.
func Distance(a, b string) int {
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
