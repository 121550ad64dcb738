package cli_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// rivers returns a table of 10 rivers: the flow and the temperature at 5 depths, the bed, and who measured.
func rivers() [][]string {
	rows := [][]string{{"river", "depth", "bed", "by", "flow", "temp"}}
	for r := range 10 {
		for i := range 5 {
			depth := 0.5 + float64((3*r+7*i)%11)/2
			flow := 20*math.Exp(-0.2*depth)*(1+0.3*math.Sin(float64(9*r))) + 0.4*math.Sin(float64(31*r+17*i))
			temp := 12 + math.Cos(float64(5*r)) - 0.8*depth + 0.3*math.Sin(float64(11*r+13*i))
			rows = append(rows, []string{fmt.Sprintf("r%d", r), fmt.Sprint(depth), []string{"sand", "rock"}[(r+i)%2], "me", fmt.Sprintf("%.2f", flow), fmt.Sprintf("%.2f", temp)})
		}
	}
	return rows
}

func asCSV(rows [][]string) string {
	text := ""
	for _, row := range rows {
		text += strings.Join(row, ",") + "\n"
	}
	return text
}

// riverDir is where riverFit writes; TestMain removes it.
var riverDir string

// riverFit returns a fit of the flow and the temperature of rivers.
var riverFit = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "acqnp-rivers-*")
	if err != nil {
		panic(err)
	}
	riverDir = dir
	file, out := filepath.Join(dir, "rivers.csv"), filepath.Join(dir, "fit")
	if err := os.WriteFile(file, []byte(asCSV(rivers())), 0o600); err != nil {
		panic(err)
	}
	if o := acqnp("fit", file, "flow + temp ~ depth + bed | river", "--instant", "--no-picture", "--out", out, "--quiet"); o.code != 0 {
		panic(o.err)
	}
	return out
})

// warned returns the warnings of a command that writes a summary as JSON, and checks that standard error has
// the same.
func warned(t *testing.T, args ...string) []string {
	t.Helper()
	o := succeed(t, append(args, "--json", "--quiet")...)
	var s struct{ Warnings []string }
	lines := strings.Split(strings.TrimSpace(o.out), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &s); err != nil || s.Warnings == nil {
		t.Fatalf("%v, no list of warnings in %s", err, o.out)
	}
	var told []string
	for line := range strings.Lines(o.err) {
		var event struct{ Event, Message string }
		if err := json.Unmarshal([]byte(line), &event); err != nil || event.Event != "warning" {
			t.Errorf("%s: %v", line, err)
		}
		told = append(told, event.Message)
	}
	if !slices.Equal(told, s.Warnings) {
		t.Errorf("warnings %q, and on standard error %q", s.Warnings, told)
	}
	return s.Warnings
}

func checkWarnings(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	ok := len(got) == len(want)
	for i, w := range want {
		ok = ok && strings.Contains(got[i], w)
	}
	if !ok {
		t.Errorf("%s: found the warnings %q, expected %q", what, got, want)
	}
}

// Rows that are left out, and why, are said by fit, predict and score, in JSON and on standard error.
func TestRowsThatAreLeftOutAreSaid(t *testing.T) {
	dir := t.TempDir()
	rows := rivers()
	rows[3][0], rows[4][0], rows[5][1], rows[6][1], rows[7][4], rows[8][4], rows[8][5] = "NA", "", "None", "#N/A", ".", "", "nan"
	file := write(t, dir, "rivers.csv", asCSV(rows))
	checkWarnings(t, "fit", warned(t, "fit", file, "flow + temp ~ depth + bed | river", "--instant", "--no-picture", "--out", filepath.Join(dir, "fit")),
		"bed is read as 2 names: rock, sand",
		"left out 5 of 50 rows, without a value of river (2: NA), depth (2: None, #N/A), flow (1), temp (1: nan)",
		"1 row without a value of flow, used for the other columns of y")
	context := write(t, dir, "context.csv", "river,depth,bed,flow,temp\nnew,1,sand,10,\nnew,2,sand,,8\nnew,,sand,9,7\n")
	targets := write(t, dir, "targets.csv", "river,depth,bed\nnew,3,sand\nnew,N/A,sand\n")
	out := filepath.Join(dir, "out.csv")
	said := warned(t, "predict", riverFit(), "--context", context, "--targets", targets, "--out", out)
	checkWarnings(t, "predict", said, "context.csv: left out 1 of 3 rows, without a value of depth (1)", "1 row without a value of flow", "1 row without a value of temp",
		"targets.csv: left out 1 of 2 rows, without a value of depth (1: N/A)")
	if n := len(readRows(t, out)); n != 2 {
		t.Errorf("%d rows, expected one for each y of one target", n)
	}
	held := write(t, dir, "held.csv", "river,depth,bed,flow,temp\nnew,3,sand,9,7\nnew,4,sand,,6\nnew,5,sand,7,NA\n")
	checkWarnings(t, "score", warned(t, "score", riverFit(), "--targets", held), "held.csv: left out 2 of 3 rows, without a value of flow (1), temp (1: NA)")
}

