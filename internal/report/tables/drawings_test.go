package tables_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/report/tables"
	"github.com/acqnp/acqnp/internal/test/must"
)

func TestPageHoldsDrawingsOfFirstRuns(t *testing.T) {
	s, _ := summarize(t, own(t))
	var drawn []float64
	must.Do(t, s.Draw(func(means score.Means, groups []score.Group) ([]tables.Drawing, error) {
		drawn = append(drawn, means.LogDensity.Mean)
		return []tables.Drawing{{Title: "A", Alt: groups[1].Group, Width: 40, Height: 30, SVG: []byte("<svg/>")}}, nil
	}))
	if fmt.Sprint(drawn) != "[-6 -4]" {
		t.Errorf("drawn %v, want the first run of each row with scores", drawn)
	}
	page := text(t, s.HTML)
	for _, want := range []string{
		`src="data:image/svg+xml;base64,` + base64.StdEncoding.EncodeToString([]byte("<svg/>")) + `" width="40" height="30" alt="A of school.csv: CQNP, steps=300. p2"`,
		"&lt;script&gt;alert",
	} {
		if !strings.Contains(strings.ReplaceAll(page, "&#43;", "+"), want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if strings.Contains(page, "<script") || strings.Contains(page, "://") {
		t.Error("the page has a script or an address")
	}
}

func TestDrawingsAreBounded(t *testing.T) {
	root := t.TempDir()
	for i := range 23 {
		addOwn(t, root, fmt.Sprint(i), ownEval(-6), "a.csv", 300+i, 0)
	}
	s, _ := summarize(t, root)
	must.Do(t, s.Draw(func(score.Means, []score.Group) ([]tables.Drawing, error) {
		return []tables.Drawing{{Title: "A", SVG: []byte("<svg/>")}}, nil
	}))
	if page := text(t, s.HTML); strings.Count(page, "<img") != 20 || !strings.Contains(page, "left out for their number: 3.") {
		t.Errorf("%d pictures, want 20 of 23", strings.Count(page, "<img"))
	}
}
