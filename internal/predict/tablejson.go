package predict

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

// Formats of a table of predictions.
const (
	CSVFormat  = "csv"
	JSONFormat = "json"
)

// rowWriter writes rows in a format. It keeps its first error for Error.
type rowWriter interface {
	Write(row []string) error
	Flush()
	Error() error
}

// rowWriter returns the writer of the table's format.
func (t Table) rowWriter(w io.Writer) rowWriter {
	if t.Format != JSONFormat {
		return csv.NewWriter(w)
	}
	j := &jsonRows{w: w, values: []func(string) string{jsonText, jsonNumber}}
	for c := range t.XNames {
		value := jsonNumber
		if t.XIsText != nil && t.XIsText(c) {
			value = jsonText
		}
		j.values = append(j.values, value)
	}
	j.values = append(j.values, jsonText)
	columns := t.columns()
	for i := range columns {
		value := jsonNumber
		switch first := 2 + len(t.Levels); {
		case i >= first && i < first+len(t.Masses):
			value = jsonRegion
		case t.Modes && i == first+len(t.Masses)+len(t.Density)+len(t.CDF)+len(t.Exceed):
			value = jsonModes
		case t.Parts && i == len(columns)-1:
			value = jsonItself
		}
		j.values = append(j.values, value)
	}
	return j
}

// jsonRows writes rows as JSON, one object a line. The first row has the keys.
type jsonRows struct {
	w      io.Writer
	values []func(cell string) string // of each column, from the cell of the CSV file
	keys   []string
	line   []byte
	err    error
}

func (j *jsonRows) Write(row []string) error {
	if j.keys == nil {
		for _, name := range row {
			j.keys = append(j.keys, jsonText(name))
		}
		return nil
	}
	j.line = append(j.line[:0], '{')
	for i, cell := range row {
		if i > 0 {
			j.line = append(j.line, ',')
		}
		j.line = append(append(append(j.line, j.keys[i]...), ':'), j.values[i](cell)...)
	}
	if j.err == nil {
		_, j.err = j.w.Write(append(j.line, '}', '\n'))
	}
	return j.err
}

func (j *jsonRows) Flush() {}

func (j *jsonRows) Error() error { return j.err }

// jsonText returns a text as JSON.
func jsonText(cell string) string {
	b, _ := json.Marshal(cell) // texts have no error
	return string(b)
}

// jsonNumber returns a number as JSON: null if it is not finite or absent.
func jsonNumber(cell string) string {
	if _, err := strconv.ParseFloat(cell, 64); err != nil || strings.HasSuffix(cell, "Inf") {
		return "null"
	}
	return cell
}

// jsonRegion returns "a:b;c:d" as [[a,b],[c,d]].
func jsonRegion(cell string) string {
	return jsonList(cell, func(interval string) string {
		low, high, _ := strings.Cut(interval, ":")
		return "[" + jsonNumber(low) + "," + jsonNumber(high) + "]"
	})
}

// jsonModes returns "a;b" as [a,b].
func jsonModes(cell string) string { return jsonList(cell, jsonNumber) }

// jsonItself returns a cell that is JSON.
func jsonItself(cell string) string { return cell }

// jsonList returns the list of what value makes of the parts of a cell, which semicolons divide.
func jsonList(cell string, value func(part string) string) string {
	if cell == "" {
		return "[]"
	}
	parts := strings.Split(cell, ";")
	for i, part := range parts {
		parts[i] = value(part)
	}
	return "[" + strings.Join(parts, ",") + "]"
}