// One y of two that is known counts: the prediction of flow is that without the row whose flow is missing.
func TestOneOfSeveralYIsUsed(t *testing.T) {
	dir := t.TempDir()
	targets := write(t, dir, "targets.csv", "river,depth,bed\nnew,3,sand\n")
	predict := func(context string) (flow, temp string) {
		out := filepath.Join(dir, "out.csv")
		succeed(t, "predict", riverFit(), "--context", write(t, dir, "context.csv", "river,depth,bed,flow,temp\n"+context), "--targets", targets, "--out", out, "--overwrite", "--quiet")
		r := readRows(t, out)
		return r[0]["mean"], r[1]["mean"]
	}
	flow, temp := predict("new,1,sand,14,13\nnew,2,sand,,11\n")
	less, _ := predict("new,1,sand,14,13\n")
	_, more := predict("new,1,sand,14,13\nnew,2,sand,3,11\n")
	if flow != less || temp != more {
		t.Errorf("flow %s and temperature %s, expected %s and %s", flow, temp, less, more)
	}
}

// Predictions and scores come in the order of the file, with its other columns; another order of its rows
// changes no number. Groups with known points, without, and of the training go in one call.
func TestPredictionsKeepOrderAndCompany(t *testing.T) {
	dir := t.TempDir()
	context := write(t, dir, "context.csv", "river,depth,bed,flow,temp\nq,1,sand,14,13\ns,2,rock,9,9\n")
	rows := []string{"q,1,sand,8,8,007", "r,1,rock,7,9,b", "q,2,rock,6,7,c", "s,2,sand,9,6,d", "r0,1,sand,9,6,e", "r,2,rock,5,6,f"}
	answer := func(command string, order []int, format string) (all []quantileRow) {
		text := "river,depth,bed,flow,temp,note\n"
		for _, i := range order {
			text += rows[i] + "\n"
		}
		out := filepath.Join(dir, "out."+format)
		succeed(t, command, riverFit(), "--context", context, "--targets", write(t, dir, "targets.csv", text), "--out", out, "--overwrite", "--quiet")
		if format == "csv" {
			return readRows(t, out)
		}
		for line := range strings.Lines(read(t, out)) {
			values := map[string]any{}
			if err := json.Unmarshal([]byte(line), &values); err != nil {
				t.Fatal(err)
			}
			r := quantileRow{}
			for name, v := range values {
				r[name] = fmt.Sprint(v)
			}
			all = append(all, r)
		}
		return all
	}
	for _, command := range []string{"predict", "score"} {
		ordered := answer(command, []int{0, 1, 2, 3, 4, 5}, "csv")
		if len(ordered) != 2*len(rows) {
			t.Fatalf("%s: %d rows", command, len(ordered))
		}
		for i, r := range ordered {
			part := strings.Split(rows[i/2], ",")
			if r["river"] != part[0] || r["depth"] != part[1] || r["note"] != part[5] || r["channel"] != []string{"flow", "temp"}[i%2] {
				t.Errorf("%s: row %d is %v, expected that of %s", command, i, r, rows[i/2])
			}
			if given := r["flow"]; command == "predict" && given != part[3] || command == "score" && r["y"] != part[3+i%2] {
				t.Errorf("%s: row %d has y %s and flow %s", command, i, r["y"], given)
			}
		}
		for at, i := range []int{3, 5, 0, 2, 1, 4} {
			again := answer(command, []int{3, 5, 0, 2, 1, 4}, "csv")[2*at]
			if again["mean"] != ordered[2*i]["mean"] || again["sd"] != ordered[2*i]["sd"] || again["note"] != ordered[2*i]["note"] {
				t.Errorf("%s: in another order row %d is %v, expected %v", command, i, again, ordered[2*i])
			}
		}
	}
	lines := answer("predict", []int{0, 1}, "jsonl")
	if lines[0]["note"] != "007" || lines[2]["river"] != "r" || lines[0]["flow"] != "8" {
		t.Errorf("found %v", lines)
	}
}

