package tables

import (
	"fmt"
	"slices"
)

// A block is a part of a report: a heading, paragraphs and a table, of which some may be empty.
// Markdown is written from blocks.
type block struct {
	level   int // of the heading, from 2
	heading string
	lines   []string
	rows    [][]string // the first names the columns
	texts   int        // columns that hold texts; the columns right of them hold numbers
}

// blocks returns the report below its title. A text may hold any printable character.
func (sh sheet) blocks() []block {
	var all []block
	for _, t := range sh.Tables {
		rows := [][]string{{"benchmark", "model", "runs", "context", "paper", "difference", "target", "paper", "difference"}}
		for _, l := range t.Lines {
			rows = append(rows, []string{l.Benchmark, l.cited(), l.Runs,
				l.Context.Ours, l.Context.Paper, l.Context.Difference, l.Target.Ours, l.Target.Paper, l.Target.Difference})
		}
		all = append(all, block{level: 2, heading: t.Title, rows: rows, texts: 2})
	}
	for _, t := range sh.Scores {
		rows := [][]string{scoreHeader}
		for _, l := range t.Lines {
			rows = append(rows, slices.Concat([]string{l.Benchmark, l.cited()}, l.Cells))
		}
		all = append(all, block{level: 2, heading: t.Title, rows: rows, texts: 2})
	}
	all = append(all, block{lines: sh.Legend})
	for i, note := range sh.Notes {
		all = append(all, block{lines: []string{fmt.Sprintf("[%d] %s", i+1, note)}})
	}
	if len(sh.Functions) > 0 {
		all = append(all, block{level: 2, heading: "Groups", lines: []string{sh.FunctionLegend()}})
	}
	for _, t := range sh.Functions {
		all = append(all, block{level: 3, heading: t.Title, rows: slices.Concat([][]string{functionHeader}, t.Rows), texts: 1})
	}
	if len(sh.evaluated) > 0 {
		rows := [][]string{usedHeader}
		for _, l := range sh.evaluated {
			rows = append(rows, l.usedCells())
		}
		all = append(all, block{level: 2, heading: "What was evaluated", rows: rows, texts: len(usedHeader)})
	}
	return all
}

// cited returns the model with the numbers of its notes: "ACQNP [1] [3]".
func (l line) cited() string {
	text := l.Model
	for _, n := range l.Notes {
		text += fmt.Sprintf(" [%d]", n)
	}
	return text
}
