package paper_test

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/datasets/paper"
	"github.com/acqnp/acqnp/internal/test/must"
)

// speedFlow returns the experiment for lanes of 40 rows.
func speedFlow() config.Experiment {
	return config.Experiment{
		Benchmark: "speed-flow",
		Data: config.Data{
			Seed: 43, Files: []string{"lane2.csv", "lane3.csv"}, TrainFraction: 0.75, Context: []int{5, 25}, Partitions: 100,
			FlowRange: []float64{0, 1},
		},
		Train: config.Train{BatchSize: 2, Seed: 1},
		Eval:  config.Eval{BatchSize: 2, Batches: 1, Seed: 43},
	}
}

// dataDir returns a directory with speed-flow/lane2.csv and lane3.csv of 40 rows. Lane 2 has flow
// 10, 20, … and speed flow/10. Lane 3 has twice the flow, with speed flow/10+1. The maxima are 800
// and 81.
func dataDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for lane := range 2 {
		text := "\"\",\"flow\",\"speed\"\n"
		for i := 1; i <= 40; i++ {
			flow := 10 * i * (lane + 1)
			text += fmt.Sprintf("\"%d\",%d,%d\n", i, flow, flow/10+lane)
		}
		datatest.Put(t, filepath.Join(dir, "speed-flow", fmt.Sprintf("lane%d.csv", lane+2)), text)
	}
	return dir
}

// pairs returns the points of a group from number first on, as a sorted list.
func pairs(b datasets.Batch, group, first, last int) [][2]float32 {
	var all [][2]float32
	for i := group*b.Points + first; i < group*b.Points+last; i++ {
		all = append(all, [2]float32{b.X[i], b.Y[i]})
	}
	slices.SortFunc(all, func(a, b [2]float32) int { return slices.Compare(a[:], b[:]) })
	return all
}

func TestSpeedFlowScalesByTheMaximaOfBothLanes(t *testing.T) {
	for _, flowRange := range [][]float64{{0, 1}, {-1, 1}} {
		e := speedFlow()
		e.Data.FlowRange = flowRange
		s := datatest.Open(t, e, dataDir(t))
		scaling := s.Scaling
		var b datasets.Batch
		must.Do(t, s.Eval.Make(0, &b))
		want := map[[2]float32]bool{} // every point of both lanes, scaled by hand
		for lane := range 2 {
			for i := 1; i <= 40; i++ {
				flow := float64(10 * i * (lane + 1))
				x := flowRange[0] + flow/800*(flowRange[1]-flowRange[0])
				want[[2]float32{float32(x), float32((flow/10 + float64(lane)) / 81)}] = true
			}
		}
		for f := range 2 {
			for _, p := range pairs(b, f, 0, 40) {
				if !want[p] {
					t.Fatalf("range %v: %v is no point of the lanes", flowRange, p)
				}
			}
		}
		raw := []float64{10, 400, 800}
		x := scaling.ModelX(raw)
		if got, want := float64(x[2]), flowRange[1]; got != want {
			t.Errorf("the largest flow became %v, want %v", got, want)
		}
		back := scaling.RawX([]float64{float64(x[0]), float64(x[1]), float64(x[2])})
		for i := range raw {
			if math.Abs(back[i]-raw[i]) > 1e-4 { // float32 in between: 800·2⁻²⁴
				t.Errorf("%v came back as %v", raw[i], back[i])
			}
		}
		if y := scaling.ModelY([]float64{81}); y[0] != 1 {
			t.Errorf("the largest speed became %v", y[0])
		}
		if y := scaling.RawY([]float64{0.5}); y[0] != 40.5 {
			t.Errorf("half the largest speed came back as %v", y[0])
		}
	}
}

