package tables

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
)

// csvHeader names the columns. Numbers have all their digits, unknown values are empty, and spaces
// separate several values of one setting.
var csvHeader = []string{
	"benchmark", "model", "part", "ours_mean", "ours_sd", "runs", "paper_mean", "paper_sd", "difference_in_errors",
	"ours_std_error", "seeds", "steps", "batches", "num_tau", "levels", "variant", "settings",
}

// CSV writes one line for each row and part: the log-likelihoods of context and target, and the scores, if
// there are any.
func (s Summary) CSV(out io.Writer) error {
	records := [][]string{csvHeader}
	for _, t := range s.Tables {
		for _, row := range t.Rows {
			records = append(records, row.records()...)
		}
	}
	return csv.NewWriter(out).WriteAll(records)
}

// records returns the records of a row, in the order of csvHeader.
func (r Row) records() [][]string {
	u := r.Used
	var settings []string
	for _, values := range [][]string{u.Seeds, u.Steps, u.Batches, u.NumTau, u.Levels} {
		settings = append(settings, strings.Join(values, " "))
	}
	settings = append(settings, r.Variant, strings.Join(r.Settings, "; "))
	record := func(part string, runs int, p Part) []string {
		var paperMean, paperSD *float64
		if p.Paper != nil {
			paperMean, paperSD = &p.Paper.Mean, &p.Paper.Spread
		}
		return append([]string{r.Benchmark, r.Model, part, exact(p.Mean), exact(p.SD), strconv.Itoa(runs),
			exact(paperMean), exact(paperSD), exact(p.Difference), exact(p.StdError)}, settings...)
	}
	records := [][]string{record("context", len(r.Runs), r.Context), record("target", len(r.Runs), r.Target)}
	if s := r.Scores; s != nil {
		for _, part := range []struct {
			name string
			Score
		}{{"log_density", s.LogDensity}, {"crps", s.CRPS}, {"coverage_0.5", s.Half}, {"coverage_0.9", s.Most}} {
			records = append(records, record(part.name, s.Runs, Part{Mean: &part.Mean, SD: part.SD, StdError: part.StdError}))
		}
	}
	return records
}

// exact returns the shortest text that reads back as the same float64, or "" for nil.
func exact(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}
