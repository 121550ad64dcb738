package tabular

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

// jsonWriter writes rows as JSON, one object a line.
type jsonWriter struct {
	w       io.Writer
	columns []Column
	keys    []string // as JSON
	line    []byte
}

func newJSONWriter(w io.Writer, columns []Column) (Writer, error) {
	j := &jsonWriter{w: w, columns: columns}
	for _, c := range columns {
		j.keys = append(j.keys, jsonText(c.Name))
	}
	return j, nil
}

func (j *jsonWriter) Write(row []string) error {
	j.line = append(j.line[:0], '{')
	for i, cell := range row {
		if i > 0 {
			j.line = append(j.line, ',')
		}
		j.line = append(append(append(j.line, j.keys[i]...), ':'), jsonValue(j.columns[i].Kind, cell)...)
	}
	_, err := j.w.Write(append(j.line, '}', '\n'))
	return err
}

func (j *jsonWriter) Close() error { return nil }

// jsonValue returns a cell as JSON.
func jsonValue(kind Kind, cell string) string {
	switch kind {
	case Text:
		return jsonText(cell)
	case Object:
		return cell
	case Numbers:
		return jsonList(cell, jsonNumber)
	case Pairs:
		return jsonList(cell, func(pair string) string {
			low, high, _ := strings.Cut(pair, ":")
			return "[" + jsonNumber(low) + "," + jsonNumber(high) + "]"
		})
	}
	return jsonNumber(cell)
}

// jsonText returns a text as JSON.
func jsonText(cell string) string {
	b, _ := json.Marshal(cell) // texts have no error
	return string(b)
}

// jsonNumber returns a number as JSON: null if it is infinite or absent.
func jsonNumber(cell string) string {
	if _, err := strconv.ParseFloat(cell, 64); err != nil || strings.HasSuffix(cell, "Inf") {
		return "null"
	}
	return cell
}

// jsonList returns the list of what value makes of the parts of a cell.
func jsonList(cell string, value func(part string) string) string {
	all := parts(cell)
	for i, part := range all {
		all[i] = value(part)
	}
	return "[" + strings.Join(all, ",") + "]"
}
