package cli

import (
	"bytes"
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
		if c.Name() != "help" && (!c.HasParent() || c.Parent().Name() != "help") { // of which cobra writes no pages
			want[pageName(c)] = page(t, c)
		}
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

// page returns a command's page in Markdown, as cobra writes it.
func page(t *testing.T, c *cobra.Command) string {
	t.Helper()
	c.Root().DisableAutoGenTag = true
	var b bytes.Buffer
	if err := doc.GenMarkdownCustom(c, &b, func(link string) string { return strings.ReplaceAll(link, "_", "-") }); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String()[1:]) + "\n" // a heading of the first level
}
