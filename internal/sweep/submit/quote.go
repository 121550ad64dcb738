package submit

import (
	"os"
	"regexp"
	"strings"
)

// ThisProgram returns the path of the running program as a word of a shell.
func ThisProgram() (string, error) {
	path, err := os.Executable()
	return shellWord(path), err
}

// plain matches a word that shells and sbatch read as it stands.
var plain = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// shellWord quotes a word for a shell.
func shellWord(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// sbatchWord quotes a word for a line that starts with #SBATCH. There a backslash keeps the next
// character, within quotes too, and no character else is special within double quotes.
func sbatchWord(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(word) + `"`
}
