package own_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/datasets/own"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/test/must"
)

// calibrating returns validated with n groups, or points, for calibration.
func calibrating(t testing.TB, split string, n int, points ...int) config.Experiment {
	e := validated(t, split, points...)
	e.Data.Calibration = n
	return e
}

// heldPoints returns the targets, and the context, that are for calibration.
func heldPoints(s *datasets.Source) (targets, context marks) {
	targets, context = marks{}, marks{}
	for _, h := range s.Calibration {
		for of, p := range map[*marks]points.Points{&targets: h.Targets, &context: h.Known} {
			for _, y := range p.Y {
				(*of)[[2]int{int(y) / 1000, int(y) % 1000}] = true
			}
		}
	}
	return targets, context
}

// batches returns all that training, validation and the test take of a source.
func batches(t testing.TB, s *datasets.Source) (all []*datasets.Batch) {
	for step := range 100 {
		all = append(all, datatest.Made(t, s.Train, step))
	}
	all = append(all, validBatches(t, s)...)
	for i := range s.Eval.Count {
		all = append(all, datatest.Made(t, s.Eval, i))
	}
	return all
}

// What is for calibration is in no batch, and its values change none: with others, all batches and the
// scaling are the same. It does not depend on data.seed.
func TestCalibrationIsUsedForNothingElse(t *testing.T) {
	for _, split := range []string{"group", "point"} {
		e := calibrating(t, split, 7, append(alike(19, 12), 1)...)
		s := datatest.Open(t, e, "")
		standard := e
		standard.Data.Scale = "standard"
		scaling := datatest.Open(t, standard, "").Scaling
		targets, context := heldPoints(s)
		if split == "point" && len(targets) != 7 {
			t.Errorf("%d points for calibration", len(targets))
		}
		held := targets
		if split == "group" {
			if n := len(s.Calibration); n != 7 {
				t.Errorf("%d groups for calibration", n)
			}
			for p := range context {
				held[p] = true
			}
		}
		before := batches(t, s)
		seen := marks{}
		for _, b := range before {
			seen.add(t, b, 0)
		}
		for p := range held {
			if seen[p] {
				t.Errorf("%s: point %v is for calibration and in a batch", split, p)
			}
		}
		for p := range context {
			if split == "point" && !seen[p] {
				t.Errorf("point %v is in a context of the calibration and in no batch", p)
			}
		}

		content := must.Get(os.ReadFile(e.Data.File))(t)
		lines := strings.Split(string(content), "\n")
		for i, line := range lines[1 : len(lines)-1] {
			cells := strings.Split(line, ",")
			var f, n int
			fmt.Sscanf(cells[0], "f%d", &f)
			fmt.Sscanf(cells[1], "%d", &n)
			if held[[2]int{f, n}] {
				lines[i+1] = cells[0] + ",-77," + cells[2] + "999,"
			}
		}
		datatest.Put(t, e.Data.File, []byte(strings.Join(lines, "\n")))
		changed := datatest.Open(t, e, "")
		if diff := cmp.Diff(before, batches(t, changed), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s: other values for calibration change the batches", split)
		}
		if diff := cmp.Diff(scaling, datatest.Open(t, standard, "").Scaling); diff != "" {
			t.Error(diff)
		}

		e.Data.Seed++
		datatest.Put(t, e.Data.File, content)
		if again, _ := heldPoints(datatest.Open(t, e, "")); len(again) == 0 || split == "point" && !cmp.Equal(again, targets) {
			t.Errorf("%s: data.seed changes what is for calibration", split)
		}
	}
}

