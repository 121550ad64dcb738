// Package ablate runs the ablations of the paper's figure 4. They vary one number of a model, the
// number of quantile levels at test time or the depth of ψ, and measure its log-likelihoods.
//
// A [Protocol] makes the trials. A [Trial] is one run, to train or finished, and the values at
// which it is evaluated. A [Runner] trains and evaluates trials. A [Result] is one evaluation, and
// a [Point] is the mean over runs that differ only in their seed.
package ablate

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/run"
)

// Result is one evaluation of one run at one value of the ablation's number.
type Result struct {
	Run   string // its directory
	Seed  uint64 // train.seed
	Steps int    // of training
	Size  string // as config.Model.Size names it
	Value int
	Eval  run.Eval
}

// Point is the mean over the runs of one model, variant and size on one benchmark at one value.
type Point struct {
	Benchmark string `json:"benchmark"`
	Model     string `json:"model"`
	Variant   string `json:"variant,omitempty"` // as config.Experiment.Variant names it, and the size if there are several
	Value     int    `json:"value"`
	Runs      int    `json:"runs"`
	Batches   int    `json:"batches"` // of the run with the fewest
	Context   Spread `json:"context_ll"`
	Target    Spread `json:"target_ll"`
}

// Spread is a mean over n runs and their sample standard deviation, with divisor n−1. SD is nil for
// one run.
type Spread struct {
	Mean float64  `json:"mean"`
	SD   *float64 `json:"sd"`
}

// Deviation returns the standard deviation, or NaN for one run.
func (s Spread) Deviation() float64 {
	if s.SD == nil {
		return math.NaN()
	}
	return *s.SD
}

// String returns "mean ± standard deviation", or the mean alone for one run.
func (s Spread) String() string {
	if s.SD == nil {
		return fmt.Sprintf("%.4f", s.Mean)
	}
	return fmt.Sprintf("%.4f ± %.4f", s.Mean, *s.SD)
}

// A Series is a variant of a model on a benchmark: one line in the figure of an ablation. If its
// runs have several sizes, each size is a variant.
type Series struct{ Benchmark, Model, Variant string }

// Series returns the series that the point belongs to.
func (p Point) Series() Series { return Series{p.Benchmark, p.Model, p.Variant} }

// Points averages the results of each series and value. It orders the points by the first
// occurrence of their series, then by value.
func Points(results []Result) []Point {
	type at struct {
		Series
		value int
	}
	var points []Point
	of := map[at][]Result{}
	order := map[Series]int{}
	for _, r := range sized(results) {
		p := Point{Benchmark: r.Eval.Benchmark, Model: r.Eval.Model, Variant: r.Eval.Variant, Value: r.Value}
		s := p.Series()
		if _, known := order[s]; !known {
			order[s] = len(order)
		}
		if of[at{s, r.Value}] == nil {
			points = append(points, p)
		}
		of[at{s, r.Value}] = append(of[at{s, r.Value}], r)
	}
	for i := range points {
		p := &points[i]
		p.average(of[at{p.Series(), p.Value}])
	}
	slices.SortStableFunc(points, func(p, q Point) int {
		if d := order[p.Series()] - order[q.Series()]; d != 0 {
			return d
		}
		return p.Value - q.Value
	})
	return points
}

// sized returns the results with the size added to each variant that has several.
func sized(results []Result) []Result {
	of := func(r Result) Series { return Series{r.Eval.Benchmark, r.Eval.Model, r.Eval.Variant} }
	first, several := map[Series]string{}, map[Series]bool{}
	for _, r := range results {
		if size, known := first[of(r)]; !known {
			first[of(r)] = r.Size
		} else if size != r.Size {
			several[of(r)] = true
		}
	}
	results = slices.Clone(results)
	for i := range results {
		if r := &results[i]; several[of(*r)] {
			r.Eval.Variant = strings.TrimPrefix(r.Eval.Variant+", "+r.Size, ", ")
		}
	}
	return results
}

// average sets the point's numbers from the results of its runs.
func (p *Point) average(runs []Result) {
	p.Runs, p.Batches = len(runs), runs[0].Eval.Batches
	for _, r := range runs {
		p.Batches = min(p.Batches, r.Eval.Batches)
	}
	p.Context = spreadOf(runs, func(r Result) float64 { return r.Eval.ContextLL.Mean })
	p.Target = spreadOf(runs, func(r Result) float64 { return r.Eval.TargetLL.Mean })
}

func spreadOf(runs []Result, value func(Result) float64) Spread {
	var s Spread
	n := float64(len(runs))
	for _, r := range runs {
		s.Mean += value(r) / n
	}
	if len(runs) < 2 {
		return s
	}
	squares := 0.0
	for _, r := range runs {
		d := value(r) - s.Mean
		squares += d * d
	}
	sd := math.Sqrt(squares / (n - 1))
	s.SD = &sd
	return s
}

// Extent returns " (training steps: …; evaluation batches: …)" for a figure's title. There is at
// least one result.
func Extent(results []Result) string {
	span := func(of func(r Result) int) string {
		lo, hi := of(results[0]), of(results[0])
		for _, r := range results {
			lo, hi = min(lo, of(r)), max(hi, of(r))
		}
		if lo == hi {
			return strconv.Itoa(lo)
		}
		return fmt.Sprintf("%d to %d", lo, hi)
	}
	return fmt.Sprintf(" (training steps: %s; evaluation batches: %s)", span(func(r Result) int { return r.Steps }),
		span(func(r Result) int { return r.Eval.Batches }))
}
