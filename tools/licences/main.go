// Command licences lists the licences of the modules that the released programs contain, for docs/reference
// (--page), and their texts, for releases (--texts). It fails if a module has no licence, or one that is not
// in allowed. scripts/licences.sh runs it in the repository.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// allowed are the licences, by their SPDX names, under which a program may contain code and be under MIT as
// a whole.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC-BY-4.0", "ISC", "MIT", "OFL-1.1", "Unlicense", patents}

// patents is licensecheck's name of a grant of patents beside a licence.
const patents = "GooglePatentsFile"

// stated are the licences of modules whose file licensecheck cannot judge: it offers a choice, or has the
// terms of code in other languages too.
var stated = map[string]struct{ file, licence string }{
	"github.com/golang/freetype":       {"licenses/ftl.txt", "FTL"}, // or the GPL
	"github.com/apache/arrow/go/arrow": {"LICENSE.txt", "Apache-2.0"},
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("licences: ")
	root := flag.String("root", ".", "the repository")
	page := flag.String("page", "", "write the list to this file")
	texts := flag.String("texts", "", "write the texts to this file")
	flag.Parse()
	modules, err := linked(*root)
	if err != nil {
		log.Fatal(err)
	}
	var failed error
	for _, m := range modules {
		failed = errors.Join(failed, m.read())
	}
	if failed != nil {
		log.Fatal(failed)
	}
	for file, content := range map[string][]byte{*page: list(modules), *texts: full(modules)} {
		if file == "" {
			continue
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// A module is what a program contains of a module.
type module struct {
	path, version, root string
	packages            []string // their directories
	notices             []notice
	licences            []string // SPDX names
}

// A notice is a text that goes with the code.
type notice struct{ name, text string }

var noticeName = regexp.MustCompile(`(?i)^(.*-)?((un)?licen[cs]e|copying|copyright|notice|patents)([-._].*)?$`)

// read reads the notices of the module's root and of the directories above its packages.
func (m *module) read() error {
	if s, ok := stated[m.path]; ok {
		text, err := os.ReadFile(filepath.Join(m.root, s.file))
		m.notices, m.licences = []notice{{s.file, string(text)}}, []string{s.licence}
		return err
	}
	dirs := map[string]bool{}
	for _, dir := range m.packages {
		for ; strings.HasPrefix(dir, m.root); dir = filepath.Dir(dir) {
			dirs[dir] = true
		}
	}
	if others := filepath.Join(m.root, "THIRD_PARTY_LICENSES"); isDir(others) {
		dirs[others] = true
	}
	for _, dir := range sorted(dirs) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.Type().IsRegular() && noticeName.MatchString(e.Name()) && filepath.Ext(e.Name()) != ".go" {
				if err := m.add(filepath.Join(dir, e.Name())); err != nil {
					return err
				}
			}
		}
	}
	if len(m.licences) == 0 {
		return fmt.Errorf("%s: found no licence", m.path)
	}
	return nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// add adds a notice and the licences that are in it.
func (m *module) add(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	name, err := filepath.Rel(m.root, file)
	if err != nil {
		return err
	}
	m.notices = append(m.notices, notice{filepath.ToSlash(name), string(text)})
	for _, match := range licensecheck.Scan(text).Match {
		switch {
		case !slices.Contains(allowed, match.ID):
			err = errors.Join(err, fmt.Errorf("%s: %s has the licence %s, which is not one of %s", m.path, name, match.ID, strings.Join(allowed, ", ")))
		case match.ID != patents && !slices.Contains(m.licences, match.ID):
			m.licences = append(m.licences, match.ID)
		}
	}
	return err
}

// list returns the page.
func list(modules []*module) []byte {
	var b bytes.Buffer
	b.WriteString(intro)
	for _, m := range modules {
		fmt.Fprintf(&b, "| %s | %s |\n", m.path, strings.Join(m.licences, ", "))
	}
	return b.Bytes()
}

const intro = `# Licences
acqnp is under the [MIT licence](../../LICENSE), its code and the weights that it carries. The
programs contain the modules below, on one system or another. Archives and packages contain all
texts, in THIRD_PARTY_LICENSES.txt. ` + "`sh scripts/licences.sh`" + ` writes this page and the texts. It
refuses a module without a licence, and one under terms that are not listed here.

Portions of this software are copyright © 2010 The FreeType Project (www.freetype.org). All rights
reserved.

| module | licences |
| --- | --- |
`

// full returns all texts.
func full(modules []*module) []byte {
	var b bytes.Buffer
	b.WriteString("acqnp is under the MIT licence. Its programs contain the modules below, under these terms.\n")
	for _, m := range modules {
		for _, n := range m.notices {
			fmt.Fprintf(&b, "\n%s\n%s %s: %s\n\n%s\n", strings.Repeat("=", 80), m.path, m.version, n.name, strings.TrimSpace(n.text))
		}
	}
	return b.Bytes()
}
