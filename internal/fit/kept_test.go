package fit_test

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/fit"
	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/test/must"
)

// A group of the data that is asked again has its rows of it, and new ones; a new group has its own, or none. In one
// call, each is predicted as it is alone with the same points in its context, to the last bit.
func TestKnownAndUnknownGroupsTogether(t *testing.T) {
	rows, f := crossing(16, unit{1, 0, 1, 0}), crossed(t)
	x, y := fields(rows[3*7 : 4*7]) // of p3, in the order in which a fit keeps them
	sort.Sort(byX{x, y})
	fresh := points.New(1, 1, []float64{-1, 2.5}, []float64{0.3, 1.2})
	targets := points.New(1, 0, []float64{-4, 1}, nil)
	asked := []points.Question{{Name: "p3", Targets: targets}, {Name: "new", Targets: targets}, {Name: "none", Targets: targets}, {Name: "p3", Targets: targets}}
	asked[1].Known, asked[3].Known = fresh, fresh.Cut(0, 1)
	asked[3].Known.Append(points.New(1, 1, x[2:3], y[2:3])) // of the data: once
	alone := []points.Question{{Name: "a", Known: points.New(1, 1, x, y), Targets: targets}, asked[1], asked[2],
		{Name: "b", Known: points.New(1, 1, append(x[:7:7], -1), append(y[:7:7], 0.3)), Targets: targets}}

	var w warning.Record
	together := f.Recall(asked, false, &w)
	want := []string{"known points: of 2 groups (p3, p3) the 14 rows of the fit's data and 1 of the context; of 1 group those of the context alone",
		"of the context, 1 known point is in the fit's data too, and counted once", "no known point of 1 group (none): none of the 16 of the data has such a name"}
	if lines := w.Lines(); !slices.Equal(lines, want) {
		t.Errorf("%q, want %q", lines, want)
	}
	for p, err := range f.Predict(t.Context(), together) {
		must.Do(t, err)
		if got, want := p.Channels[0].Mean(), given(t, f, alone[p.Group])[p.Target].Mean(); got != want {
			t.Errorf("target %d of %s: %v, alone %v", p.Target, asked[p.Group].Name, got, want)
		}
	}
	for i, want := range []int{7, 0, 0, 7} {
		if got := together[i].Recalled; got != want {
			t.Errorf("%d rows of the data of %s, want %d", got, asked[i].Name, want)
		}
	}
}

// A number names the same group in each of its spellings. An unknown name is said, alone too, with a known one that is
// near.
func TestANumberNamesOneGroup(t *testing.T) {
	rows := crossing(12, unit{1, 0, 1, 0})
	for i, row := range rows {
		rows[i] = strings.TrimPrefix(row, "p")
	}
	f := instant(t, "id,x,y", "y ~ x | id", append(rows, strings.Replace(rows[len(rows)-1], "11,", "lamp,", 1)))
	for _, name := range []string{"3", "3.0", "3.000", " 3"} {
		var w warning.Record
		if got := f.Recall([]points.Question{{Name: name, Targets: points.New(1, 0, []float64{1}, nil)}}, false, &w)[0]; got.Recalled != 7 || got.Name != name || len(w.Lines()) != 1 {
			t.Errorf("%q: %d rows of %q, %q", name, got.Recalled, got.Name, w.Lines())
		}
	}
	for name, want := range map[string]string{"03": " (03 is near 3)", "Lmp": " (Lmp is near lamp)", "13": "", "chair": ""} {
		var w warning.Record
		f.Recall([]points.Question{{Name: name, Targets: points.New(1, 0, []float64{1}, nil)}}, false, &w)
		if want := []string{"no known point of 1 group (" + name + "): none of the 13 of the data has such a name" + want}; !slices.Equal(w.Lines(), want) {
			t.Errorf("%q, want %q", w.Lines(), want)
		}
	}
	for _, quiet := range []points.Question{{Targets: points.New(1, 0, []float64{1}, nil)}, {Name: "new", Known: points.New(1, 1, []float64{1}, []float64{1}), Targets: points.New(1, 0, []float64{1}, nil)}} {
		var w warning.Record
		if f.Recall([]points.Question{quiet}, false, &w); len(w.Lines()) > 0 {
			t.Errorf("%q", w.Lines())
		}
	}
	var w warning.Record
	if f.Recall([]points.Question{{Name: "chair", Targets: points.New(1, 0, []float64{1}, nil)}}, true, &w); len(w.Lines()) > 0 {
		t.Errorf("a group that is said to be new: %q", w.Lines())
	}
}

