package rows_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/test/must"
)

// Between semicolons, numbers such as 4,164 may be thousands. Of such a column, numbers such as 674 would be 1000 times
// too large: it is refused. A line says that others are read as decimals, unless a cell of the file proves it.
func TestThousandsBetweenSemicolons(t *testing.T) {
	for _, c := range []struct {
		name, text, refuses, says string
		x                         []float64
	}{
		{name: "thousands beside hundreds", text: "x;y\n4,164;1\n674;2\n", refuses: `t.csv:3: x: found "674" beside "4,164" in line 2, expected 4164 there if its comma separates thousands, or 674,0 here if it is decimal`},
		{name: "German thousands", text: "x;y\n674;2\n4.164;1\n", refuses: `t.csv:2: x: found "674" beside "4.164" in line 3, expected 4164 there if its point separates thousands, or 674.0 here if it is decimal`},
		{name: "counts", text: "x;y\n0;1\n-1,250;1\n12;2\n", refuses: `t.csv:2: x: found "0" beside "-1,250" in line 3, expected -1250 there`},
		{name: "of y", text: "x;y\n1;674\n2;4,164\n", refuses: `t.csv:2: y: found "674"`},
		{name: "all with three digits", text: "x;y;z\n4,164;3,178;a\n3,778;2,099;a\n", x: []float64{4.164, 3.778}, says: "t.csv:2: x, y: 4,164 is read as 4.164, but no cell of the file shows that the comma is decimal: write 4164 if it separates thousands"},
		{name: "one row", text: "x;y\n12,345;2\n", x: []float64{12.345}, says: "t.csv:2: x: 12,345 is read as 12.345"},
		{name: "another number of decimals", text: "x;y\n4,164;1\n674;2\n3,5;2\n", x: []float64{4.164, 674, 3.5}},
		{name: "a zero before the comma", text: "x;y\n1,250;1\n0,375;1\n12;1\n", x: []float64{1.25, 0.375, 12}},
		{name: "another column that is read", text: "x;y\n1,250;1\n12;2,5\n", x: []float64{1.25, 12}},
		{name: "another column that is not", text: "x;y;z\n1,250;1;\n12;1;0,5\n", x: []float64{1.25, 12}},
		{name: "another mark in a column that is not read", text: "x;y;z\n1,250;1;\n12;1;0.5\n", refuses: `found "12" beside "1,250"`},
		{name: "thousands without a comma", text: "x;y\n4,164;1\n674;2\n4164;2\n", x: []float64{4.164, 674, 4164}},
		{name: "years beside", text: "x;y\n2024;1,250\n2025;3,125\n", x: []float64{2024, 2025}, says: "t.csv:2: y: 1,250 is read as 1.250"},
		{name: "a column of thousands that is not read", text: "x;y;z\n1;1;4,164\n2;1;674\n", x: []float64{1, 2}},
		{name: "whole numbers", text: "x;y\n4164;1\n674;1\n", x: []float64{4164, 674}},
		{name: "between commas", text: "x,y\n\"4,164\",1\n674,1\n", x: []float64{4164, 674}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var w warning.Record
			path := written(t, "t.csv", c.text)
			got, err := (&rows.Layout{X: []string{"x"}, Y: []string{"y"}, Warnings: &w}).Read(path)
			if c.refuses != "" {
				must.Refuse(t, err, c.refuses)
				return
			}
			lines := strings.Join(w.Lines(), "\n")
			if err != nil || !cmp.Equal(got[0].X, c.x) || !strings.Contains(lines, c.says) || c.says == "" && lines != "" {
				t.Errorf("%v, %v, said %q", got, err, lines)
			}
		})
	}
	path := written(t, "t.csv", "x;y\n4,164;1\n674;\n")
	l := rows.Layout{X: []string{"x"}, Y: []string{"y"}}
	_, _, _, err := l.ReadBoth(path)
	must.Refuse(t, err, `t.csv:3: x: found "674"`)
	_, _, err = l.ReadTargets(path, false)
	must.Refuse(t, err, `t.csv:3: x: found "674"`)
	_, err = l.ReadAll(path, "")
	must.Refuse(t, err, `t.csv:3: y: found nothing`)
}
