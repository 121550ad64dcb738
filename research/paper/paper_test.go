package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/run"
)

// One run's difference to the paper has the variance of its seed, by both readings of the paper's ±. Three runs
// have a deviation of their own.
func TestErrorsHaveTheVarianceOfASeed(t *testing.T) {
	c := cell{runs: 1}
	c.parts[ofTarget] = figure{mean: 1, spread: 0.01, paper: catalogue.Number{Mean: 0.5, Spread: 0.1}}
	one := [2]float64{math.Sqrt(0.01*0.01 + 0.1*0.1*(1+1./6)), math.Sqrt(0.01*0.01 + 7*0.1*0.1)}
	c3 := c
	c3.runs = 3
	three := [2]float64{math.Sqrt(0.01*0.01/3 + 0.1*0.1/6), math.Sqrt(0.01*0.01/3 + 0.1*0.1)}
	for _, test := range []struct {
		cell cell
		want [2]float64
	}{{c, one}, {c3, three}} {
		l := test.cell.beyond(ofTarget)
		for i, want := range test.want {
			if l.value != 0.5 || math.Abs(l.errors[i]-want) > 1e-12 { // rounding
				t.Errorf("%d runs: %v, want 0.5 with %v", test.cell.runs, l, test.want)
			}
		}
	}
}

// Both parts and both readings decide.
func TestVerdicts(t *testing.T) {
	of := func(value, first, second float64) lead { return lead{value, [2]float64{first, second}} }
	for want, c := range map[string]claim{
		"yes":                      {leads: []lead{of(1, 0.1, 0.4), of(3, 1, 1)}},
		"yes, if ± is a deviation": {leads: []lead{of(1, 0.1, 0.6), of(3, 1, 1)}},
		"open":                     {leads: []lead{of(1, 0.1, 0.4), of(-1, 1, 1)}},
		"no":                       {leads: []lead{of(1, 0.1, 0.4), of(-3, 1, 1)}},
		"not tested":               {answer: "not tested"},
	} {
		if got := c.verdict(); got != want {
			t.Errorf("%v: %q, want %q", c.leads, got, want)
		}
	}
}

// A claim about baselines names those that it is not compared with.
func TestAbsentBaselines(t *testing.T) {
	of := func(model string) cell { return cell{benchmark: "Circle", model: model} }
	c := outperforms("", "Circle", []cell{of("ACQNP"), of("CNP")})
	if row := c.row(); !strings.HasSuffix(row[len(row)-1], "; not trained: CANP, BNP, CQNP") {
		t.Errorf("found %q", row)
	}
	c.leads = []lead{{3, [2]float64{1, 1}}}
	if got := c.verdict(); got != "open: ahead of CNP" {
		t.Errorf("%q, want it open", got)
	}
	if c := outperforms("", "Circle", []cell{of("ACQNP"), of("CQNP"), of("BNP"), of("CANP"), of("CNP")}); c.absent != "" {
		t.Errorf("found %q absent, want none", c.absent)
	}
}

// What is recorded is what the recorded tables give.
func TestRecordedTablesAreMadeFromTheCells(t *testing.T) {
	o := options{data: t.TempDir(), images: t.TempDir()}
	if err := os.CopyFS(o.data, os.DirFS("../data")); err != nil {
		t.Fatal(err)
	}
	if err := tables(o); err != nil {
		t.Fatal(err)
	}
	for got, want := range map[string]string{
		filepath.Join(o.data, "paper-differences.csv"): "../data/paper-differences.csv",
		filepath.Join(o.data, "paper-claims.csv"):      "../data/paper-claims.csv",
		filepath.Join(o.images, "paper-cells.svg"):     "../../docs/img/paper-cells.svg",
	} {
		if diff := cmp.Diff(read(t, want), read(t, got)); diff != "" {
			t.Errorf("%s is not what go run -C research ./paper writes (-recorded +made):\n%s", want, diff)
		}
	}
}

// A variant of a model is compared with the paper's figure of the model, and is not one of its cells: it stands for no claim.
func TestVariantsStandBesideTheModel(t *testing.T) {
	c, err := newCell(map[string]string{"benchmark": "RBF", "model": "CANP, shared heads", "train.seed": "0", "context": "1", "context ±": "0.1", "target": "0.25", "target ±": "0.1"})
	if err != nil {
		t.Fatal(err)
	}
	const papers = 0.225                                                  // its table's CANP on RBF, targets
	if l := c.beyond(ofTarget); math.Abs(l.value-(0.25-papers)) > 1e-12 { // rounding
		t.Errorf("targets are %v beyond the paper's, want %v", l.value, 0.25-papers)
	}
	of := func(model string) cell { return cell{benchmark: "RBF", model: model} }
	if got := outperforms("", "RBF", []cell{of("ACQNP"), of("CNP"), of("CANP, shared heads")}); got.rivals != "CNP" {
		t.Errorf("found the rivals %q, want CNP", got.rivals)
	}
}

