package rows_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// codes scans a column of numbers and returns the line about its codes.
func codes(t *testing.T, cells []string) string {
	t.Helper()
	path := datatest.CSV(t, "c,n\n"+strings.Join(cells, ",1\n")+",1\n")
	c, _ := must.Get(rows.ScanFile(config.Data{File: path}, ""))(t).Column("c")
	return strings.ReplaceAll(c.Codes, path, "FILE")
}

// A code for a missing value is said with its first cell, and ordinary numbers are not.
func TestCodesForMissingValues(t *testing.T) {
	heights := func(others ...string) (all []string) {
		for i := range 30 {
			all = append(all, fmt.Sprintf("%.1f", 160+12*math.Sin(float64(i))))
		}
		return append(all, others...)
	}
	for code, want := range map[string]string{
		"-9999": "c has -9999 (1 row), far from all other values, 148 to 171.9", "999": "c has 999 (1 row)", "-99.9": "c has -99.9", "1e20": "c has 1e20", "-32768": "c has -32768",
		"9.96921e+36": "c has 9.96921e+36", "-1e34": "c has -1e34",
		"0": "", "180": "", "250": "", "1720": "", "400": "", "-5": "",
	} {
		if got := codes(t, heights(code)); !strings.Contains(got, want) || (got == "") != (want == "") || want != "" && !strings.HasPrefix(got, "FILE:32: ") {
			t.Errorf("%s: said %q, want %q", code, got, want)
		}
	}
	if got := codes(t, heights("-9998", "-9999", "9999", "-9999")); !strings.HasPrefix(got, "FILE:33: c has -9999 and -9998 and 9999 (4 rows)") {
		t.Errorf("several codes: said %q", got)
	}
	if got := codes(t, heights("5000", "5000")); !strings.Contains(got, "c has 5000 (2 rows)") {
		t.Errorf("a repeated value: said %q", got)
	}
	for _, cells := range [][]string{strings.Fields("0 99 0 99 99"), strings.Fields("1 10 100 1000 10000"), strings.Fields("999 998 997 999 996"), strings.Fields("5 5 5 5")} {
		if got := codes(t, cells); got != "" {
			t.Errorf("%v: said %q", cells, got)
		}
	}
}

// Numbers that are all dates without separators are said, in x, and stay numbers.
func TestDatesWithoutSeparatorsAreSaid(t *testing.T) {
	for text, want := range map[string]string{
		"20200403 20191231 20200101":   "FILE:2: c has 20200403, all its numbers look like dates yyyymmdd, and it takes them for numbers: write 2020-04-03 for a date",
		"20200403.0 NA 2.0200404e7":    "FILE:2: c has 20200403.0, all its numbers",
		"20200403 20191231 20200132":   "",
		"20200403 20191231 -9999":      "",
		"18991231 20200101":            "",
		"21010101 20200101":            "",
		"20200403.5 20200101":          "",
		"2020-04-03 2020-04-04":        "",
		"200403 191231":                "",
		"20200403 20200404 20200404 x": "",
	} {
		path := datatest.CSV(t, "c,n\n"+strings.Join(strings.Fields(text), ",20200101\n")+",20200102\n")
		for _, d := range []config.Data{{File: path, XColumns: []string{"c"}, Missing: config.Drop}, {File: path, YColumns: []string{"c"}, Missing: config.Drop}, {File: path, XColumns: []string{"c"}, Categories: []string{"c"}}} {
			var w warning.Record
			must.Get(rows.ScanFile(d, ""))(t).Layout(d, &w)
			said := strings.ReplaceAll(strings.Join(w.Lines(), "\n"), path, "FILE")
			if want := map[bool]string{true: want}[d.XColumns != nil && d.Categories == nil]; !strings.HasPrefix(said, want) || want == "" && strings.Contains(said, "yyyymmdd") {
				t.Errorf("%s, %+v: said %q, want %q", text, d, said, want)
			}
		}
	}
}

// Heavy tails have few false alarms: at most 1% of columns of incomes in hundreds, of counts and of sizes over four
// decades, of 20 to 500 rows; of 900 of them it was 1.
func TestCodesAmongHeavyTails(t *testing.T) {
	g, said := random.New(11, random.Data), 0
	const columns = 300
	for k := range uint64(columns) {
		var cells []string
		for i := range 20 + 480*k/columns {
			z, u := g.Normal(k, i), g.Float(k, 1000+i)
			cells = append(cells, []string{fmt.Sprintf("%.0f00", 300*math.Exp(0.9*z)), fmt.Sprintf("%.0f", math.Floor(2*math.Pow(1-u, -0.9))), fmt.Sprintf("%.3g", math.Exp(2.3*z))}[k%3])
		}
		if got := codes(t, cells); got != "" {
			said++
			t.Log(got)
		}
	}
	if said > columns/100 {
		t.Errorf("%d of %d columns have codes", said, columns)
	}
}