// Names of columns, and cells of columns that the formula does not have, change nothing.
func TestNamesAndOtherColumnsDoNotMatter(t *testing.T) {
	dir := t.TempDir()
	context := rivers()[:3]
	predict := func(change func([][]string), formula string) string {
		change(context)
		all := rivers()
		change(all)
		out := filepath.Join(dir, "out.csv")
		fitted := filepath.Join(dir, "fit")
		succeed(t, "fit", write(t, dir, "rivers.csv", asCSV(all)), formula, "--instant", "--no-picture", "--out", fitted, "--overwrite", "--quiet")
		file := write(t, dir, "context.csv", asCSV(context))
		succeed(t, "predict", fitted, "--context", file, "--targets", file, "--out", out, "--overwrite", "--quiet")
		text := ""
		for _, r := range readRows(t, out) {
			text += r["mean"] + " " + r["sd"] + " " + r["q0.05"] + "\n"
		}
		return text
	}
	want := predict(func([][]string) {}, "flow ~ depth + bed | river")
	renamed := predict(func(rows [][]string) { copy(rows[0], []string{"Fluß", "the depth", "b.e-d", "by", "flow_rate"}) }, "flow_rate ~ the depth + b.e-d | Fluß")
	dropped := predict(func(rows [][]string) {
		copy(rows[0], rivers()[0])
		for i, row := range rows[1:] {
			row[3], row[5] = []string{"", "1", "None", "3/4/2024"}[i%4], ""
		}
	}, "flow ~ depth + bed | river")
	if renamed != want || dropped != want {
		t.Errorf("found with other names\n%sand with other cells\n%sexpected\n%s", renamed, dropped, want)
	}
}

// A known flow of 0 or less, where all of the data are above, is used as the least of the data.
func TestAKnownZeroIsNotRefused(t *testing.T) {
	dir := t.TempDir()
	fitted := filepath.Join(dir, "fit")
	file := "lake,x,area\n"
	for g := range 10 {
		for i := range 5 {
			file += fmt.Sprintf("l%d,%d,%.3f\n", g, i, math.Exp(2*math.Sin(float64(3*g))+0.3*float64(i)+0.1*math.Sin(float64(7*g+5*i))))
		}
	}
	succeed(t, "fit", write(t, dir, "lakes.csv", file), "area ~ x | lake", "--instant", "--no-picture", "--out", fitted, "--quiet")
	context := write(t, dir, "context.csv", "lake,x,area\nnew,1,0\nnew,2,0.4\n")
	said := warned(t, "predict", fitted, "--context", context, "--grid=1:3:3", "--out", filepath.Join(dir, "out.csv"))
	checkWarnings(t, "a known 0", said, "area of 1 known point is 0 or less and counts as 0.1")
	for _, r := range readRows(t, filepath.Join(dir, "out.csv")) {
		if mean := r.number(t, "mean"); !(mean > 0 && mean < 10) {
			t.Errorf("a mean of %v", mean)
		}
	}
}

// A file whose header has nearly the name of the column of groups is refused. One without such a column is one
// group, or is asked of all groups, with a line.
func TestATypoOfTheGroupIsRefused(t *testing.T) {
	dir := t.TempDir()
	rest := ",depth,bed,flow,temp\na,1,sand,14,13\nb,2,rock,9,9\n"
	right, out := write(t, dir, "right.csv", "river"+rest), filepath.Join(dir, "out.csv")
	for _, typo := range []string{"River", "rivers", "riber", "RIVER"} {
		wrong := write(t, dir, "wrong.csv", typo+rest)
		for _, args := range [][]string{{"--context", wrong, "--targets", right}, {"--context", right, "--targets", wrong}} {
			checkRefusal(t, typo, acqnp(append([]string{"predict", riverFit(), "--out", out, "--quiet"}, args...)...), 2,
				`wrong.csv:1: found the column "`+typo+`", expected "river", which names the groups`)
		}
	}
	none := write(t, dir, "none.csv", "lake"+rest)
	checkWarnings(t, "no group in the context", warned(t, "predict", riverFit(), "--context", none, "--targets", none, "--out", out), "none.csv: no column river, so all rows are one group")
	checkWarnings(t, "no group in the targets", warned(t, "predict", riverFit(), "--context", right, "--targets", none, "--out", out, "--overwrite"),
		"none.csv: no column that names groups, so each row is predicted for each of 2 groups")
	if n := len(readRows(t, out)); n != 8 {
		t.Errorf("%d rows, expected 2 targets of 2 groups with 2 y", n)
	}
}

// A fit that has not ended is not taken for a run.
func TestAFitThatHasNotEnded(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "prices.fit", "parts-0123456789abcdef"), 0o755); err != nil {
		t.Fatal(err)
	}
	fitted := filepath.Join(dir, "prices.fit")
	for _, args := range [][]string{{"predict", fitted, "--grid=0:1:2"}, {"score", fitted, "--targets", "t.csv"}} {
		checkRefusal(t, args[0], acqnp(args...), 2, "prices.fit: found a fit that has not ended, expected one that has: start the same acqnp fit again")
	}
}
