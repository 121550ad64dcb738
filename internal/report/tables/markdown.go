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
	for _, b := range sh.blocks() {
		if b.heading != "" {
			fmt.Fprintf(w, "\n%s %s\n", strings.Repeat("#", b.level), markdownText(b.heading))
		}
		if len(b.lines) > 0 {
			fmt.Fprintf(w, "\n%s\n", markdownText(strings.Join(b.lines, "  \n"))) // two spaces end a line
		}
		if len(b.rows) > 0 {
			fmt.Fprintln(w)
			markdownTable(w, b.rows, b.texts)
		}
	}
	return w.Flush()
}

// markdownTable writes a table with padded cells. The columns from right on are aligned to the right.
func markdownTable(w io.Writer, rows [][]string, right int) {
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
