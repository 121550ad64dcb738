package figures_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/goregular"
	"gonum.org/v1/plot/plotter"

	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/report/figures"
	"github.com/acqnp/acqnp/internal/test/must"
)

// titled draws a panel with a title, and returns the file and the warnings. The fonts of the system are those in
// a folder alone.
func titled(t *testing.T, fonts, title, name string) ([]byte, []string) {
	t.Helper()
	for _, variable := range []string{"HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS", "WINDIR", "LOCALAPPDATA"} {
		t.Setenv(variable, fonts)
	}
	fig := figure(figures.Panel{Title: title, Context: plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}}})
	var w warning.Record
	path := filepath.Join(t.TempDir(), name)
	must.Do(t, fig.Save(path, &w))
	content := must.Get(os.ReadFile(path))(t)
	return content, w.Lines()
}

// ∪ is a letter of Go's font, and not of the figures'.
func TestLettersThatNoFontHasAreBoxesAndNamed(t *testing.T) {
	none := t.TempDir()
	for _, name := range []string{"p.png", "p.pdf"} {
		with, lines := titled(t, none, "a∪b", name)
		if len(lines) != 1 || !strings.Contains(lines[0], name+": no font of this machine has ∪: a box stands for it") {
			t.Errorf("%s: found %q, expected one line that names ∪", name, lines)
		}
		without, lines := titled(t, none, "ab", name)
		if len(lines) > 0 || bytes.Equal(with, without) {
			t.Errorf("%s: a picture without the letter has the lines %q, or is the same", name, lines)
		}
	}
	if svg, lines := titled(t, none, "a∪b", "p.svg"); len(lines) > 0 || !slices.Contains(texts(t, svg), "a∪b") {
		t.Errorf("SVG has the lines %q and the texts %q", lines, texts(t, svg))
	}
}

func TestLettersAreOfTheSystemsFonts(t *testing.T) {
	none, fonts := t.TempDir(), t.TempDir()
	must.Do(t, os.MkdirAll(filepath.Join(fonts, "fonts/go"), 0o755))
	for name, content := range map[string][]byte{"go.ttf": goregular.TTF, "broken.ttf": goregular.TTF[:100]} {
		must.Do(t, os.WriteFile(filepath.Join(fonts, "fonts/go", name), content, 0o644))
	}
	for _, name := range []string{"p.png", "p.pdf"} {
		box, _ := titled(t, none, "∪", name)
		drawn, lines := titled(t, fonts, "∪", name)
		if len(lines) > 0 || bytes.Equal(box, drawn) {
			t.Errorf("%s: with a font there are the lines %q, or a box", name, lines)
		}
		if again, _ := titled(t, fonts, "∪", name); !bytes.Equal(again, drawn) {
			t.Errorf("%s: the same letters give other bits", name)
		}
	}
}

// Liberation has Hebrew, which figures would draw from left to right without a word.
func TestLettersThatAreNotJoinedAreSaid(t *testing.T) {
	_, lines := titled(t, t.TempDir(), "שם", "p.png")
	if len(lines) != 1 || !strings.Contains(lines[0], "letters of Hebrew are not joined, and go from left to right") {
		t.Errorf("found %q, expected one line on Hebrew", lines)
	}
}
