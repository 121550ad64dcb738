package docs

import (
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const digits = `[-−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e-?\d+)?`

var (
	number   = regexp.MustCompile(`(?:^|[^\w.])(` + digits + `)`)
	measured = regexp.MustCompile(`[.e%]| [a-zA-Z]`) // a number with decimals, an exponent or a unit
	quantity = regexp.MustCompile(number.String() +
		`(?:%| (?:ms|s|min|h|seconds|minutes|hours|KB|MB|GB|MiB|GiB|times|nats)\b)?`)
	code    = regexp.MustCompile("`[^`]*`|https?://\\S+")
	docLink = regexp.MustCompile(`\]\(([^)#:]+\.md)(#[^)]*)?\)`)
)

// unmeasured lists the quantities of a page that were not measured. Pages with a list have their other
// quantities from the sections that they link.
var unmeasured = map[string]map[string]string{
	"README.md": {
		"1.26": "a version of Go",
		"90%":  "the probability of an interval",
	},
	"docs/tutorial/first-model.md": {
		"1.26": "a version of Go",
	},
	"docs/tutorial/the-paper.md": {},
	"docs/explanation/calibration.md": {
		"50%": "the probability of an interval",
		"90%": "the probability of an interval",
		"95%": "the probability of an interval",
		"80%": "a bound of a theorem",
	},
	"docs/results/index.md": {
		"1e-10": "a tolerance of internal/test/golden",
		"2e-5":  "a tolerance of internal/test/golden",
		"2.15":  "a version of PyTorch",
	},
}

// A block is a paragraph, an item of a list or a table of a page.
type block struct {
	line  int
	text  string   // without code and the targets of links
	links []string // sections of docs, FILE#HEADING; those of a table are in the paragraph before it
}

// blocks divides a page. It leaves out code.
func blocks(t *testing.T, name string) (all []block) {
	t.Helper()
	var lines []string
	begin := 0
	end := func() {
		whole := strings.Join(lines, " ")
		lines = nil
		if whole == "" {
			return
		}
		b := block{line: begin, text: target.ReplaceAllString(code.ReplaceAllString(whole, ""), "]")}
		for _, m := range docLink.FindAllStringSubmatch(whole, -1) {
			if file := path.Join(path.Dir(name), m[1]); strings.HasPrefix(file, "docs/") {
				b.links = append(b.links, file+m[2])
			}
		}
		if strings.HasPrefix(whole, "|") && len(all) > 0 {
			b.links = all[len(all)-1].links
		}
		all = append(all, b)
	}
	for i, line := range strings.Split(read(t, name), "\n") {
		if line == "" || strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "#") {
			end()
			continue
		}
		if strings.HasPrefix(line, "- ") {
			end()
		}
		if lines == nil {
			begin = i + 1
		}
		lines = append(lines, strings.TrimSpace(line))
	}
	end()
	return all
}

// section returns the part of a text from the heading with an anchor to the next heading of its level or
// above.
func section(text, anchor string) string {
	var found []string
	level := 0
	for line := range strings.SplitSeq(text, "\n") {
		marks := len(line) - len(strings.TrimLeft(line, "#"))
		switch {
		case marks > 0 && level > 0 && marks <= level:
			return strings.Join(found, "\n")
		case marks > 0 && level == 0 && slices.Contains(headings(line), anchor):
			level = marks
		}
		if level > 0 {
			found = append(found, line)
		}
	}
	return strings.Join(found, "\n")
}

// numbers returns the matches of number or quantity in a text.
func numbers(pattern *regexp.Regexp, text string) (found []string) {
	for _, m := range pattern.FindAllStringSubmatchIndex(text, -1) {
		found = append(found, text[m[2]:m[1]])
	}
	return found
}

// The numbers of sections: all, and those of their tables. The whole of docs/league.md is made from
// tables.
type figures struct{ all, tables []string }

func (f *figures) add(t *testing.T, link string) {
	t.Helper()
	file, anchor, _ := strings.Cut(link, "#")
	text := section(read(t, file), anchor)
	f.all = append(f.all, numbers(number, text)...)
	if file == "docs/league.md" {
		f.tables = append(f.tables, numbers(number, text)...)
	}
	f.tables = append(f.tables, inTables(text)...)
}

// inTables returns the numbers of a text's tables.
func inTables(text string) (found []string) {
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "|") {
			found = append(found, numbers(number, line)...)
		}
	}
	return found
}

// has reports whether a table has a figure. Prose may round to two decimals or more, and leave out a
// sign that its words state.
func (f *figures) has(figure string) bool {
	plain := strings.NewReplacer("−", "-", ",", "")
	want := plain.Replace(figure)
	_, decimals, _ := strings.Cut(want, ".")
	for _, known := range f.tables {
		have := plain.Replace(known)
		if have == want || have == "-"+want {
			return true
		}
		x, err := strconv.ParseFloat(have, 64)
		if err != nil || len(decimals) < 2 {
			continue
		}
		if want[0] != '-' {
			x = math.Abs(x)
		}
		if strconv.FormatFloat(x, 'f', len(decimals), 64) == want {
			return true
		}
	}
	return false
}

