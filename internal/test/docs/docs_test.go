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
)

// texts lists the documentation, by its path from the repository's root: the pages at the root, and
// all below the folders that have pages.
func texts(t *testing.T) []string {
	t.Helper()
	names := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	for _, folder := range []string{"changelog", "docs", "deploy", "research", "tools"} {
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

var target = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// A link leads to a file of the repository and, if it names a heading, to one that exists.
func TestLinksLeadSomewhere(t *testing.T) {
	for _, name := range texts(t) {
		from := filepath.Dir(name)
		if from == "changelog" && name != "changelog/README.md" {
			from = "." // a release moves the text into CHANGELOG.md
		}
		for _, m := range target.FindAllStringSubmatch(read(t, name), -1) {
			link := m[1]
			if strings.Contains(link, "://") {
				continue
			}
			file, heading, _ := strings.Cut(link, "#")
			path := filepath.ToSlash(filepath.Join(from, file))
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

// Each page of docs and research can be reached by links from the README, so that none is lost.
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
		if (strings.HasPrefix(name, "docs/") || strings.HasPrefix(name, "research/")) && !seen[name] {
			t.Errorf("no links lead from README.md to %s", name)
		}
	}
}

func TestReadmeIsAPage(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(read(t, "README.md"), "\n"), "\n")
	first := func(prefix string) int {
		return 1 + slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, prefix) })
	}
	picture, command, quickstart := first("!["), first("    go "), first("    go run ")
	if len(lines) > 110 || picture >= 15 || command > 20 || quickstart > 25 || picture*command*quickstart == 0 {
		t.Errorf("README.md has %d lines, its picture in line %d, its first command in line %d, go run in line %d; "+
			"expected at most 110 lines, the picture above line 15, the commands by lines 20 and 25", len(lines), picture, command, quickstart)
	}
}

// A figure with decimals stands in a page that the README links to, or in its table.
func TestReadmesFiguresHaveAHome(t *testing.T) {
	readme := read(t, "README.md")
	homes := ""
	for _, m := range regexp.MustCompile(`\]\(([^)#]+\.md)`).FindAllStringSubmatch(readme, -1) {
		homes += read(t, m[1])
	}
	code := regexp.MustCompile("(?m)^    .*|`[^`]*`")
	for _, figure := range regexp.MustCompile(`\d+\.\d+`).FindAllString(code.ReplaceAllString(readme, ""), -1) {
		if !strings.Contains(homes, figure) && figure != "1.26" { // Go's version
			t.Errorf("README.md says %s, which none of its pages does", figure)
		}
	}
}

// A person reads the pages of docs that are written by hand in an afternoon.
func TestDocsTakeAnAfternoon(t *testing.T) {
	made := []string{"docs/reference/configuration.md", "docs/reference/environment.md", "docs/reference/licences.md"}
	values := regexp.MustCompile(`(?s)<!-- values: .*?<!-- end -->\n`) // which make reference writes
	pages, lines := 0, 0
	for _, name := range texts(t) {
		if strings.HasPrefix(name, "docs/") && !strings.HasPrefix(name, commands) && !slices.Contains(made, name) {
			pages++
			lines += strings.Count(values.ReplaceAllString(read(t, name), ""), "\n")
		}
	}
	if pages > 32 || lines > 3200 {
		t.Errorf("docs has %d pages and %d lines by hand, at most 32 and 3200", pages, lines)
	}
}

// mentioned matches paths that start at the repository's root, in prose and in commands.
var mentioned = regexp.MustCompile(
	`(?:^|[\s` + "`" + `("'])(?:\./)?((?:\.ci|\.github|cmd|configs|deploy|docs|internal|kernels|research|scripts|tools)/[^\s` + "`" + `"');:]*)`)

// A path that a text mentions exists. NAME, <name> and * stand for any name.
func TestMentionedPathsExist(t *testing.T) {
	for _, name := range texts(t) {
		if name == "CHANGELOG.md" || strings.HasPrefix(name, "research/") || strings.HasPrefix(name, commands) {
			continue // they name files of earlier commits, and of users
		}
		text := target.ReplaceAllString(read(t, name), "")
		for _, m := range mentioned.FindAllStringSubmatch(text, -1) {
			p := strings.TrimSuffix(strings.TrimRight(m[1], ".,"), "/")
			p, _, _ = strings.Cut(p, "{") // {a,b} stands for a and b
			if p != m[1] && strings.Contains(m[1], "{") {
				p = path.Dir(p)
			}
			pattern := regexp.MustCompile(`<[^>]*>|NAME`).ReplaceAllString(p, "*")
			if found, err := filepath.Glob(filepath.Join(root, pattern)); err != nil || len(found) == 0 {
				t.Errorf("%s mentions %s, which does not exist", name, p)
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