func TestSpeedFlowSplitsEachLane(t *testing.T) {
	s := datatest.Open(t, speedFlow(), dataDir(t))
	if dx, dy := s.Dims(); dx != 1 || dy != 1 {
		t.Errorf("dims %d, %d", dx, dy)
	}
	if diff := cmp.Diff(datasets.Size{Groups: 2, Points: 40, Context: 30}, s.Eval.Size); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(datasets.Size{Groups: 2, Points: 30, Context: 25}, s.Train.Size); diff != "" {
		t.Error(diff)
	}
	if s.Eval.Count != 1 {
		t.Errorf("%d evaluation batches", s.Eval.Count)
	}
	var eval, train datasets.Batch
	must.Do(t, s.Eval.Make(0, &eval))
	if eval.Points != 40 || eval.Context != 30 || eval.Groups != 2 || len(eval.X) != 80 || len(eval.Y) != 80 {
		t.Fatalf("%d groups, %d points, %d context", eval.Groups, eval.Points, eval.Context)
	}
	if err := s.Eval.Make(1, &eval); err == nil {
		t.Error("there is a second evaluation batch")
	}
	for step := range 50 {
		must.Do(t, s.Train.Make(step, &train))
		for f := range 2 { // the same 30 points every time, none of them held out
			if diff := cmp.Diff(pairs(eval, f, 0, 30), pairs(train, f, 0, 30)); diff != "" {
				t.Fatal(diff)
			}
		}
	}
	held := map[int]bool{}
	for _, seed := range []uint64{43, 44} {
		e := speedFlow()
		e.Data.Seed = seed
		must.Do(t, datatest.Open(t, e, dataDir(t)).Eval.Make(0, &eval))
		for _, p := range pairs(eval, 0, 30, 40) {
			held[int(math.Round(float64(p[0])*800))] = true
		}
	}
	if len(held) <= 10 {
		t.Error("another data.seed holds out the same points")
	}
}

func TestSpeedFlowPartitions(t *testing.T) {
	dir := dataDir(t)
	s := datatest.Open(t, speedFlow(), dir)
	at := func(s *datasets.Source, step int) datasets.Batch {
		var b datasets.Batch
		must.Do(t, s.Train.Make(step, &b))
		return b
	}
	sizes, first := map[int]int{}, map[float32]int{}
	for step := range 100 {
		b := at(s, step)
		if b.Groups != 2 || b.Points != 30 || len(b.X) != 60 {
			t.Fatalf("step %d: %d groups of %d points", step, b.Groups, b.Points)
		}
		sizes[b.Context]++
		first[b.X[0]]++
		if slices.Equal(b.X[:30], at(s, step+1).X[:30]) && step < 99 {
			t.Errorf("steps %d and %d have the same order", step, step+1)
		}
	}
	for n := range sizes {
		if n < 5 || n > 25 {
			t.Errorf("a context of %d", n)
		}
	}
	// 100 draws of 21 sizes and of 30 first points: P(fewer than 15 different ones) is below 1e-6.
	if len(sizes) < 15 || len(first) < 15 {
		t.Errorf("%d context sizes and %d first points in 100 partitions", len(sizes), len(first))
	}
	if diff := cmp.Diff(at(s, 7), at(s, 107)); diff != "" {
		t.Error("step 107 is not partition 7 of 100 again:", diff)
	}
	other := speedFlow()
	other.Train.Seed, other.Eval.Seed = 99, 99
	if diff := cmp.Diff(at(s, 7), at(datatest.Open(t, other, dir), 7)); diff != "" {
		t.Error("train.seed or eval.seed touches the partitions:", diff)
	}
	other.Data.Seed = 99
	if slices.Equal(at(s, 7).X, at(datatest.Open(t, other, dir), 7).X) {
		t.Error("data.seed does not touch the partitions")
	}
	b := at(s, 3) // buffers are used again
	must.NotAllocate(t, "Train", 5, func() { _ = s.Train.Make(4, &b) })
}

func TestSpeedFlowRefusesBadInput(t *testing.T) {
	good := dataDir(t)
	with := func(file, content string) string {
		dir := dataDir(t)
		datatest.Put(t, filepath.Join(dir, "speed-flow", file), content)
		return dir
	}
	set := func(change func(e *config.Experiment)) config.Experiment {
		e := speedFlow()
		change(&e)
		return e
	}
	lacking := dataDir(t)
	must.Do(t, os.Remove(filepath.Join(lacking, "speed-flow", "lane3.csv")))
	cases := []struct {
		name, dir, says string
		e               config.Experiment
	}{
		{"no directory", t.TempDir(), "lane2.csv", speedFlow()},
		{"one lane missing", lacking, "lane3.csv", speedFlow()},
		{"asked-for file missing", good, "mine.rda", set(func(e *config.Experiment) { e.Data.Files = []string{"mine.rda"} })},
		{"no column", with("lane3.csv", "flow,pace\n1,2\n"), "a header with speed", speedFlow()},
		{"NA", with("lane3.csv", "flow,speed\n1,NA\n"), "lane3.csv:2", speedFlow()},
		{"lanes of different length", with("lane3.csv", "flow,speed\n1,2\n"), "40 and of 1 rows", speedFlow()},
		{"one file", good, "1 lanes", set(func(e *config.Experiment) { e.Data.Files = e.Data.Files[:1] })},
		{"a text file named .rda", with("all.rda", "hello"), "all.rda", set(func(e *config.Experiment) { e.Data.Files = []string{"all.rda"} })},
		{"context beyond the training points", good, "data.context", set(func(e *config.Experiment) { e.Data.Context = []int{5, 30} })},
		{"nothing held out", good, "data.train_fraction", set(func(e *config.Experiment) { e.Data.TrainFraction = 0.9999999999999 })},
	}
	for _, c := range cases {
		datatest.Refused(t, c.e, c.dir, c.says)
	}
}

