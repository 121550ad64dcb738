package invalid

import (
	"regexp"
	"strings"
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

// First returns the first names of a list: "a, b, …".
func First(names []string) string {
	const most = 6
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