// Rows of data without equal ones are told apart by their cells, also where one y of two is missing. Where many rows are
// equal, an equal known point is a new one. A line says which.
func TestARowIsKnownOnce(t *testing.T) {
	rows := crossing(6, unit{1, 0, 1, 0})
	for i, row := range rows {
		rows[i] = row + "," + []string{"", "2.5", "", "3.5"}[i%4]
	}
	f := instant(t, "id,x,y,z", "y + z ~ x | id", rows)
	x, y := fields(rows[:7]) // of p0
	none := math.NaN()
	known := points.Question{Name: "p0", Known: points.New(1, 2, []float64{x[0], x[1], x[2], x[3]}, []float64{y[0], 4.5 /* a z that the data lack */, y[1], none, none, 3, y[3] + 1, none}), Targets: points.New(1, 0, []float64{0}, nil)}
	var w warning.Record
	got := f.Recall([]points.Question{known}, false, &w)[0]
	z := func(row int) float64 { return got.Known.Y[2*slices.Index(got.Known.X, x[row])+1] } // rows have the order of their numbers
	if got.Recalled != 7 || len(got.Known.Y) != 2*9 || z(0) != 4.5 || z(1) != 2.5 || !slices.Equal(got.Known.X[7:], x[2:4]) {
		t.Errorf("%d of %d rows are the data's: %v", got.Recalled, len(got.Known.X), got.Known.Y)
	}
	if want := "of the context, 2 known points are in the fit's data too, and counted once"; !slices.Contains(w.Lines(), want) {
		t.Errorf("%q, want %q", w.Lines(), want)
	}

	counts := []string{}
	for i := range 90 {
		counts = append(counts, fmt.Sprintf("d%d,%d", i/6, (i*i+i/6)%5))
	}
	f = instant(t, "desk,calls", "calls ~ 1 | desk", counts)
	w = warning.Record{}
	got = f.Recall([]points.Question{{Name: "d0", Known: points.New(1, 1, make([]float64, 6), []float64{1, 1, 1, 1, 1, 1}), Targets: points.New(1, 1, []float64{0}, []float64{1})}}, false, &w)[0]
	if got.Recalled != 6 || len(got.Known.Y) != 12 {
		t.Errorf("%d points, want 6 of the data and 6 new days", len(got.Known.Y))
	}
	lines := strings.Join(w.Lines(), "\n")
	for _, want := range []string{"may be in the fit's data too, and counted as new (of the data, ", "1 target may be of the fit's data"} {
		if !strings.Contains(lines, want) {
			t.Errorf("%q lacks %q", lines, want)
		}
	}
}

// byX sorts points by x.
type byX struct{ x, y []float64 }

func (p byX) Len() int           { return len(p.x) }
func (p byX) Less(i, j int) bool { return p.x[i] < p.x[j] }
func (p byX) Swap(i, j int) {
	p.x[i], p.x[j], p.y[i], p.y[j] = p.x[j], p.x[i], p.y[j], p.y[i]
}

// Scores of rows that are known say so.
func TestScoresOfKnownRowsSaySo(t *testing.T) {
	rows, f := crossing(16, unit{1, 0, 1, 0}), crossed(t)
	x, y := fields(rows[:7])
	var w warning.Record
	got := f.Recall([]points.Question{{Name: "p0", Targets: points.New(1, 1, x[:2], y[:2])}}, false, &w)[0]
	if got.Recalled != 7 || !strings.Contains(strings.Join(w.Lines(), "\n"), "2 targets are rows of the fit's data and known") {
		t.Errorf("%d rows are known; %v", got.Recalled, w.Lines())
	}
}

// All rows of a file without groups are one: it knows them. A missing y of two stays missing through the file.
func TestRowsOfAFitAreRead(t *testing.T) {
	rows := crossing(6, unit{1, 0, 1, 0})
	for i, row := range rows {
		rows[i] = row + ",1"
		if i%3 > 0 {
			rows[i] = row + "," + []string{"", "", "2.5"}[i%3]
		}
	}
	f := instant(t, "id,x,y,z", "y + z ~ x", rows)
	dir := t.TempDir()
	must.Do(t, f.Write(dir))
	again, err := answer.Read(dir)
	must.Do(t, err)
	got := again.Recall([]points.Question{{Targets: points.New(1, 0, []float64{0}, nil)}}, false, new(warning.Record))[0]
	x, _ := fields(rows)
	z := func(row int) float64 { return got.Known.Y[2*slices.Index(got.Known.X, x[row])+1] } // rows have the order of their numbers
	if got.Recalled != len(rows) || z(0) != 1 || !math.IsNaN(z(1)) || z(2) != 2.5 {
		t.Errorf("%d rows, %v, %v, %v", got.Recalled, z(0), z(1), z(2))
	}
	if named := again.Recall([]points.Question{{Name: "a", Targets: points.New(1, 0, []float64{0}, nil)}}, false, new(warning.Record))[0]; named.Recalled != len(rows) {
		t.Errorf("under a name, %d rows of %d", named.Recalled, len(rows))
	}
}

// fields returns x and y of rows "id,x,y".
func fields(rows []string) (x, y []float64) {
	for _, row := range rows {
		var v, w float64
		_, row, _ = strings.Cut(row, ",")
		fmt.Sscanf(row, "%g,%g", &v, &w)
		x, y = append(x, v), append(y, w)
	}
	return x, y
}

// Without groups there is no mixed model, and a line says so.
func TestWhatComparesGroupsNeedsTwo(t *testing.T) {
	var w warning.Record
	fitRows(t, fit.Options{Instant: true, Warnings: &w}, "id,x,y", "y ~ x", crossing(4, unit{1, 0, 1, 0}))
	if want := "all rows of y are one group, so what compares groups is left out: mixed model"; !strings.Contains(strings.Join(w.Lines(), "\n"), want) {
		t.Errorf("%v, want %s", w.Lines(), want)
	}
}

// A group of one row among few is held out whole by one fold, and leaves no group without points that the network would refuse.
func TestAGroupOfOneRowAmongFew(t *testing.T) {
	t.Parallel()
	var w warning.Record
	rows := append(crossing(2, unit{1, 0, 1, 0}), "alone,1,0.5")
	f := fitRows(t, fit.Options{Instant: true, Warnings: &w}, "id,x,y", "y ~ x | id", rows)
	if lines := strings.Join(w.Lines(), "\n"); strings.Contains(lines, "left out") || len(f.Stacks[0].Failed) > 0 {
		t.Errorf("found the lines %q and left out %v", lines, f.Stacks[0].Failed)
	}
}
