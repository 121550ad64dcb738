// Package tables compares the log-likelihoods of many runs with the paper's.
//
// [Gather] reads the eval.json files below a directory. [Summarize] takes means over seeds and adds
// the paper's results. Each [Format] writes a [Summary]: markdown, LaTeX, CSV, and an HTML page
// that also has the runs' own plots.
package tables
