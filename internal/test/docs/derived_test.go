package docs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/acqnp/acqnp/internal/config/catalogue"
)

// Figures of a table have three decimals, so sums and differences of two are off by up to a thousandth.
const rounding = 0.0011

// A row of a file of data, by the names of its columns.
type row struct {
	t     *testing.T
	file  string
	cells map[string]string
}

// rows returns the rows of docs/results/data/NAME.csv, or those of them that have the cells of like.
func rows(t *testing.T, name string, like map[string]string) (found []row) {
	t.Helper()
	all := records(t, data+"/"+name+".csv")
next:
	for _, cells := range all[1:] {
		r := row{t, name, map[string]string{}}
		for i, column := range all[0] {
			r.cells[column] = cells[i]
		}
		for column, cell := range like {
			if r.cells[column] != cell {
				continue next
			}
		}
		found = append(found, r)
	}
	if len(found) == 0 {
		t.Fatalf("%s.csv has no row with %v", name, like)
	}
	return found
}

func (r row) number(column string) float64 {
	r.t.Helper()
	x, err := strconv.ParseFloat(r.cells[column], 64)
	if err != nil {
		r.t.Fatalf("%s.csv: the column %s of %v: %v", r.file, column, r.cells, err)
	}
	return x
}

// says compares a cell with a number.
func (r row) says(column string, want, tolerance float64) {
	r.t.Helper()
	if got := r.number(column); math.Abs(got-want) > tolerance {
		r.t.Errorf("%s.csv: the column %s has %v in %v, computed %.4f", r.file, column, got, r.cells, want)
	}
}

// The tables of differences follow from those of the log densities.
func TestDifferencesAreThoseToTheBestBaseline(t *testing.T) {
	const ours = "acqnp (init)"
	for _, name := range []string{"baselines", "last-sets"} {
		scores := rows(t, name+"-log-density", nil)
		if n := len(rows(t, name+"-differences", nil)); n != len(scores) {
			t.Errorf("%s: %d sets have differences, %d scores", name, n, len(scores))
		}
		for _, score := range scores {
			best := math.Inf(-1)
			for column := range score.cells {
				if column != ours && score.cells[column+" ±"] != "" {
					best = max(best, score.number(column))
				}
			}
			difference := rows(t, name+"-differences", map[string]string{"set": score.cells["set"]})[0]
			baseline := difference.cells["best baseline"]
			if score.number(baseline) < best {
				t.Errorf("%s: %s is not the best baseline of %v", name, baseline, score.cells)
			}
			a, b := score.number(ours+" ±"), score.number(baseline+" ±")
			difference.says("difference", score.number(ours)-best, rounding)
			difference.says("unpaired error", math.Hypot(a, b), rounding)
			difference.says("largest error", a+b, rounding)
		}
	}
}

// The tables beside the paper have the means and the deviations of their runs, and the differences
// that follow.
func TestResultsBesideThePaperAreThoseOfTheRuns(t *testing.T) {
	for _, name := range []string{"paper-speed-flow", "paper-freyface"} {
		for _, result := range rows(t, name, nil) {
			runs := rows(t, name+"-runs", map[string]string{"model": result.cells["model"]})
			result.says("runs", float64(len(runs)), 0)
			for _, kind := range []string{"context", "target"} {
				var values []float64
				for _, run := range runs {
					values = append(values, run.number(kind))
				}
				result.says(kind, stat.Mean(values, nil), rounding)
				spread := result.number(kind + " ±")
				if len(runs) > 1 { // else it is the error over the batches of one
					result.says(kind+" ±", stat.StdDev(values, nil), rounding)
				}
				spread /= math.Sqrt(float64(len(runs)))
				combined := math.Hypot(spread, result.number("paper, "+kind+" ±"))
				difference := (result.number(kind) - result.number("paper, "+kind)) / combined
				// Half a thousandth in each of four figures, and the one decimal of the quotient.
				result.says("difference, "+kind, difference, 0.05+(1+math.Abs(difference))*rounding/combined)
			}
		}
	}
}

func TestFloat32BesideBF16IsThatOfTheRuns(t *testing.T) {
	file := map[string]string{"Speed-Flow": "paper-speed-flow-runs", "FreyFace": "paper-freyface-runs"}
	for _, r := range rows(t, "paper-bf16", nil) {
		run := rows(t, file[r.cells["benchmark"]], map[string]string{"model": r.cells["model"], "train.seed": r.cells["train.seed"]})[0]
		r.says("context, fp32", run.number("context"), 0)
		r.says("target, fp32", run.number("target"), 0)
	}
}

