package cli

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCommandsOfTheDocumentationAreRead parses each command of this program in the code blocks of the
// documentation, and in the examples of the help, without running it. It wants flags that the command
// has, values of their type, and the arguments and flags that it needs. In
// the text it wants flags that exist.
func TestCommandsOfTheDocumentationAreRead(t *testing.T) {
	n := 0
	check := func(where, line string) {
		n++
		if what := misread(line); what != "" {
			t.Errorf("%s: %s\n\t%s", where, line, what)
		}
	}
	for _, page := range documentation(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(page, ".sh") {
			for _, line := range commandsOf(string(text)) {
				check(page, line)
			}
			continue
		}
		for _, line := range commandsOf(codeBlocks(string(text))) {
			check(page, line)
		}
		for _, m := range inText.FindAllStringSubmatch(string(text), -1) {
			if what := unknownFlag(m[1]); what != "" {
				t.Errorf("%s: %s\n\t%s", page, m[0], what)
			}
		}
	}
	for _, c := range commandTree() {
		for _, line := range commandsOf(c.Example) {
			check("the help of "+c.CommandPath(), line)
		}
	}
	if n < 100 {
		t.Errorf("%d commands are found, fewer than the documentation has", n)
	}
}

// inText is code in a text, such as `predict --raw`.
var inText = regexp.MustCompile("`(?:acqnp )?([a-z][a-z -]* [^`\n]*--[^`\n]*)`")

// unknownFlag says which flag of a part of a command the command does not have, "" if it has all.
func unknownFlag(command string) string {
	cmd, rest, err := newRoot(&app{variables: map[string]string{}}).Find(words(command))
	if err != nil || !cmd.HasParent() {
		return "" // another program
	}
	for _, word := range rest {
		name, _, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		if strings.HasPrefix(word, "--") && name != "" && cmd.Flags().Lookup(name) == nil && cmd.InheritedFlags().Lookup(name) == nil {
			return cmd.CommandPath() + " has no --" + name
		}
	}
	return ""
}

// documentation returns the pages with commands that a reader may type, and the shell scripts. The pages of the commands have
// those of the help; research tells of earlier versions.
func documentation(t *testing.T) (pages []string) {
	t.Helper()
	root := "../.."
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "docs/reference/commands" || name == "shared" || name == "bin" || name == "research" || strings.HasPrefix(d.Name(), ".") && name != "."):
			return filepath.SkipDir
		case strings.HasSuffix(name, ".md") && name != "CHANGELOG.md", strings.HasSuffix(name, ".sh"):
			pages = append(pages, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// codeBlocks returns the lines of a page in Markdown that are in code blocks, fenced or indented.
func codeBlocks(page string) string {
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		} else if fenced || strings.HasPrefix(line, "    ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

var (
	continued = regexp.MustCompile(`\\\n\s*`)
	assigned  = regexp.MustCompile(`^(\w+=(\$\(.*?\)|\S)*\s+)+`)
	program   = regexp.MustCompile(`^(\$ |nice |time |sudo )*(\./|go run \./cmd/)?acqnp(-cuda)?\s`)
)

// commandsOf returns the lines of a shell script that call this program. Programs that call it in turn,
// such as docker, are left out.
func commandsOf(script string) (lines []string) {
	script = continued.ReplaceAllString(script, " ")
	for line := range strings.Lines(script) {
		for _, command := range regexp.MustCompile(`;|&&`).Split(strings.TrimSpace(line), -1) {
			command = assigned.ReplaceAllString(strings.TrimSpace(command), "")
			if program.MatchString(command) {
				lines = append(lines, command)
			}
		}
	}
	return lines
}

// words returns the words of a command as a shell reads them, up to a pipe, a redirection or a comment.
func words(command string) (all []string) {
	var word strings.Builder
	quote, begun := rune(0), false
	end := func() {
		if begun {
			all = append(all, word.String())
		}
		word.Reset()
		begun = false
	}
	for _, r := range command {
		switch {
		case r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == ' ' || r == '\t':
			end()
		case strings.ContainsRune("|<>&", r), r == '#' && !begun:
			end()
			return all
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	end()
	return all
}

// misread says what is wrong with a command, "" if nothing is.
func misread(command string) string {
	a := &app{Streams: Streams{Out: io.Discard, Err: io.Discard}, variables: map[string]string{}}
	root := newRoot(a)
	args := words(program.ReplaceAllString(command, ""))
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err.Error()
	}
	cmd.InitDefaultHelpFlag()
	if err := cmd.ParseFlags(rest); err != nil {
		return err.Error()
	}
	if help, _ := cmd.Flags().GetBool("help"); help {
		return ""
	}
	for _, err := range []error{cmd.ValidateArgs(cmd.Flags().Args()), cmd.ValidateRequiredFlags(), cmd.ValidateFlagGroups()} {
		if err != nil {
			return err.Error()
		}
	}
	return ""
}
