package predict_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/predict"
)

// Each object of the JSON has the names, the order and the values of a row of the CSV file.
func TestTableAsJSON(t *testing.T) {
	o, q := askLanes(t, "acqnp"), asked()
	table := tableOf(q)
	table.Wanted = append(table.Wanted, predict.Want("modes"))
	table.XText, table.XIsText = func(int, float64) string { return `a "b"` }, func(int) bool { return true }
	content, rows := writeTable(t, table, o.Predict(t.Context(), q.Questions))
	header, _, _ := strings.Cut(string(content), "\n")
	table.Format = tabular.JSON
	objects, _ := writeTable(t, table, o.Predict(t.Context(), q.Questions))
	lines := strings.Split(strings.TrimSpace(string(objects)), "\n")
	if len(lines) != len(rows) {
		t.Fatalf("%d objects for %d rows", len(lines), len(rows))
	}
	for i, line := range lines {
		var got map[string]any
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		want := map[string]any{}
		for name, cell := range rows[i] {
			switch {
			case name == "group" || name == "x" || name == "channel":
				want[name] = cell
			case strings.HasPrefix(name, "hdr"):
				var region []any
				for interval := range strings.SplitSeq(cell, ";") {
					low, high, _ := strings.Cut(interval, ":")
					region = append(region, []any{float(t, low), float(t, high)})
				}
				want[name] = region
			case name == "modes":
				var modes []any
				for mode := range strings.SplitSeq(cell, ";") {
					modes = append(modes, float(t, mode))
				}
				want[name] = modes
			default:
				want[name] = float(t, cell)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("row %d: %s", i, diff)
		}
		at := 0
		for name := range strings.SplitSeq(header, ",") {
			next := strings.Index(line[at:], strconv.Quote(name)+":")
			if next < 0 {
				t.Fatalf("%s is not where the CSV file has it: %s", name, line)
			}
			at += next
		}
	}
}
