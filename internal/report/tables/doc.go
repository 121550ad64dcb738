// Package tables compares many runs with each other and with the paper's results.
//
// [Gather] reads the eval.json files below a directory. [Summarize] takes means over seeds and adds
// the paper's results. Each [Format] writes a [Summary]: markdown, CSV, and an HTML page
// that also has drawings. Scores, and the likelihoods of own data, are in the units of
// the data.
package tables