// One seed leaves it open what CANP's mean is near to; three decide by what they vary.
func TestModesNeedSeeds(t *testing.T) {
	row := func(seed, share string) map[string]string {
		return map[string]string{"model": "CANP", "benchmark": "Circle", "train.seed": seed, "mean nearer to the average, %": share, "mean nearer to the average, % ±": "0.5"}
	}
	for _, test := range []struct {
		want   string
		shares []string
	}{
		{"open: what a seed varies by is not measured", []string{"84"}},
		{"yes", []string{"84", "80", "88"}},
		{"no", []string{"84", "20", "60"}},
	} {
		var rows []map[string]string
		for seed, share := range test.shares {
			rows = append(rows, row(fmt.Sprint(seed), share))
		}
		if claims := ofModes(rows); len(claims) != 1 || claims[0].verdict() != test.want {
			t.Errorf("%v: found %+v, want one claim, %s", test.shares, claims, test.want)
		}
	}
}

// A comparison of measurements needs their errors over seeds: all pairs decide.
func TestMeasurementsNeedSeeds(t *testing.T) {
	row := func(model, width, deviation string) map[string]string {
		return map[string]string{"model": model, "runs": "4", "mean width, mph": width, "mean width, mph ±": deviation}
	}
	for _, test := range []struct{ want, bnp, deviation string }{
		{"yes", "24", "1"}, {"open", "20.5", "1"}, {"no", "17", "1"}, {"open: what a seed varies by is not measured", "24", ""},
	} {
		rows := []map[string]string{row("CQNP", "19", "1"), row("ACQNP", "20", "1"), row("CANP, sigma floor 0.01", "25", "1"), row("BNP, sigma floor 0.01", test.bnp, test.deviation)}
		if claims := ofBands(rows); claims[0].verdict() != test.want { // the error of a difference is √(1/4 + 1/4)
			t.Errorf("BNP %s ± %s: found %q, want %q", test.bnp, test.deviation, claims[0].verdict(), test.want)
		}
	}
}

// What few levels cost is compared by what seeds vary by; another benchmark than the paper's is said.
func TestTheCostOfFewLevelsNeedsSeeds(t *testing.T) {
	row := func(model, levels, runs, target string) map[string]string {
		return map[string]string{"benchmark": "Speed-Flow", "model": model, "levels": levels, "runs": runs, "target": target, "target ±": "0.1"}
	}
	for _, test := range []struct{ want, runs, few string }{
		{"yes", "3", "0.2"}, {"open", "3", "0.9"}, {"no", "3", "1.6"}, {"open: what a seed varies by is not measured", "1", "0.2"},
	} {
		rows := []map[string]string{row("ACQNP", "3", test.runs, "0.9"), row("ACQNP", "11", test.runs, "1"), row("CQNP", "3", test.runs, test.few), row("CQNP", "11", test.runs, "1")}
		want := test.want + ", there; Lissajous is not tested"
		if claims := ofLevels(rows); claims[0].verdict() != want { // the error of a difference of costs is √(4·0.1²)
			t.Errorf("%s runs, CQNP from %s: found %q, want %q", test.runs, test.few, claims[0].verdict(), want)
		}
	}
}

