package figures_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/report/figures"
)

// An SVG is XML whatever the names of groups and columns are. XML has no control characters.
func TestNamesOfAnySVG(t *testing.T) {
	o := tiny(t, "cnp", 2)
	o.Units.XNames, o.Units.YNames = []string{"flow"}, []string{"speed\x1b[31m<&", "noise"}
	f := lanes()[0]
	f.Name = "a\x00b\x08\xffc \u202e"
	panels := curves(t, o, figures.Subject{Function: f})
	svg := save(t, figure(panels...), "names.svg")
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	texts := ""
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok {
			texts += string(text)
		}
	}
	for _, want := range []string{`a\x00b\b\xffc`, `speed\x1b[31m<&`} {
		if !strings.Contains(texts, want) {
			t.Errorf("the drawing has no %q in %q", want, texts)
		}
	}
}
