package tables

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Markdown writes tables in GitHub's flavour, padded so that they read well as plain text.
func (s Summary) Markdown(out io.Writer) error {
	w := markdownWriter{bufio.NewWriter(out)}
	sh := s.sheet()
	w.heading(1, sh.Title)
	for _, t := range sh.Tables {
		rows := [][]string{{"benchmark", "model", "runs", "context", "paper", "difference", "target", "paper", "difference"}}
		for _, l := range t.Lines {
			rows = append(rows, []string{l.Benchmark, l.cited(), l.Runs,
				l.Context.Ours, l.Context.Paper, l.Context.Difference, l.Target.Ours, l.Target.Paper, l.Target.Difference})
		}
		w.heading(2, t.Title)
		w.table(rows, 2)
	}
	for _, t := range sh.Scores {
		rows := [][]string{scoreHeader}
		for _, l := range t.Lines {
			rows = append(rows, slices.Concat([]string{l.Benchmark, l.cited()}, l.Cells))
		}
		w.heading(2, t.Title)
		w.table(rows, 2)
	}
	w.paragraph(sh.Legend...)
	for i, note := range sh.Notes {
		w.paragraph(fmt.Sprintf("[%d] %s", i+1, note))
	}
	if len(sh.Functions) > 0 {
		w.heading(2, "Groups")
		w.paragraph(sh.FunctionLegend())
	}
	for _, t := range sh.Functions {
		w.heading(3, t.Title)
		w.table(slices.Concat([][]string{functionHeader}, t.Rows), 1)
	}
	if len(sh.evaluated) > 0 {
		rows := [][]string{usedHeader}
		for _, l := range sh.evaluated {
			rows = append(rows, l.usedCells())
		}
		w.heading(2, "What was evaluated")
		w.table(rows, len(usedHeader))
	}
	return w.Flush()
}

// cited returns the model with the numbers of its notes: "ACQNP [1] [3]".
func (l line) cited() string {
	text := l.Model
	for _, n := range l.Notes {
		text += fmt.Sprintf(" [%d]", n)
	}
	return text
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

// table writes rows with padded cells, the first of which names the columns. Columns from right on are
// aligned to the right.
func (w markdownWriter) table(rows [][]string, right int) {
	fmt.Fprintln(w)
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(markdownText(cell)))
		}
	}
	for r, row := range rows {
		for i, cell := range row {
			cell = markdownText(cell)
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i >= right {
				cell = pad + cell
			} else {
				cell += pad
			}
			fmt.Fprintf(w, "| %s ", cell)
		}
		fmt.Fprintln(w, "|")
		if r > 0 {
			continue
		}
		for i, width := range widths {
			end := "-"
			if i >= right {
				end = ":"
			}
			fmt.Fprintf(w, "| %s%s ", strings.Repeat("-", width-1), end)
		}
		fmt.Fprintln(w, "|")
	}
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "*", `\*`, "`", "\\`", "](", `]\(`)

// markdownText escapes a text that may hold a name from a file.
func markdownText(s string) string { return markdownEscapes.Replace(s) }
