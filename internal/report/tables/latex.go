package tables

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

// LaTeX writes a complete document. Its tables can be copied into others; they need the package
// booktabs.
func (s Summary) LaTeX(out io.Writer) error {
	w := bufio.NewWriter(out)
	sh := s.sheet()
	fmt.Fprintf(w, `\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage[margin=2cm]{geometry}
\usepackage{booktabs}
\begin{document}
\title{%s}\date{}\maketitle
`, latexText(sh.Title))
	for _, b := range sh.blocks() {
		if b.heading != "" {
			fmt.Fprintf(w, "\n\\%ssection*{%s}\n", strings.Repeat("sub", b.level-2), latexText(b.heading))
		}
		for _, l := range b.lines {
			fmt.Fprintf(w, "\n\\noindent %s\n", latexText(l))
		}
		if len(b.rows) > 0 {
			latexTable(w, b.rows, b.texts)
		}
	}
	fmt.Fprintln(w, `\end{document}`)
	return w.Flush()
}

// latexTable writes a table. Its first columns hold texts, the others numbers.
func latexTable(w io.Writer, rows [][]string, texts int) {
	const longest = 24 // letters of a column that does not wrap
	var columns strings.Builder
	for i := range rows[0] {
		letters, column := 0, "r"
		for _, row := range rows {
			letters = max(letters, utf8.RuneCountInString(row[i]))
		}
		switch {
		case i < texts && letters > longest:
			column = "p{4.2cm}"
		case i < texts:
			column = "l"
		}
		columns.WriteString(column)
	}
	fmt.Fprintf(w, "\n\\begin{center}\\footnotesize\\setlength{\\tabcolsep}{3pt}\n\\begin{tabular}{@{}%s@{}}\n\\toprule\n", &columns)
	for r, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			if cells[i] = latexText(cell); i >= texts {
				cells[i] = latexNumbers.Replace(cell)
			}
		}
		fmt.Fprintln(w, strings.Join(cells, " & "), `\\`)
		if r == 0 {
			fmt.Fprintln(w, `\midrule`)
		}
	}
	fmt.Fprint(w, "\\bottomrule\n\\end{tabular}\n\\end{center}\n")
}

var latexNumbers = strings.NewReplacer("±", `$\pm$`, "-", "$-$", "+", "$+$", oneRun, `$^\dagger$`, oneBatch, `$^\ddagger$`, absent, "--", "%", `\%`, jointly, `\S`)

var latexEscapes = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`,
	"[", "{[}", "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`, "\"", "''", "`", "'",
	"±", `$\pm$`, "√", `$\surd$`, "²", "$^2$", "−", "$-$", oneRun, `$^\dagger$`, oneBatch, `$^\ddagger$`, absent, "--", jointly, `\S{}`)

// latexText escapes a text that may hold a name from a file. It replaces letters that pdflatex's
// fonts lack by question marks.
func latexText(s string) string {
	known := strings.Map(func(c rune) rune {
		if c > 0xff && !strings.ContainsRune("√−†‡–", c) || c >= 0x80 && c < 0xc0 && !strings.ContainsRune("±²§", c) || strings.ContainsRune("Ðð×÷Þþ", c) {
			return '?'
		}
		return c
	}, s)
	raised := latexNotes.ReplaceAllString(latexEscapes.Replace(known), "$$^{${1}}$$")
	return strings.ReplaceAll(raised, "}$$^{", ",")
}

// latexNotes matches the number of a note after it was escaped. Numbers stand above the line.
var latexNotes = regexp.MustCompile(`(?:^| )\{\[\}(\d+)\]`)