func TestScalingOfASourceWithoutOne(t *testing.T) {
	s := datasets.Unscaled(2, 1)
	if diff := cmp.Diff([]float32{1, 2, -3, 4}, s.ModelX([]float64{1, 2, -3, 4})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]float64{0.5, 7}, s.RawY([]float64{0.5, 7})); diff != "" {
		t.Error(diff)
	}
}

// checked returns the statuses of all benchmarks by their names.
func checked(dir string) map[string]paper.Status {
	all := map[string]paper.Status{}
	for _, s := range paper.Check(dir) {
		all[s.Benchmark] = s
	}
	return all
}

func TestCheckSaysWhatIsThere(t *testing.T) {
	good, none := checked(dataDir(t)), checked(t.TempDir())
	if len(catalogue.All()) != len(good) {
		t.Errorf("%d benchmarks, %d checked", len(catalogue.All()), len(good))
	}
	for _, name := range slices.Sorted(maps.Keys(none)) {
		ready := slices.Contains(syntheticNames, name) || name == "groups" || name == "csv" || name == "tasks" // whose files only a configuration knows
		if s := none[name]; s.Ready != ready || (s.Help == "") != ready {
			t.Errorf("without files: %+v", s)
		}
	}
	if s := good["speed-flow"]; !s.Ready || !strings.Contains(s.Detail, "40 rows") || s.Help != "" {
		t.Errorf("found %+v, want speed-flow ready with 40 rows", s)
	}
	if s := none["speed-flow"]; !strings.Contains(s.Detail, "lane2.csv") || !strings.Contains(s.Help, "hdrcde") {
		t.Errorf("found %+v, want lane2.csv missing and help with hdrcde", s)
	} else if strings.Contains(s.Detail, "hdrcde") {
		t.Errorf("found %q, want the help once", s.Detail)
	}
}

// realData returns the directory of the real data, which are not part of the repository.
func realData(t *testing.T) string {
	t.Helper()
	shared := os.Getenv("ACQNP_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	dir := filepath.Join(shared, "data")
	if _, err := os.Stat(filepath.Join(dir, "speed-flow")); err != nil {
		t.Skip("the speed-flow data are not there")
	}
	return dir
}

func TestRealSpeedFlow(t *testing.T) {
	dir := realData(t)
	e := speedFlow()
	e.Data.Context, e.Data.Partitions = []int{500, 985}, 10000
	s := datatest.Open(t, e, dir)
	if diff := cmp.Diff(datasets.Size{Groups: 2, Points: 988, Context: 985}, s.Train.Size); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(datasets.Size{Groups: 2, Points: 1318, Context: 988}, s.Eval.Size); diff != "" {
		t.Error(diff)
	}
	scaling := s.Scaling
	if x, y := scaling.XScale[0], scaling.YScale[0]; math.Abs(x-2811.41) > 0.005 || y != 70.1 {
		t.Errorf("scales %v and %v, want 2811.41 and 70.1", x, y)
	}
	var fromCSV, fromR datasets.Batch
	must.Do(t, s.Train.Make(12, &fromCSV))
	e.Data.Files = []string{"hdrcde-data.rda"}
	must.Do(t, datatest.Open(t, e, dir).Train.Make(12, &fromR))
	// The CSV has 15 of the 17 digits that float64 needs, so a float32 may round the other way.
	for i := range fromCSV.X {
		if d := math.Abs(float64(fromCSV.X[i] - fromR.X[i])); d > 1e-7 || fromCSV.Y[i] != fromR.Y[i] {
			t.Fatalf("point %d: (%v, %v) from CSV, (%v, %v) from R", i, fromCSV.X[i], fromCSV.Y[i], fromR.X[i], fromR.Y[i])
		}
	}
	// R's file alone is enough if the configuration has the default files.
	alone := t.TempDir()
	content := must.Get(os.ReadFile(filepath.Join(dir, "speed-flow", "hdrcde-data.rda")))(t)
	datatest.Put(t, filepath.Join(alone, "speed-flow", "hdrcde-data.rda"), string(content))
	e.Data.Files = []string{"lane2.csv", "lane3.csv"}
	var again datasets.Batch
	must.Do(t, datatest.Open(t, e, alone).Train.Make(12, &again))
	if diff := cmp.Diff(fromR, again); diff != "" {
		t.Error(diff)
	}
}
