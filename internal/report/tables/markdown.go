package tables

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Markdown writes tables in GitHub's flavour, padded so that they read well as plain text.
func (s Summary) Markdown(out io.Writer) error {
	w := markdownWriter{bufio.NewWriter(out)}
	sh := s.sheet()
	w.heading(1, sh.Title)
	for _, t := range sh.Results {
		w.table(2, t)
	}
	w.paragraph(sh.Legend...)
	for i, note := range sh.Notes {
		w.paragraph(fmt.Sprintf("[%d] %s", i+1, note))
	}
	if len(sh.Groups) > 0 {
		w.heading(2, "Groups")
		w.paragraph(sh.GroupLegend)
	}
	for _, t := range sh.Groups {
		w.table(3, t)
	}
	if len(sh.Used.Rows) > 0 {
		w.table(2, sh.Used)
	}
	return w.Flush()
}

// A markdownWriter writes the parts of a document. Texts may hold names from files.
type markdownWriter struct{ *bufio.Writer }

func (w markdownWriter) heading(level int, text string) {
	if level > 1 {
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%s %s\n", strings.Repeat("#", level), markdownText(text))
}

func (w markdownWriter) paragraph(lines ...string) {
	if len(lines) > 0 {
		fmt.Fprintf(w, "\n%s\n", markdownText(strings.Join(lines, "  \n"))) // two spaces end a line
	}
}

// table writes a table below its title, with padded cells. Numbers are aligned to the right. The second cell
// ends with the numbers of its notes: "ACQNP [1] [3]".
func (w markdownWriter) table(level int, t textTable) {
	w.heading(level, t.Title)
	fmt.Fprintln(w)
	rows, widths := [][]string{t.Header}, make([]int, len(t.Header))
	for _, row := range t.Rows {
		cells := slices.Clone(row.Cells)
		for _, n := range row.Notes {
			cells[1] += fmt.Sprintf(" [%d]", n)
		}
		rows = append(rows, cells)
	}
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(markdownText(cell)))
		}
	}
	for r, row := range rows {
		for i, cell := range row {
			width := widths[i]
			if i < t.Names {
				width = -width // aligned to the left
			}
			fmt.Fprintf(w, "| %*s ", width, markdownText(cell))
		}
		fmt.Fprintln(w, "|")
		if r > 0 {
			continue
		}
		for i, width := range widths {
			end := "-"
			if i >= t.Names {
				end = ":"
			}
			fmt.Fprintf(w, "| %s%s ", strings.Repeat("-", width-1), end)
		}
		fmt.Fprintln(w, "|")
	}
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "*", `\*`, "`", "\\`", "](", `]\(`)

// atEdge matches an underscore that begins or ends a word, which may be the mark of an italic word.
var atEdge = regexp.MustCompile(`(^|[^\pL\pN_])_|_([^\pL\pN_]|$)`)

// markdownText escapes a text that may hold a name from a file.
func markdownText(s string) string {
	s = markdownEscapes.Replace(s)
	if atEdge.MatchString(s) {
		s = strings.ReplaceAll(s, "_", `\_`)
	}
	return s
}