// keep writes a run with evaluations below a directory.
func keep(t *testing.T, dir, config string, evals map[string]run.Eval) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(read(t, "../../configs/"+config)), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, e := range evals {
		if err := e.Write(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// Scores are means over seeds, with their deviation from three on; the last step stands beside the mean of the last checkpoints.
func TestScoresAndLastCheckpoints(t *testing.T) {
	o := options{data: t.TempDir()}
	runs := t.TempDir()
	for seed := range 3 {
		of := func(step int) run.Eval {
			e := run.NewEval([]run.BatchResult{{NumPoints: 2, NumContext: 1, ContextLL: float64(step), TargetLL: -float64(step)}}, 0)
			e.Benchmark, e.Model, e.Weights.Step = "rbf", "canp", &step
			e.Means = &score.Means{CRPS: float64(1 + seed), Coverage: score.Coverage{Half: 0.5, Most: 0.8 + 0.05*float64(seed)}}
			return e
		}
		keep(t, filepath.Join(runs, "rbf", fmt.Sprintf("seed-%d", seed)), "rbf/canp.yaml", map[string]run.Eval{"eval.json": of(3)})
		if seed == 0 {
			keep(t, filepath.Join(runs, "last"), "rbf/canp-shared.yaml", map[string]run.Eval{"last-1.json": of(1), "last-2.json": of(2), "last-6.json": of(6)})
		}
	}
	for name, want := range map[string]string{
		"scores": "RBF,CANP,6 to 100,3,2.0000,1.0000,50.0,0.0,85.0,5.0",
		"last":   "RBF,\"CANP, shared heads\",6 to 100,3,6.000,3.000,2.646,-6.000,-3.000,2.646", // the deviation of 1, 2 and 6
	} {
		if err := write(o, []string{name, runs}); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Split(read(t, filepath.Join(o.data, "paper-"+name+".csv")), "\n"); len(lines) != 3 || lines[1] != want {
			t.Errorf("%s: found %q, want %q below a header", name, lines, want)
		}
	}
}

// An evaluation that lacks what a table is of is named.
func TestEvaluationsLackWhatIsAsked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "seed-0")
	e := run.NewEval([]run.BatchResult{{NumPoints: 2, NumContext: 1}}, 0)
	e.Benchmark, e.Model = "rbf", "canp"
	keep(t, dir, "rbf/canp.yaml", map[string]run.Eval{"eval.json": e, "last-1.json": e})
	for name, want := range map[string]string{"scores": "without scores", "last": "without a step"} {
		if err := write(options{data: t.TempDir()}, []string{name, dir}); err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s of %s", name, err, want, dir)
		}
	}
}

// The lower floor's gain is paired by seed and split, and has no error with one pair.
func TestGainsArePaired(t *testing.T) {
	runs := [][]string{
		{"FreyFace", "CNP", "0.01", "0", "43", "1.300", "1.200"}, {"FreyFace", "CNP", "0.01", "1", "44", "1.100", "1.100"},
		{"FreyFace", "CNP", "0.01", "2", "45", "9", "9"}, {"FreyFace", "CNP", "0.1", "0", "43", "1.000", "1.000"},
		{"FreyFace", "CNP", "0.1", "1", "44", "0.900", "0.900"}, {"Circle", "CNP", "0.01", "0", "43", "1", "1"}, {"Circle", "CNP", "0.1", "0", "43", "0.5", "0"},
	}
	want := [][]string{
		{"FreyFace", "CNP", "2", "0.950", "1.200", "+0.250", "0.050", "0.950", "1.150", "+0.200", "0.000"},
		{"Circle", "CNP", "1", "0.500", "1.000", "+0.500", "", "0.000", "1.000", "+1.000", ""},
	}
	if diff := cmp.Diff(want, gains(runs)[1:]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Figure 4 from evaluations of two seeds: means, errors, and a line for each model and part.
func TestLevels(t *testing.T) {
	o := options{data: t.TempDir(), images: t.TempDir()}
	runs := t.TempDir()
	for _, model := range []string{"acqnp", "cqnp"} {
		for seed := range 2 {
			evals := map[string]run.Eval{}
			for _, n := range []int{3, 11} {
				e := run.NewEval([]run.BatchResult{{NumPoints: 2, NumContext: 1, ContextLL: float64(n), TargetLL: float64(seed)}}, 0)
				e.Benchmark, e.Model, e.NumTau = "lissajous", model, n
				evals[fmt.Sprintf("levels-%d.json", n)] = e
			}
			keep(t, filepath.Join(runs, "lissajous", model, fmt.Sprintf("seed-%d", seed)), "lissajous/"+model+".yaml", evals)
		}
	}
	if err := levels(o, []string{runs}); err != nil {
		t.Fatal(err)
	}
	want := "benchmark,model,levels,runs,context,context ±,target,target ±\n" +
		"Lissajous,ACQNP,3,2,3.000,,0.500,0.500\nLissajous,ACQNP,11,2,11.000,,0.500,0.500\n" +
		"Lissajous,CQNP,3,2,3.000,,0.500,0.500\nLissajous,CQNP,11,2,11.000,,0.500,0.500\n"
	if diff := cmp.Diff(want, read(t, filepath.Join(o.data, "paper-levels.csv"))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if n := strings.Count(read(t, filepath.Join(o.images, "paper-levels.svg")), "<path"); n != 4 {
		t.Errorf("the chart has %d lines, want 4", n)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
