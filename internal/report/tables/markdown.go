package tables

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Markdown writes tables in GitHub's flavour, padded so that they read well as plain text.
func (s Summary) Markdown(out io.Writer) error {
	w := bufio.NewWriter(out)
	sh := s.sheet()
	fmt.Fprintf(w, "# %s\n", sh.Title)
	for _, t := range sh.Tables {
		fmt.Fprintf(w, "\n## %s\n\n", t.Title)
		rows := [][]string{{"benchmark", "model", "runs", "context", "paper", "difference", "target", "paper", "difference"}}
		for _, l := range t.Lines {
			rows = append(rows, []string{markdownText(l.Benchmark), markdownText(l.Model) + references(l.Notes), l.Runs,
				l.Context.Ours, l.Context.Paper, l.Context.Difference, l.Target.Ours, l.Target.Paper, l.Target.Difference})
		}
		markdownTable(w, rows, 2)
	}
	for _, t := range sh.Scores {
		fmt.Fprintf(w, "\n## %s\n\n", t.Title)
		rows := [][]string{scoreHeader}
		for _, l := range t.Lines {
			rows = append(rows, append([]string{markdownText(l.Benchmark), markdownText(l.Model) + references(l.Notes)}, l.Cells...))
		}
		markdownTable(w, rows, 2)
	}
	fmt.Fprintln(w)
	for _, l := range sh.Legend {
		fmt.Fprintf(w, "%s  \n", l)
	}
	for i, note := range sh.Notes {
		fmt.Fprintf(w, "\n[%d] %s\n", i+1, markdownText(note))
	}
	markdownFunctions(w, sh)
	if lines := sh.evaluated; len(lines) > 0 {
		fmt.Fprintf(w, "\n## What was evaluated\n\n")
		rows := [][]string{usedHeader}
		for _, l := range lines {
			cells := l.usedCells()
			for i := range cells {
				cells[i] = markdownText(cells[i])
			}
			rows = append(rows, cells)
		}
		markdownTable(w, rows, len(usedHeader))
	}
	return w.Flush()
}

// markdownFunctions writes the tables of functions.
func markdownFunctions(w io.Writer, sh sheet) {
	if len(sh.Functions) == 0 {
		return
	}
	fmt.Fprintf(w, "\n## Functions\n\n%s\n", sh.FunctionLegend())
	for _, t := range sh.Functions {
		fmt.Fprintf(w, "\n### %s\n\n", markdownText(t.Title))
		rows := [][]string{functionHeader}
		for _, cells := range t.Rows {
			rows = append(rows, append([]string{markdownText(cells[0])}, cells[1:]...))
		}
		markdownTable(w, rows, 1)
	}
}

// references returns the numbers of a line's notes.
func references(notes []int) string {
	var b strings.Builder
	for _, n := range notes {
		fmt.Fprintf(&b, " [%d]", n)
	}
	return b.String()
}

// markdownTable writes a table with padded cells. Columns from right on hold numbers and are
// aligned to the right.
func markdownTable(w io.Writer, rows [][]string, right int) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for r, row := range rows {
		for i, cell := range row {
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

// markdownText escapes a name from a file.
func markdownText(s string) string { return markdownEscapes.Replace(s) }
