package docs

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// texts lists the documentation, by its path from the repository's root: the pages at the root, and
// all below docs, deploy and tools.
func texts(t *testing.T) []string {
	t.Helper()
	names := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	for _, folder := range []string{"docs", "deploy", "tools"} {
		before := len(names)
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".md") {
				name, relErr := filepath.Rel(root, path)
				names, err = append(names, filepath.ToSlash(name)), relErr
			}
			return err
		})
		if err != nil || len(names) == before {
			t.Fatalf("%d pages in %s, error %v", len(names)-before, folder, err)
		}
	}
	return names
}

// written reports whether the program writes a page.
func written(name string) bool { return strings.HasPrefix(name, commands) }

const columns = 100

var target = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Prose wraps at 100 columns. Tables, code blocks and the targets of links may be longer, except in
// the README.
func TestProseWraps(t *testing.T) {
	for _, name := range texts(t) {
		if written(name) {
			continue // it wraps where the help does
		}
		fenced := false
		for i, line := range strings.Split(read(t, name), "\n") {
			fence := strings.HasPrefix(strings.TrimSpace(line), "```")
			code := fenced || fence || strings.HasPrefix(line, "    ")
			fenced = fenced != fence
			if name != "README.md" {
				if code || strings.HasPrefix(line, "|") {
					continue
				}
				line = target.ReplaceAllString(line, "]")
			}
			if n := utf8.RuneCountInString(line); n > columns {
				t.Errorf("%s:%d has %d columns, at most %d: %s", name, i+1, n, columns, line)
			}
		}
	}
}

// A link leads to a file of the repository and, if it names a heading, to one that exists.
func TestLinksLeadSomewhere(t *testing.T) {
	for _, name := range texts(t) {
		for _, m := range target.FindAllStringSubmatch(read(t, name), -1) {
			link := m[1]
			if strings.Contains(link, "://") {
				continue
			}
			file, heading, _ := strings.Cut(link, "#")
			path := filepath.ToSlash(filepath.Join(filepath.Dir(name), file))
			if file == "" {
				path = name
			}
			if _, err := os.Stat(filepath.Join(root, path)); err != nil {
				t.Errorf("%s: the link %s leads nowhere: %v", name, link, err)
			} else if heading != "" && !slices.Contains(headings(read(t, path)), heading) {
				t.Errorf("%s: %s has no heading #%s", name, path, heading)
			}
		}
	}
}

// The README is a page, and its first command stands at its head.
func TestReadmeIsAPage(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(read(t, "README.md"), "\n"), "\n")
	if len(lines) > 120 {
		t.Errorf("README.md has %d lines, at most 120", len(lines))
	}
	first := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "    go run ./cmd/acqnp train ") })
	if first < 0 || first >= 20 {
		t.Errorf("README.md has its first command in line %d, at most 20", first+1)
	}
}

// Each page of docs can be reached by links from the README, so that none is lost.
func TestEveryPageIsLinked(t *testing.T) {
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if seen[name] || !strings.HasSuffix(name, ".md") {
			return
		}
		seen[name] = true
		for _, m := range target.FindAllStringSubmatch(read(t, name), -1) {
			if file, _, _ := strings.Cut(m[1], "#"); file != "" && !strings.Contains(file, "://") {
				visit(path.Join(path.Dir(name), file))
			}
		}
	}
	visit("README.md")
	for _, name := range texts(t) {
		if strings.HasPrefix(name, "docs/") && !seen[name] {
			t.Errorf("no links lead from README.md to %s", name)
		}
	}
}

// headings returns the anchors of a text's headings.
func headings(text string) []string {
	var anchors []string
	text = regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(text, "")
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		words := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		anchors = append(anchors, strings.ReplaceAll(words, " ", "-"))
	}
	return anchors
}

// mentioned matches paths that start at the repository's root, in prose and in commands.
var mentioned = regexp.MustCompile(
	`(?:^|[\s` + "`" + `("'])(?:\./)?((?:\.ci|\.github|cmd|configs|deploy|docs|internal|kernels|scripts|tools)/[^\s` + "`" + `"');:]*)`)

// A path that a text mentions exists. NAME, <name> and * stand for any name, and {a,b} for a and b.
func TestMentionedPathsExist(t *testing.T) {
	for _, name := range texts(t) {
		if name == "CHANGELOG.md" || written(name) {
			continue // they name files of earlier versions, and of users
		}
		text := target.ReplaceAllString(read(t, name), "")
		for _, m := range mentioned.FindAllStringSubmatch(text, -1) {
			path := strings.TrimSuffix(strings.TrimRight(m[1], ".,"), "/")
			for _, p := range alternatives(path) {
				pattern := regexp.MustCompile(`<[^>]*>|NAME`).ReplaceAllString(p, "*")
				found, err := filepath.Glob(filepath.Join(root, pattern))
				if err != nil || len(found) == 0 {
					t.Errorf("%s mentions %s, which does not exist", name, p)
				}
			}
		}
	}
}

// CONTRIBUTING.md names every folder of internal, so that a newcomer finds the one for a change.
func TestContributingNamesEveryPackage(t *testing.T) {
	text := read(t, "CONTRIBUTING.md")
	entries, err := os.ReadDir(filepath.Join(root, "internal"))
	if err != nil || len(entries) == 0 {
		t.Fatalf("%d folders in internal, error %v", len(entries), err)
	}
	for _, e := range entries {
		if name := "`internal/" + e.Name() + "`"; !strings.Contains(text, name) {
			t.Errorf("CONTRIBUTING.md does not name %s", name)
		}
	}
}

// alternatives expands {a,b} in a path.
func alternatives(path string) []string {
	before, list, is := strings.Cut(path, "{")
	if !is {
		return []string{path}
	}
	inside, after, _ := strings.Cut(list, "}")
	var all []string
	for one := range strings.SplitSeq(inside, ",") {
		all = append(all, before+one+after)
	}
	return all
}
