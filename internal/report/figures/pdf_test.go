package figures_test

import (
	"bytes"
	"compress/zlib"
	"io"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/report/figures"
	"github.com/acqnp/acqnp/internal/test/must"
)

// streams returns the streams of a PDF, unpacked, and the dictionary before each.
func streams(t *testing.T, content []byte) (dictionaries, unpacked []string) {
	t.Helper()
	for {
		head, rest, ok := bytes.Cut(content, []byte("stream\n"))
		if !ok {
			return dictionaries, unpacked
		}
		body, after, _ := bytes.Cut(rest, []byte("\nendstream"))
		if r, err := zlib.NewReader(bytes.NewReader(body)); err == nil {
			raw := must.Get(io.ReadAll(r))(t)
			dictionaries = append(dictionaries, string(head[bytes.LastIndex(head, []byte(" obj"))+1:]))
			unpacked = append(unpacked, string(raw))
		}
		content = after
	}
}

func TestPDFKeepsTranslucentColours(t *testing.T) {
	p := figures.Panel{Title: "y", Targets: plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}}}
	_, parts := streams(t, save(t, figure(p), "translucent.pdf"))
	// Targets are drawn in c2 4d 8a, more than half of it showing through.
	if page := strings.Join(parts, "\n"); !strings.Contains(page, "0.761 0.302 0.541 rg") {
		t.Errorf("another colour than in the other formats: %v", regexp.MustCompile(`[\d. ]+ rg`).FindAllString(page, 20))
	}
}

func TestPDFDrawsGreekLetters(t *testing.T) {
	fig := figure(figures.Panel{Context: plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}}})
	page := func(title string) string {
		fig.Title = title
		_, parts := streams(t, save(t, fig, "greek.pdf"))
		return strings.Join(parts, "\n")
	}
	latin, greek := page("depth of t"), page("depth of ψ")
	if !strings.Contains(latin, "(depth of t)") {
		t.Fatal("no title where one is looked for")
	}
	if strings.Contains(greek, "depth of") || strings.Count(greek, " c\n") < strings.Count(latin, " c\n")+20 {
		t.Error("a Greek letter is written in a font that has none, not drawn")
	}
}

func TestPDFHasPicturesUpright(t *testing.T) {
	// Blue at the top, nothing at the bottom: vgpdf shows the first row of its file there.
	fig := figure(shadedBy(mixture(likelihood.Gaussian{Mean: 4, Scale: 0.5})))
	heads, parts := streams(t, save(t, fig, "upright.pdf"))
	for i, head := range heads {
		if strings.Contains(head, "/DeviceRGB") {
			if parts[i][1] != 0 { // behind the row's filter; whichever it is, a first pixel is itself
				t.Error("the picture is upside down")
			}
			return
		}
	}
	t.Error("no picture in the file")
}
