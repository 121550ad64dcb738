package submit

import (
	"os"
	"strings"

	"github.com/acqnp/acqnp/internal/invalid"
)

// ThisProgram returns the path of the running program as a word of a shell.
func ThisProgram() (string, error) {
	path, err := os.Executable()
	return invalid.ShellWord(path), err
}

// sbatchWord quotes a word for a line that starts with #SBATCH. There a backslash keeps the next
// character, within quotes too, and no character else is special within double quotes.
func sbatchWord(word string) string {
	if invalid.IsPlain(word) {
		return word
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(word) + `"`
}
