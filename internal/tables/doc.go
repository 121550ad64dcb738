// Package tables sets the log-likelihoods of many runs beside the paper's.
//
// Gather reads the eval.json files below a directory. Summarize takes means over seeds and adds the
// paper's results. A Summary can be written in several formats, which formats.go lists: markdown,
// LaTeX, CSV, and a page of HTML that also has the runs' own plots.
package tables
