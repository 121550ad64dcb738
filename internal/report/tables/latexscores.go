package tables

import (
	"fmt"
	"io"
	"strings"
)

// latexScores writes a table of scores.
func latexScores(w io.Writer, t scoreTable) {
	var lines []line
	for _, l := range t.Lines {
		lines = append(lines, l.line)
	}
	size, column := latexColumn(lines)
	fmt.Fprintf(w, `
\begin{table}[htbp]\centering%s
\caption{%s.}
\begin{tabular}{@{}l%srrrrrr@{}}
\toprule
%s \\
\midrule
`, size, latexText(t.Title), column, latexHeader(scoreHeader))
	for i, l := range t.Lines {
		cells := []string{startBenchmark(w, l.line, i), latexModel(l.line)}
		for _, c := range l.Cells {
			cells = append(cells, latexNumber(c))
		}
		fmt.Fprintln(w, strings.Join(cells, " & "), `\\`)
	}
	fmt.Fprint(w, "\\bottomrule\n\\end{tabular}\n\\end{table}\n")
}

// latexFunctions writes the tables of functions.
func latexFunctions(w io.Writer, sh sheet) {
	if len(sh.Functions) == 0 {
		return
	}
	fmt.Fprintf(w, "\n\\section*{Functions}\n\\noindent %s\n", latexText(sh.FunctionLegend()))
	for _, t := range sh.Functions {
		fmt.Fprintf(w, "\n\\begin{table}[htbp]\\centering\\small\n\\caption{Functions of %s.}\n\\begin{tabular}{@{}lrrrrr@{}}\n\\toprule\n%s \\\\\n\\midrule\n",
			latexText(t.Title), latexHeader(functionHeader))
		for _, row := range t.Rows {
			cells := []string{latexText(row[0])}
			for _, c := range row[1:] {
				cells = append(cells, latexNumber(c))
			}
			fmt.Fprintln(w, strings.Join(cells, " & "), `\\`)
		}
		fmt.Fprint(w, "\\bottomrule\n\\end{tabular}\n\\end{table}\n")
	}
}

// latexHeader returns the cells of a header.
func latexHeader(names []string) string {
	cells := make([]string, len(names))
	for i, name := range names {
		cells[i] = latexText(name)
	}
	return strings.Join(cells, " & ")
}
