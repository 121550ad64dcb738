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
	"ours_std_error", "seeds", "steps", "batches", "num_tau", "levels", "variant", "size",
}

// CSV writes one line for each row and part.
func (s Summary) CSV(out io.Writer) error {
	w := csv.NewWriter(out)
	if err := w.Write(csvHeader); err != nil {
		return err
	}
	for _, t := range s.Tables {
		for _, row := range t.Rows {
			for _, part := range []struct {
				name string
				Part
			}{{"context", row.Context}, {"target", row.Target}} {
				p := part.Part
				var paperMean, paperSD *float64
				if p.Paper != nil {
					paperMean, paperSD = &p.Paper.Mean, &p.Paper.Spread
				}
				u := row.Used
				record := []string{row.Benchmark, row.Model, part.name, exact(p.Mean), exact(p.SD), strconv.Itoa(len(row.Runs)),
					exact(paperMean), exact(paperSD), exact(p.Difference), exact(p.StdError)}
				for _, values := range [][]string{u.Seeds, u.Steps, u.Batches, u.NumTau, u.Levels} {
					record = append(record, strings.Join(values, " "))
				}
				record = append(record, row.Variant, row.Size)
				if err := w.Write(record); err != nil {
					return err
				}
			}
		}
	}
	w.Flush()
	return w.Error()
}

// exact returns the shortest text that reads back as the same float64, or "" for nil.
func exact(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}
