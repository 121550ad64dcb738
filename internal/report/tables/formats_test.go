package tables_test

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/report/tables"
	"github.com/acqnp/acqnp/internal/test/must"
)

// hostile is a name with special characters of every format.
const hostile = "<script>alert(\"1\")</script>|&%$#_{}~^\\ `x`](javascript:1)\n\x1b[31m'; 字 _x_"

// some returns a directory with several seeds, a single run, one batch, and a stray name.
func some(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for seed := range 3 {
		addRun(t, root, fmt.Sprint("l/", seed), lissajous(0.9+0.05*float64(seed), 0.6), seed, "")
	}
	e := evalJSON{benchmark: "speed-flow", model: "bnp", batches: 1, context: -40, contextE: -1, target: 1e300 / 1e294, targetE: -1, step: 100}
	addRun(t, root, "s", e, 0, "")
	e = lissajous(-1.5, -2)
	e.benchmark, e.model, e.levels = hostile, hostile, hostile
	must.Write(t, e.String(), root, "h", "eval.json")
	return root
}

func TestOutputIsTheSameEveryTime(t *testing.T) {
	root := some(t)
	for _, name := range tables.FormatNames() {
		format := must.Get(tables.FindFormat(name, ""))(t)
		written := func() string {
			s, _ := summarize(t, root)
			return text(t, func(w io.Writer) error { return format.Write(s, w) })
		}
		want := written()
		for range 3 { // map order would show
			if got := written(); got != want {
				t.Errorf("%s differs between two calls:\n%s", name, cmp.Diff(want, got))
			}
		}
	}
}

func TestMarkdownTablesHold(t *testing.T) {
	s, _ := summarize(t, some(t))
	md := text(t, s.Markdown)
	cells := 0
	for row := range strings.Lines(md) {
		if !strings.HasPrefix(row, "|") {
			cells = 0
			continue
		}
		n := strings.Count(strings.ReplaceAll(row, `\|`, ""), "|")
		if cells != 0 && n != cells {
			t.Errorf("%d cells where the table has %d: %s", n-1, cells-1, row)
		}
		cells = n
	}
	for _, bad := range []string{"<script", "](java", "\x1b", "_x_"} {
		if strings.Contains(md, bad) {
			t.Errorf("markdown holds %q:\n%s", bad, md)
		}
	}
	for _, want := range []string{"| Lissajous ", "0.950 ± 0.050", "+0.4", "| 1e+06‡"} {
		if !strings.Contains(md, want) {
			t.Errorf("no %q in\n%s", want, md)
		}
	}
}

func TestCSVHasEveryNumberInFull(t *testing.T) {
	s, _ := summarize(t, some(t))
	records := records(t, s)
	header := []string{"benchmark", "model", "part", "ours_mean", "ours_sd", "runs", "paper_mean", "paper_sd", "difference_in_errors"}
	must.Same(t, header, records[0][:len(header)])
	if len(records) != 1+2*3 {
		t.Errorf("%d records, want 7", len(records))
	}
	c := s.Tables[0].Rows[0].Context
	got := records[1]
	for i, want := range map[int]float64{3: *c.Mean, 4: *c.SD, 6: 0.929, 7: 0.038, 8: *c.Difference} {
		if v, err := strconv.ParseFloat(got[i], 64); err != nil || v != want {
			t.Errorf("%s is %q, want %v", header[i], got[i], want)
		}
	}
	must.Same(t, []string{"lissajous", "acqnp", "context", "3"}, []string{got[0], got[1], got[2], got[5]})
	must.Same(t, []string{"", "0 1 2", "100000", "5000", "100", "random", "", ""}, got[9:])
	if last := records[5]; last[0] != hostile || last[6] != "" || last[8] != "" {
		t.Errorf("record %q of what the paper does not have", last)
	}
}

// voids are HTML elements without an end tag.
var voids = []string{"meta", "link", "img", "br", "!DOCTYPE"}

func TestPageIsWellFormedAndAlone(t *testing.T) {
	s, _ := summarize(t, some(t))
	page := text(t, s.HTML)
	var open []string
	for _, m := range regexp.MustCompile(`<(/?)([!a-zA-Z0-9]+)((?:[^>"]|"[^"]*")*)>`).FindAllStringSubmatch(page, -1) {
		name := m[2]
		switch {
		case slices.Contains(voids, name) || strings.HasSuffix(m[3], "/"):
		case m[1] == "":
			open = append(open, name)
		case len(open) == 0 || open[len(open)-1] != name:
			t.Fatalf("</%s> closes %v", name, open)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("%v are left open", open)
	}
	for _, bad := range []string{"<script", "http://", "https://", "@import", "NaN", "Inf", "ZgotmplZ", "\x1b"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	for _, m := range regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(m[1], "data:") && !strings.HasPrefix(m[1], "#") {
			t.Errorf("the page asks for %s", m[1])
		}
	}
	for _, want := range []string{"&lt;script&gt;alert", "0.950 ± 0.050", "−40.000‡", `name="viewport"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
