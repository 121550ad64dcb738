package serve_test

import (
	"fmt"
	"strings"
	"testing"
)

// With what fit wrote, a group of its data knows its own rows, unless the request takes it as new; each group says
// what is known of it, and a line how many are which.
func TestGroupsOfAFitAreKnown(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("school,class,x,y\n")
	for i := range 96 {
		fmt.Fprintf(&rows, "s%d,%d,%d,%d\n", i/12, i/4%3, i%4, 10*(i/12*7%5)+3*(i/4%3)+i%4+i*i%3)
	}
	server := servingFit(t, rows.String(), "y ~ x | school/class")
	body := `{%s"groups": [{"name": "s1/0", "context": {"x": [[9]], "y": [[30]]}, "targets": {"x": [[1]]}}, {"name": "s1/new", "targets": {"x": [[1]]}}, {"name": "S1/0", "targets": {"x": [[1]]}}, {"targets": {"x": [[1]]}}]}`
	for asNew, want := range map[string][]string{
		"": {`"name":"s1/0","known":{"fit":4,"context":1,"beside":8}`, `"name":"s1/new","known":{"fit":0,"context":0,"beside":13}`, `"name":"","known":{"fit":0,"context":0,"beside":0}`,
			"known points: of 1 group (s1/0) the 4 rows of the fit's data", "of 1 group (S1/0) and of its school no point is known"},
		`"as_new": true, `: {`"name":"s1/0","known":{"fit":0,"context":1,"beside":0}`, `"name":"s1/new","known":{"fit":0,"context":0,"beside":1}`},
	} {
		answer := says(t, server, fmt.Sprintf(body, asNew), 200, want...)
		if asNew != "" && strings.Contains(answer, "fit's data") {
			t.Errorf("rows of the data in %s", answer)
		}
	}
}

// A number names the same group however a request spells it, and a request all of whose groups are unknown says so.
func TestNumbersNameGroupsOverHTTP(t *testing.T) {
	rows := "id,x,y\n"
	for i := range 60 {
		rows += fmt.Sprintf("%d.0,%d,%d\n", i/5+1, i%5, 7*(i/5%3)+i%5+i*i%3)
	}
	server := servingFit(t, rows, "y ~ x | id")
	for name, want := range map[string]string{"3": `"known":{"fit":5,"context":0}`, " 3": `"known":{"fit":5,"context":0}`, "3.00": `"known":{"fit":5,"context":0}`,
		"x 3": "no known point of 1 group (x 3): none of the 12 of the data has such a name"} {
		says(t, server, fmt.Sprintf(`{"groups": [{"name": %q, "targets": {"x": [[1]]}}]}`, name), 200, want, fmt.Sprintf(`"name":%q`, name))
	}
}
