package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

// The variables of make reference and scripts/release-files.sh.
const (
	writePages = "WRITE_COMMANDS" // 1: write docs/reference/commands instead of comparing with it
	manFolder  = "MAN"            // where the man pages go
)

const pages = "../../docs/reference/commands"

// commandTree returns the commands that a user can call, the root first.
func commandTree() (all []*cobra.Command) {
	root := newRoot(&app{Streams: Streams{Out: io.Discard, Err: io.Discard}, variables: map[string]string{}})
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		c.InitDefaultHelpFlag()
		all = append(all, c)
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				visit(sub)
			}
		}
	}
	visit(root)
	return all
}

// TestReferencePagesAreWhatTheCommandsSay compares each page of docs/reference/commands with its command.
func TestReferencePagesAreWhatTheCommandsSay(t *testing.T) {
	want := map[string]string{}
	for _, c := range commandTree() {
		want[pageName(c)] = page(c)
	}
	if os.Getenv(writePages) == "1" {
		if err := replacePages(want); err != nil {
			t.Fatal(err)
		}
	}
	found, err := os.ReadDir(pages)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range found {
		text, err := os.ReadFile(filepath.Join(pages, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if expected, is := want[e.Name()]; !is || expected != string(text) {
			t.Errorf("docs/reference/commands/%s is not what its command says; make reference writes it", e.Name())
		}
		delete(want, e.Name())
	}
	for name := range want {
		t.Errorf("docs/reference/commands lacks %s; make reference writes it", name)
	}
}

func TestEveryFlagHasHelp(t *testing.T) {
	for _, c := range commandTree() {
		if shell := c.HasParent() && c.Parent().Name() == "completion"; c.Short == "" || c.Example == "" && !c.HasSubCommands() && !shell {
			t.Errorf("%s lacks a summary or an example", c.CommandPath())
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s --%s has no help", c.CommandPath(), f.Name)
			}
		})
	}
}

// TestManPages writes a man page for each command.
func TestManPages(t *testing.T) {
	folder := os.Getenv(manFolder)
	if folder == "" {
		folder = t.TempDir()
	}
	tree := commandTree()
	header := &doc.GenManHeader{Section: "1", Source: "acqnp " + tree[0].Version, Manual: "acqnp"}
	if err := doc.GenManTree(tree[0], header, folder); err != nil {
		t.Fatal(err)
	}
	for _, c := range tree {
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			if c.Name() == "help" || c.HasParent() && c.Parent().Name() == "help" {
				continue // cobra writes no page for help and its topics
			}
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte(".SH NAME\n"+strings.TrimSuffix(name, ".1")+" - ")) {
			t.Errorf("%s has no name:\n%.300s", name, text)
		}
	}
}

// replacePages writes the pages and removes all others.
func replacePages(want map[string]string) error {
	if err := os.RemoveAll(pages); err != nil {
		return err
	}
	if err := os.MkdirAll(pages, 0o777); err != nil {
		return err
	}
	for name, text := range want {
		if err := os.WriteFile(filepath.Join(pages, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// pageName returns the name of a command's file, such as acqnp-data-list.md.
func pageName(c *cobra.Command) string {
	return strings.ReplaceAll(c.CommandPath(), " ", "-") + ".md"
}

// plain keeps a text from being read as HTML or emphasis.
var plain = strings.NewReplacer("<", "&lt;", "*", `\*`)

// page returns a command's help in Markdown.
func page(c *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n%s.\n\n", c.CommandPath(), c.Short)
	if c.Runnable() {
		fmt.Fprintf(&b, "    %s\n\n", c.UseLine())
	}
	if c.Example != "" {
		fmt.Fprintf(&b, "## Examples\n```\n%s\n```\n\n", strings.ReplaceAll("\n"+c.Example, "\n  ", "\n")[1:])
	}
	if c.Long != "" {
		b.WriteString("## Description\n")
	}
	for _, paragraph := range strings.Split(strings.TrimSpace(c.Long), "\n\n") {
		if strings.HasPrefix(paragraph, " ") || strings.HasPrefix(paragraph, "\t") {
			fmt.Fprintf(&b, "```\n%s\n```\n\n", paragraph)
		} else if paragraph != "" {
			fmt.Fprintf(&b, "%s\n\n", plain.Replace(paragraph))
		}
	}
	writeFlags(&b, "Flags", c.NonInheritedFlags())
	writeFlags(&b, "Flags of every command", c.InheritedFlags())
	var subs []*cobra.Command
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			subs = append(subs, sub)
		}
	}
	if len(subs) > 0 {
		b.WriteString("## Commands\n")
		for _, sub := range subs {
			fmt.Fprintf(&b, "- [%s](%s): %s\n", sub.CommandPath(), pageName(sub), sub.Short)
		}
		b.WriteString("\n")
	}
	if c.HasParent() {
		fmt.Fprintf(&b, "Up: [%s](%s)\n", c.Parent().CommandPath(), pageName(c.Parent()))
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// writeFlags writes a table of flags, if there are any.
func writeFlags(w io.Writer, title string, flags *pflag.FlagSet) {
	rows := ""
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if value != "" {
			name += " " + value
		}
		switch f.DefValue {
		case "", "false", "0", "[]":
		default:
			usage += " (default `" + f.DefValue + "`)"
		}
		usage = strings.Join(strings.Fields(plain.Replace(usage)), " ")
		rows += fmt.Sprintf("| `%s` | %s |\n", name, strings.ReplaceAll(usage, "|", `\|`))
	})
	if rows != "" {
		fmt.Fprintf(w, "## %s\n| flag | meaning |\n| --- | --- |\n%s\n", title, rows)
	}
}
