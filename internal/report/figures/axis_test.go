package figures_test

import (
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/report/figures"
)

// labels returns the texts of a picture whose x runs from lo to hi.
func labels(t *testing.T, form rows.Form, lo, hi float64) []string {
	t.Helper()
	fig := figure(figures.Panel{Context: plotter.XYs{{X: lo, Y: 0}, {X: hi, Y: 1}}})
	fig.X = figures.Axis{Name: "when", Form: form, Log: form.Log}
	return texts(t, save(t, fig, "axis.svg"))
}

func TestDatesAreWrittenAsDates(t *testing.T) {
	const noon = "2024-02-27T12:00:00Z" // from which the times of one day are counted
	for _, c := range []struct {
		origin string
		lo, hi float64 // days since the origin
		want   []string
	}{
		{"2024-02-27", 0, 6, []string{"2024-02-29", "2024-03-01"}},
		{"2024-02-27", -3, 40, []string{"2024-03-01"}},
		{"2024-02-27", 0, 300, []string{"2024-07"}},
		{"2024-02-27", 0, 900, []string{"2025-01"}},
		{"2024-02-27", -4000, 4000, []string{"2020"}},
		{"2024-02-27", -300000, 300000, []string{"2000"}},
		{"2024-02-27", -1e9, 1e9, []string{"5e+08"}},
		{"2024-02-27", 0, 1, []string{"00:00", "2024-02-27", "12:00", "02-28"}},
		{"2024-02-27", 0.25, 0.251, []string{"06:00:30", "06:01:00", "2024-02-27"}},
		{"2024-02-27", 0.25, 0.25001, []string{"0.250005"}}, // less than a second
		{noon, 0, 2, []string{"2024-02-27", "18:00", "02-28", "06:00", "02-29"}},
		{noon, 0.01, 0.12, []string{"12:30", "14:30", "2024-02-27"}},
		{noon, 3, 30, []string{"2024-03-08"}},
	} {
		found := labels(t, rows.Form{Origin: c.origin}, c.lo, c.hi)
		for _, want := range append(c.want, "when") {
			if !slices.Contains(found, want) || len(found) > 30 {
				t.Errorf("from %g to %g after %s: %q, want %q among them", c.lo, c.hi, c.origin, found, want)
			}
		}
	}
}

func TestLogAxesHaveRoundTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi      float64
		want, never string
	}{
		{0.01, 1000, "0.1", "3"},
		{2, 90, "5", "30"},
		{1e-30, 1e30, "1", "10"},
		{20, 30, "25", "10"}, // one of 1, 2 and 5 times a power of ten
	} {
		found := labels(t, rows.Form{Log: true}, c.lo, c.hi)
		if n := len(found); n > 30 || !slices.Contains(found, c.want) || slices.Contains(found, c.never) {
			t.Errorf("from %g to %g: %q, want %s among them and not %s", c.lo, c.hi, found, c.want, c.never)
		}
	}
}

func TestNamesAreWrittenAsNames(t *testing.T) {
	found := labels(t, rows.Form{Categories: []string{"none", "low", "keto"}}, 0, 2)
	if !slices.Contains(found, "low") || !slices.Contains(found, "keto") {
		t.Errorf("%q", found)
	}
	many := make([]string, 400)
	for i := range many {
		many[i] = strings.Repeat("x", 100)
	}
	for _, text := range labels(t, rows.Form{Categories: many}, 0, 399) {
		if strings.Count(text, "x") > 20 {
			t.Errorf("a label %q", text)
		}
	}
}
