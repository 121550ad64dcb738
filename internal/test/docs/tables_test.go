package docs

import (
	"encoding/csv"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
)

const data = "research/data"

// marked matches a table of a page: the line that names its file and, where the best figure of each
// row is bold, whether that is the highest or the lowest; and what stands before the end.
var marked = regexp.MustCompile(`(?s)<!-- table: ([^ ,]+)(?:, (highest|lowest) bold)? -->\n(.*?)<!-- end -->\n`)

// records returns the header and the rows of a CSV file.
func records(t *testing.T, name string) [][]string {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(read(t, name))).ReadAll()
	if err != nil || len(all) < 2 {
		t.Fatalf("%s: %d lines, error %v", name, len(all), err)
	}
	return all
}

// TestTablesAreThoseOfTheData compares each marked table with its file and, in docs, the line below it
// with its row of sources.csv. With WRITE_TABLES=1 it writes them (make reference).
func TestTablesAreThoseOfTheData(t *testing.T) {
	sources := records(t, data+"/sources.csv")
	for _, name := range texts(t) {
		page := read(t, name)
		want := marked.ReplaceAllStringFunc(page, func(found string) string {
			m := marked.FindStringSubmatch(found)
			first, _, _ := strings.Cut(found, "\n")
			rows, below := records(t, path.Join(path.Dir(name), m[1])), "\n"
			if strings.HasPrefix(name, "docs/") && !slices.Contains(rows[0], "commit") {
				below += measured(sources, path.Base(m[1]))
			}
			return first + "\n\n" + table(rows, m[2]) + below + "<!-- end -->\n"
		})
		if page == want {
			continue
		}
		if os.Getenv("WRITE_TABLES") == "" {
			t.Errorf("the tables of %s are not those of its data; make reference writes them", name)
		} else if err := os.WriteFile(filepath.Join(root, name), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// measured returns the line that says which program a table measures, when and where.
func measured(sources [][]string, file string) string {
	i := slices.IndexFunc(sources, func(row []string) bool { return row[0] == file })
	if i < 0 {
		return "" // TestEachTableHasItsSource says so
	}
	line := fmt.Sprintf("Commit %s, %s", sources[i][2], sources[i][3])
	if machine := sources[i][4]; !strings.HasPrefix(machine, "none") && machine != "not recorded" {
		line += "; " + machine
	}
	return line + ".\n\n"
}

// table returns rows as Markdown. A column "X ±" has the errors of the column X before it.
func table(rows [][]string, best string) string {
	header := rows[0]
	var lines []string
	for i, row := range rows {
		var cells, marks []string
		bold := boldest(header, row, best)
		for j := 0; j < len(row); j++ {
			cell, mark := row[j], "---"
			if i > 0 {
				cell = typeset(cell)
			} else if numeric(rows[1:], j) {
				mark = "---:"
			}
			if i > 0 && slices.Contains(bold, j) {
				cell = "**" + cell + "**"
			}
			if withError(header, j) {
				if j++; i > 0 && row[j] != "" {
					cell += " ± " + typeset(row[j])
				}
			}
			cells, marks = append(cells, cell), append(marks, mark)
		}
		lines = append(lines, "| "+strings.Join(cells, " | ")+" |\n")
		if i == 0 {
			lines = append(lines, "| "+strings.Join(marks, " | ")+" |\n")
		}
	}
	return strings.Join(lines, "")
}

func withError(header []string, column int) bool {
	return column+1 < len(header) && header[column+1] == header[column]+" ±"
}

// numeric reports whether the first cell of a column that is not empty starts with a number.
func numeric(rows [][]string, column int) bool {
	for _, row := range rows {
		if row[column] != "" {
			return regexp.MustCompile(`^[-+]?\d`).MatchString(row[column])
		}
	}
	return false
}

// boldest returns the columns of a row that have the best of its figures with errors.
func boldest(header, row []string, best string) (columns []int) {
	var most float64
	for j := range row {
		value, err := strconv.ParseFloat(row[j], 64)
		if best == "" || err != nil || !withError(header, j) {
			continue
		}
		if best == "lowest" {
			value = -value
		}
		if columns == nil || value > most {
			columns, most = nil, value
		}
		if value == most {
			columns = append(columns, j)
		}
	}
	return columns
}

var (
	minus = regexp.MustCompile(`(^|[ (])-(\d)`)
	long  = regexp.MustCompile(`^\d{5,}$`)
)

// typeset returns a cell with minus signs for hyphens, and whole numbers of five digits and more with
// commas.
func typeset(cell string) string {
	if long.MatchString(cell) {
		for i := len(cell) - 3; i > 0; i -= 3 {
			cell = cell[:i] + "," + cell[i:]
		}
	}
	return minus.ReplaceAllString(cell, "$1−$2")
}

// Minus signs, commas, errors and the best figures of rows.
func TestTablesAreTypeset(t *testing.T) {
	rows := [][]string{{"set", "n", "a", "a ±", "b", "b ±"}, {"x", "12345", "-1.5", "0.1", "-2", ""}, {"--y", "", "too large", "", "3 (-4)", "0.2"}}
	want := "| set | n | a | b |\n| --- | ---: | ---: | ---: |\n| x | 12,345 | %s | %s |\n| --y |  | too large | 3 (−4) ± 0.2 |\n"
	for best, cells := range map[string][]any{"highest": {"**−1.5** ± 0.1", "−2"}, "lowest": {"−1.5 ± 0.1", "**−2**"}} {
		if got, want := table(rows, best), fmt.Sprintf(want, cells...); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", best, got, want)
		}
	}
}

// TestEachTableHasItsSource wants a row of sources.csv for each file of data, and a page with its table.
func TestEachTableHasItsSource(t *testing.T) {
	used := map[string]bool{}
	for _, name := range texts(t) {
		page := read(t, name)
		for _, m := range marked.FindAllStringSubmatch(page, -1) {
			used[path.Join(path.Dir(name), m[1])] = true
		}
		if strings.HasPrefix(name, "docs/results/") && strings.Contains(marked.ReplaceAllString(page, ""), "\n|") {
			t.Errorf("%s has a table without a file in %s", name, data)
		}
	}
	sources := records(t, data+"/sources.csv")
	if want := []string{"file", "command", "commit", "date", "machine"}; !slices.Equal(sources[0], want) {
		t.Fatalf("sources.csv has the columns %q, want %q", sources[0], want)
	}
	listed := []string{"sources.csv"}
	for _, row := range sources[1:] {
		if !used[data+"/"+row[0]] {
			t.Errorf("%s is the table of no page", row[0])
		}
		if slices.Contains(row, "") {
			t.Errorf("%s: an empty cell; what nobody knows is \"not recorded\"", row[0])
		}
		if !regexp.MustCompile(`^[0-9a-f]{7,}$`).MatchString(row[2]) || !regexp.MustCompile(`^\d{4}-\d\d-\d\d$`).MatchString(row[3]) {
			t.Errorf("%s: commit %q, date %q", row[0], row[2], row[3])
		}
		listed = append(listed, row[0])
	}
	entries := must.Get(os.ReadDir(filepath.Join(root, data)))(t)
	var files []string
	for _, e := range entries {
		files = append(files, e.Name())
	}
	if slices.Sort(listed); !slices.Equal(listed, files) {
		t.Errorf("sources.csv has the files %q, the folder %q", listed, files)
	}
}