// The split says what is for calibration, and a column of the files can.
func TestSplitNamesTheCalibration(t *testing.T) {
	e := calibrating(t, "group", 5, alike(20, 8)...)
	count := map[string]int{}
	for _, r := range splitRows(t, e) {
		count[r[1]]++
	}
	if count["calibration"] != 5 || count["train"]+count["valid"]+count["test"] != 15 {
		t.Errorf("%v", count)
	}
	e = calibrating(t, "point", 5, 9, 9)
	count = map[string]int{}
	for _, r := range splitRows(t, e) {
		count[r[2]]++
	}
	if count["calibration"] != 5 || count["train"]+count["valid"]+count["test"] != 13 {
		t.Errorf("%v", count)
	}
	for split, parts := range map[string][]string{"group": {"tttt", "eeee", "cc", "vv", "tt"}, "point": {"ttvec", "ttvec"}} {
		e := validated(t, split, 4)
		e.Data.SplitColumn = "part"
		for i, p := range parts {
			parts[i] = strings.ReplaceAll(p, "c", "k")
		}
		putSplit(t, e.Data.File, parts...)
		content, _ := os.ReadFile(e.Data.File)
		datatest.Put(t, e.Data.File, []byte(strings.ReplaceAll(string(content), ",k\n", ",calibration\n")))
		targets, context := heldPoints(datatest.Open(t, e, ""))
		want := marks{{0, 4}: true, {1, 4}: true}
		if split == "group" {
			for p := range context {
				targets[p] = true
			}
			want = marks{{2, 0}: true, {2, 1}: true}
		}
		if diff := cmp.Diff(want, targets); diff != "" {
			t.Errorf("%s: %s", split, diff)
		}
	}
}

// Contexts have the sizes that validation takes, and one group's targets are the rest of its points.
func TestContextsOfTheCalibration(t *testing.T) {
	sizes := map[int]int{}
	for _, h := range datatest.Open(t, calibrating(t, "group", 60, alike(90, 12)...), "").Calibration {
		sizes[h.Known.Len()]++
		if h.Known.Len()+h.Targets.Len() != 12 {
			t.Errorf("%d context and %d target points of 12", h.Known.Len(), h.Targets.Len())
		}
	}
	for _, n := range []int{0, 1, 2, 5, 10} { // 60 groups miss one with a probability of 1e-5
		if sizes[n] == 0 {
			t.Errorf("no context of %d points: %v", n, sizes)
		}
	}
	if len(sizes) != 5 {
		t.Errorf("contexts of %v", sizes)
	}
}

func TestTooLargeCalibrationsAreRefused(t *testing.T) {
	for _, c := range []struct {
		split  string
		n      int
		sizes  []int
		expect string
	}{
		{"group", 5, []int{4, 4, 4, 4, 4, 1}, "found 5, expected fewer than the 5 groups of two points or more"},
		{"group", 6, []int{4, 4, 4, 4, 4, 1}, "found 6, expected at most 5"},
		{"point", 9, []int{4, 9, 1, 2}, ""},
		{"point", 10, []int{4, 9, 1, 2}, "found 10, expected at most 9, which leave two points of each group"},
	} {
		e := calibrating(t, c.split, c.n, c.sizes...)
		e.Train.ValidateEvery = 0
		_, err := benchmark.Open(e, t.TempDir())
		if c.expect == "" && err != nil || c.expect != "" && (err == nil || !strings.Contains(err.Error(), "data.calibration: "+c.expect)) {
			t.Errorf("%s, %d: %v, want %q", c.split, c.n, err, c.expect)
		}
	}
}

// A scan of the others counts what a source trains, validates and tests on, with rows that are dropped.
func TestScanOthersLeavesOutWhatIsForCalibration(t *testing.T) {
	for _, split := range []string{"group", "point"} {
		e := calibrating(t, split, 4, 6, 6, 6, 6, 6, 6, 6, 6)
		content, _ := os.ReadFile(e.Data.File)
		text := strings.Replace(string(content), "f0,", "f0,NA,1,\nf9,NA,1,\nf0,", 1)
		datatest.Put(t, e.Data.File, text)
		e.Data.Missing = config.Drop
		all := must.Get(rows.ScanFile(e.Data, ""))(t)
		others := must.Get(own.ScanOthers(e.Data, "", all))(t)
		want := map[string]int{}
		for _, r := range splitRows(t, e) {
			if part := r[len(r)-1]; part != "calibration" {
				want[r[0]] += map[string]int{"group": 6, "point": 1}[split]
			}
		}
		got := map[string]int{}
		for _, f := range others.Groups {
			if f.Used > 0 {
				got[f.Name] = f.Used
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", split, diff)
		}
		targets, context := heldPoints(datatest.Open(t, e, ""))
		y, _ := others.Column("y")
		for p := range targets {
			if float64(1000*p[0]+p[1]) == y.Most {
				t.Errorf("%s: %v is in the scan", split, p)
			}
		}
		if slices.Contains([]int{len(targets), len(context)}, 0) {
			t.Error("nothing is for calibration")
		}
	}
}