// The paper's figures stand in the catalogue, and in tables beside ours.
func TestPapersFiguresAreThoseOfTheCatalogue(t *testing.T) {
	printed := map[string]catalogue.Benchmark{}
	for _, b := range catalogue.All() {
		printed[b.Printed] = b
	}
	for _, name := range []string{"paper-speed-flow", "paper-freyface", "paper-cnp"} {
		for _, r := range rows(t, name, nil) {
			model := "cnp"
			if m, has := r.cells["model"]; has {
				model = strings.ToLower(m)
			}
			paper, known := printed[r.cells["benchmark"]].Results[model]
			if !known {
				t.Errorf("%s: the catalogue lacks %s of %s", name, model, r.cells["benchmark"])
			}
			r.says("paper, context", paper.Context.Mean, 0)
			r.says("paper, context ±", paper.Context.Spread, 0)
			r.says("paper, target", paper.Target.Mean, 0)
			r.says("paper, target ±", paper.Target.Spread, 0)
			if name == "paper-cnp" {
				r.says("less the paper's, context", r.number("context")-paper.Context.Mean, 1e-9)
				r.says("less the paper's, target", r.number("target")-paper.Target.Mean, 1e-9)
			}
		}
	}
}

// extremes returns the lowest and the highest figure of a column.
func extremes(rows []row, column string) string {
	by := func(a, b row) int { return cmp.Compare(a.number(column), b.number(column)) }
	return slices.MinFunc(rows, by).cells[column] + " to " + slices.MaxFunc(rows, by).cells[column]
}

// The page of results states the extremes of the table beside PyTorch.
func TestTimesBesidePyTorchAreExtremes(t *testing.T) {
	page := strings.Join(strings.Fields(read(t, "docs/results/index.md")), " ")
	for _, c := range []struct{ precision, column string }{{"fp32", "times"}, {"bf16", "times"}, {"fp32", "times fp32"}} {
		want := extremes(rows(t, "pytorch", map[string]string{"acqnp": c.precision}), c.column) + " times"
		if !strings.Contains(page, want) {
			t.Errorf("docs/results/index.md lacks %q", want)
		}
	}
}

// The summary of attention has the extremes of the runs, or the best of a longer one, and the paper's
// best targets.
func TestSummaryOfAttentionIsThatOfItsRuns(t *testing.T) {
	summary := func(line, benchmark string) string {
		return rows(t, "attention-summary", map[string]string{"targets": line})[0].cells[benchmark]
	}
	best := func(benchmark string) (context, target string) {
		b, _ := catalogue.Find(benchmark)
		c, d := math.Inf(-1), math.Inf(-1)
		for model, r := range b.Results {
			if r.Context.Mean > c {
				c, context = r.Context.Mean, fmt.Sprintf("%.3f (%s)", r.Context.Mean, strings.ToUpper(model))
			}
			if r.Target.Mean > d {
				d, target = r.Target.Mean, fmt.Sprintf("%.3f (%s)", r.Target.Mean, strings.ToUpper(model))
			}
		}
		return context, target
	}
	equal := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	for _, benchmark := range []string{"rbf", "matern52", "sawtooth", "circle"} {
		runs := rows(t, "attention", map[string]string{"benchmark": benchmark})
		equal(benchmark, summary("ours", benchmark), extremes(runs, "target"))
		equal(benchmark, summary("seconds on one core", benchmark), extremes(runs, "seconds"))
		context, target := best(benchmark)
		for _, run := range runs {
			equal(benchmark, run.cells["the paper's best context"], context)
			equal(benchmark, run.cells["the paper's best target"], target)
		}
	}
	for _, benchmark := range []string{"lissajous", "double-sine"} {
		runs := rows(t, "attention-longer", map[string]string{"benchmark": benchmark})
		last := slices.MaxFunc(runs, func(a, b row) int { return cmp.Compare(a.number("target"), b.number("target")) })
		equal(benchmark, summary("ours", benchmark), last.cells["target"])
		equal(benchmark, summary("seconds on one core", benchmark), last.cells["seconds"])
	}
	for _, b := range []string{"rbf", "matern52", "sawtooth", "circle", "lissajous", "double-sine"} {
		_, target := best(b)
		number, _, _ := strings.Cut(target, " ")
		equal(b, summary("the paper's best", b), number)
	}
}

// The prose states how many sets gain and lose by the natural scale, beyond two standard errors.
func TestNaturalScaleGainsAndLosesOnAsManySets(t *testing.T) {
	pages := map[string]string{"own-data": "", "index": ""}
	for name := range pages {
		pages[name] = strings.Join(strings.Fields(read(t, "docs/results/"+name+".md")), " ")
	}
	count := func(model string) (gains, losses int) {
		for _, r := range rows(t, "natural-scale", nil) {
			if r.cells[model+", difference"] == "" {
				continue
			}
			switch z := r.number(model+", difference") / r.number(model+", difference ±"); {
			case z > 2:
				gains++
			case z < -2:
				losses++
			}
		}
		return gains, losses
	}
	gains, losses := count("ACQNP")
	for _, want := range [][2]string{
		{"index", fmt.Sprintf("loses on %d sets with ACQNP", losses)},
		{"index", fmt.Sprintf("gains on %d (", gains)},
		{"own-data", fmt.Sprintf("has %d gains and %d losses", gains, losses)},
	} {
		if !strings.Contains(pages[want[0]], want[1]) {
			t.Errorf("docs/results/%s.md lacks %q", want[0], want[1])
		}
	}
	gains, losses = count("CQNP")
	if want := fmt.Sprintf("gains: %d gains and %d loss ", gains, losses); !strings.Contains(pages["own-data"], want) {
		t.Errorf("docs/results/own-data.md lacks %q", want)
	}
}
