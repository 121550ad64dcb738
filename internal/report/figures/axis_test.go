package figures_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/report/figures"
)

// labels returns the texts of a picture whose x runs from lo to hi.
func labels(t *testing.T, form datasets.Form, lo, hi float64) []string {
	t.Helper()
	fig := figure(figures.Panel{Context: plotter.XYs{{X: lo, Y: 0}, {X: hi, Y: 1}}})
	fig.X = figures.Axis{Name: "when", Form: form}
	var texts []string
	for _, m := range regexp.MustCompile(`>([^<>]+)</text>`).FindAllStringSubmatch(string(save(t, fig, "axis.svg")), -1) {
		texts = append(texts, m[1])
	}
	return texts
}

func TestDatesAreWrittenAsDates(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64 // days since 2024-02-27
		want   string
	}{
		{0, 1, "02-27 12:00"},
		{0, 6, "2024-02-29"},
		{0, 6, "2024-03-01"},
		{-3, 40, "2024-03-01"},
		{0, 300, "2024-07"},
		{0, 900, "2025-01"},
		{-4000, 4000, "2020"},
		{-300000, 300000, "2000"},
		{-1e9, 1e9, "5e+08"},
		{0.25, 0.251, "0.2505"},
	} {
		texts := labels(t, datasets.Form{Origin: "2024-02-27"}, c.lo, c.hi)
		if !slices.Contains(texts, c.want) || !slices.Contains(texts, "when") || len(texts) > 30 {
			t.Errorf("from %g to %g: %q, want %q among them", c.lo, c.hi, texts, c.want)
		}
	}
}

func TestNamesAreWrittenAsNames(t *testing.T) {
	if texts := labels(t, datasets.Form{Categories: []string{"none", "low", "keto"}}, 0, 2); !slices.Contains(texts, "low") || !slices.Contains(texts, "keto") {
		t.Errorf("%q", texts)
	}
	many := make([]string, 400)
	for i := range many {
		many[i] = strings.Repeat("x", 100)
	}
	for _, text := range labels(t, datasets.Form{Categories: many}, 0, 399) {
		if strings.Count(text, "x") > 20 {
			t.Errorf("a label %q", text)
		}
	}
}