func TestProseMayRoundFigures(t *testing.T) {
	f := figures{tables: []string{"−0.242", "1,234", "0.450"}}
	for figure, want := range map[string]bool{
		"−0.242": true, "0.242": true, "0.24": true, "−0.24": true, "0.2": false, "0.25": false,
		"1,234": true, "0.45": true, "−0.45": false, "+0.45": false,
	} {
		if got := f.has(figure); got != want {
			t.Errorf("has(%q) = %t, want %t", figure, got, want)
		}
	}
}

// TestFiguresAreInTheLinkedSections wants each measured quantity to stand in a block that links a section
// of docs, and in a table of it. Counts may stand in the section's prose. So the test fails if a figure
// changes on one side alone.
func TestFiguresAreInTheLinkedSections(t *testing.T) {
	for name, given := range unmeasured {
		unused := maps.Clone(given)
		for _, b := range blocks(t, name) {
			var known figures
			for _, link := range b.links {
				known.add(t, link)
			}
			for _, figure := range numbers(quantity, b.text) {
				value, _, _ := strings.Cut(strings.TrimSuffix(figure, "%"), " ")
				if _, is := given[figure]; is {
					delete(unused, figure)
				} else if measured.MatchString(figure) && !known.has(value) {
					t.Errorf("%s:%d: %q is in no table of the linked sections %q", name, b.line, figure, b.links)
				} else if known.all != nil && !known.has(value) && !slices.Contains(known.all, value) {
					t.Errorf("%s:%d: %q is not in the linked sections %q", name, b.line, figure, b.links)
				}
			}
		}
		for figure := range unused {
			t.Errorf("unmeasured has %q, which %s lacks", figure, name)
		}
	}
}

// alone lists the figures that stand in no table: each is one that its sentence alone needs.
var alone = map[string][]string{
	"docs/results/notebook.md": {
		"−3.252", "−3.364", // two seeds of the adaptor's start alone
		"0.0003", "0.0008", "0.0002", // spans of untrained models, and of those that never spread
		"−0.512",           // a transformer of three layers on sawtooth
		"0.268",            // the quickstart after 60,000 steps
		"−3.016", "−2.895", // cefamandole by earlier versions
	},
	"docs/results/own-data.md": {
		"−0.0025", "0.0018", "0.0013", // what three dropped ideas gain
		"−0.011", // the mean difference by the natural scale without grunfeld
	},
	"docs/results/paper.md":        {"1.531", "0.134"},                   // the mean of three targets; the paper's BNP on double sine
	"docs/results/transformers.md": {"0.008", "0.002", "0.010", "0.001"}, // paired differences of two rows
}

// TestProseOfResultsAgreesWithItsTables wants each figure of three decimals or more that a page of results
// states to stand in a table of the page, or of a section that the paragraph links.
func TestProseOfResultsAgreesWithItsTables(t *testing.T) {
	for _, name := range texts(t) {
		if !strings.HasPrefix(name, "docs/results/") {
			continue
		}
		unused := slices.Clone(alone[name])
		page := inTables(read(t, name))
		for _, b := range blocks(t, name) {
			if strings.HasPrefix(b.text, "|") {
				continue
			}
			known := figures{tables: slices.Clone(page)}
			for _, link := range b.links {
				known.add(t, link)
			}
			for _, figure := range numbers(number, b.text) {
				_, decimals, _ := strings.Cut(figure, ".")
				unused = slices.DeleteFunc(unused, func(s string) bool { return s == figure })
				if len(decimals) >= 3 && !strings.Contains(figure, "e") && !slices.Contains(alone[name], figure) && !known.has(figure) {
					t.Errorf("%s:%d: %q is in no table of the page", name, b.line, figure)
				}
			}
		}
		if len(unused) > 0 {
			t.Errorf("alone has %q, which %s lacks", unused, name)
		}
	}
}

// TestTheQuickstartTakesNoLongerThanTheReadmeSays compares the longest time that the README states with
// the longest of docs/results/quickstart.md.
func TestTheQuickstartTakesNoLongerThanTheReadmeSays(t *testing.T) {
	longest := func(text string) (most int) {
		for _, m := range regexp.MustCompile(`(?:(\d+) min )?(\d+) s\b`).FindAllStringSubmatch(text, -1) {
			minutes, _ := strconv.Atoi(m[1])
			seconds, _ := strconv.Atoi(m[2])
			most = max(most, 60*minutes+seconds)
		}
		return most
	}
	const quickstart = "docs/results/quickstart.md"
	said, took := longest(section(read(t, "README.md"), "start")), longest(section(read(t, quickstart), "training"))
	if took == 0 || said < took {
		t.Errorf("the README says that the quickstart takes %d s, %s that it took %d s", said, quickstart, took)
	}
}
