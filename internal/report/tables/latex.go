package tables

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// LaTeX writes a complete document. Its tables can be copied into others; they need the package
// booktabs.
func (s Summary) LaTeX(out io.Writer) error {
	w := bufio.NewWriter(out)
	sh := s.sheet()
	fmt.Fprint(w, `\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage[margin=2cm]{geometry}
\usepackage{booktabs}
\begin{document}
`)
	for _, t := range sh.Tables {
		latexTable(w, t)
	}
	for _, t := range sh.Scores {
		latexScores(w, t)
	}
	fmt.Fprint(w, "\n\\noindent ")
	for _, l := range sh.Legend {
		fmt.Fprintf(w, "%s\\\\\n", latexText(l))
	}
	for i, note := range sh.Notes {
		fmt.Fprintf(w, "$^{%d}$ %s\\\\\n", i+1, latexText(note))
	}
	latexFunctions(w, sh)
	latexUsed(w, sh.evaluated)
	fmt.Fprintln(w, `\end{document}`)
	return w.Flush()
}

// shortModel is the largest number of letters of a model's name in a column that does not wrap. If
// a table has longer names, as variants have, its column of models wraps and its font is smaller.
const shortModel = 12

// latexColumn returns the size of the font and the column of the models.
func latexColumn(lines []line) (size, column string) {
	if slices.ContainsFunc(lines, func(l line) bool { return utf8.RuneCountInString(l.Model) > shortModel }) {
		return `\footnotesize\setlength{\tabcolsep}{3pt}`, "p{4.2cm}"
	}
	return `\small`, "l"
}

// latexModel returns the model with the numbers of its notes.
func latexModel(l line) string {
	if len(l.Notes) == 0 {
		return latexText(l.Model)
	}
	return latexText(l.Model) + "$^{" + strings.ReplaceAll(strings.Trim(fmt.Sprint(l.Notes), "[]"), " ", ",") + "}$"
}

// startBenchmark writes the space above the first line of a benchmark and returns its name, or "" for
// other lines.
func startBenchmark(w io.Writer, l line, i int) string {
	if !l.First {
		return ""
	}
	if i > 0 {
		fmt.Fprintln(w, `\addlinespace`)
	}
	return latexText(l.Benchmark)
}

func latexTable(w io.Writer, t sheetTable) {
	size, column := latexColumn(t.Lines)
	fmt.Fprintf(w, `
\begin{table}[htbp]\centering%s
\caption{%s: log-likelihoods beside the paper's.}
\begin{tabular}{@{}l%sr rrr rrr@{}}
\toprule
& & & \multicolumn{3}{c}{context} & \multicolumn{3}{c}{target} \\
\cmidrule(lr){4-6}\cmidrule(l){7-9}
benchmark & model & runs & ours & paper & diff. & ours & paper & diff. \\
\midrule
`, size, latexText(t.Title), column)
	for i, l := range t.Lines {
		benchmark := startBenchmark(w, l, i)
		cells := []string{benchmark, latexModel(l)}
		for _, c := range []string{l.Runs, l.Context.Ours, l.Context.Paper, l.Context.Difference, l.Target.Ours, l.Target.Paper, l.Target.Difference} {
			cells = append(cells, latexNumber(c))
		}
		fmt.Fprintln(w, strings.Join(cells, " & "), `\\`)
	}
	fmt.Fprint(w, "\\bottomrule\n\\end{tabular}\n\\end{table}\n")
}

func latexUsed(w io.Writer, lines []line) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(w, "\n\\begin{table}[htbp]\\centering\\small\n\\caption{What was evaluated.}\n\\begin{tabular}{@{}lllllll@{}}\n\\toprule\n%s \\\\\n\\midrule\n",
		strings.Join(usedHeader, " & "))
	for _, l := range lines {
		cells := l.usedCells()
		for i := range cells {
			cells[i] = latexText(cells[i])
		}
		fmt.Fprintln(w, strings.Join(cells, " & "), `\\`)
	}
	fmt.Fprint(w, "\\bottomrule\n\\end{tabular}\n\\end{table}\n")
}

var latexNumbers = strings.NewReplacer("±", `$\pm$`, "-", "$-$", "+", "$+$", oneRun, `$^\dagger$`, oneBatch, `$^\ddagger$`, absent, "--", "%", `\%`, jointly, `\S`)

func latexNumber(s string) string { return latexNumbers.Replace(s) }

var latexEscapes = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`, "\"", "''", "`", "'",
	"±", `$\pm$`, "√", `$\surd$`, "²", "$^2$", "−", "$-$", oneRun, `$^\dagger$`, oneBatch, `$^\ddagger$`, absent, "--", jointly, `\S{}`)

// latexText escapes a name from a file. It replaces letters that pdflatex's fonts lack by question
// marks.
func latexText(s string) string {
	known := strings.Map(func(c rune) rune {
		if c > 0xff && !strings.ContainsRune("√−†‡–", c) || c >= 0x80 && c < 0xc0 && !strings.ContainsRune("±²§", c) || strings.ContainsRune("Ðð×÷Þþ", c) {
			return '?'
		}
		return c
	}, s)
	return latexEscapes.Replace(known)
}
