package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/acqnp/acqnp/internal/atomicfile"
)

// Ablation is how log-likelihoods change with one whole number: the number of quantile levels, or the depth of ψ.
type Ablation struct {
	Title    string
	Variable string // name of the number, as an axis says it
	Column   string // and as a CSV file's header does
	Results  []AblationResult
}

// AblationResult is one evaluation of one run at one value of the number.
type AblationResult struct {
	Run       string `json:"run"`
	Benchmark string `json:"benchmark"`
	Model     string `json:"model"`
	Seed      uint64 `json:"seed"` // train.seed
	Steps     int    `json:"steps"`
	Value     int    `json:"value"`
	Eval      Eval   `json:"-"`
}

// AblationPoint is the mean over the runs of one model on one benchmark at one value; the deviations are NaN for one
// run.
type AblationPoint struct {
	Benchmark, Model    string
	Value, Runs         int
	Context, Target     float64
	ContextSD, TargetSD float64
	FewestBatches       int
}

// Points gathers the results, ordered by benchmark and model as they first occur, then by value.
func (a Ablation) Points() []AblationPoint {
	var points []AblationPoint
	of := map[[3]any][]AblationResult{}
	order := map[[2]string]int{}
	for _, r := range a.Results {
		who, key := [2]string{r.Benchmark, r.Model}, [3]any{r.Benchmark, r.Model, r.Value}
		if _, known := order[who]; !known {
			order[who] = len(order)
		}
		if of[key] == nil {
			points = append(points, AblationPoint{Benchmark: r.Benchmark, Model: r.Model, Value: r.Value})
		}
		of[key] = append(of[key], r)
	}
	for i := range points {
		p := &points[i]
		runs := of[[3]any{p.Benchmark, p.Model, p.Value}]
		p.Runs, p.FewestBatches = len(runs), runs[0].Eval.Batches
		for _, r := range runs {
			p.FewestBatches = min(p.FewestBatches, r.Eval.Batches)
		}
		p.Context, p.ContextSD = meanAndSD(runs, func(e Eval) float64 { return e.ContextLL.Mean })
		p.Target, p.TargetSD = meanAndSD(runs, func(e Eval) float64 { return e.TargetLL.Mean })
	}
	slices.SortStableFunc(points, func(p, q AblationPoint) int {
		if d := order[[2]string{p.Benchmark, p.Model}] - order[[2]string{q.Benchmark, q.Model}]; d != 0 {
			return d
		}
		return p.Value - q.Value
	})
	return points
}

// meanAndSD is over runs; the deviation is that of a sample (n−1), NaN for one.
func meanAndSD(runs []AblationResult, value func(Eval) float64) (mean, sd float64) {
	n := float64(len(runs))
	for _, r := range runs {
		mean += value(r.Eval) / n
	}
	for _, r := range runs {
		d := value(r.Eval) - mean
		sd += d * d
	}
	return mean, math.Sqrt(sd / (n - 1)) // 0/0 is NaN
}

// WriteRuns makes a CSV file with a line for every result.
func (a Ablation) WriteRuns(path string) error {
	header := []string{"run", "benchmark", "model", "seed", "steps", a.Column, "levels", "batches",
		"context_ll", "context_std_error", "target_ll", "target_std_error"}
	return writeCSV(path, header, len(a.Results), func(i int) []string {
		r := a.Results[i]
		e := r.Eval
		return []string{r.Run, r.Benchmark, r.Model, strconv.FormatUint(r.Seed, 10), strconv.Itoa(r.Steps),
			strconv.Itoa(r.Value), e.Levels, strconv.Itoa(e.Batches),
			number(e.ContextLL.Mean), stdError(e.ContextLL), number(e.TargetLL.Mean), stdError(e.TargetLL)}
	})
}

// WriteSummary makes a CSV file with a line for every point: means and standard deviations over runs, the latter empty
// for one run.
func (a Ablation) WriteSummary(path string) error {
	points := a.Points()
	header := []string{"benchmark", "model", a.Column, "runs", "batches", "context_ll", "context_sd", "target_ll", "target_sd"}
	return writeCSV(path, header, len(points), func(i int) []string {
		p := points[i]
		return []string{p.Benchmark, p.Model, strconv.Itoa(p.Value), strconv.Itoa(p.Runs), strconv.Itoa(p.FewestBatches),
			number(p.Context), number(p.ContextSD), number(p.Target), number(p.TargetSD)}
	})
}

func stdError(e Estimate) string {
	if e.StdError == nil {
		return ""
	}
	return number(*e.StdError)
}

func writeCSV(path string, header []string, rows int, row func(i int) []string) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		out := csv.NewWriter(w)
		_ = out.Write(header) // csv.Writer keeps its first error
		for i := range rows {
			_ = out.Write(row(i))
		}
		out.Flush()
		return out.Error()
	})
}

// Save draws the figure into path: the context's log-likelihood beside the targets', a line for each model with the
// standard deviation over its runs.
func (a Ablation) Save(path string) error {
	if len(a.Results) == 0 {
		return fmt.Errorf("plot %s: nothing to draw", path)
	}
	return saveFigure(path, figureWidth, figureHeight*3/4, a.draw)
}

func (a Ablation) draw(c draw.Canvas) {
	c = draw.Crop(c, 14, -20, 12, -14)
	points := a.Points()
	several := slices.ContainsFunc(points, func(p AblationPoint) bool { return p.Benchmark != points[0].Benchmark })
	var series [][]AblationPoint
	var entries []legendEntry
	for _, p := range points {
		if last := len(series) - 1; last >= 0 && series[last][0].Benchmark == p.Benchmark && series[last][0].Model == p.Model {
			series[last] = append(series[last], p)
			continue
		}
		name := DisplayName(p.Model)
		if several {
			name += " on " + p.Benchmark
		}
		entries = append(entries, legendEntry{name, lineWidth, lineThumb(seriesStyle(len(series)))})
		series = append(series, []AblationPoint{p})
	}
	if slices.ContainsFunc(points, func(p AblationPoint) bool { return p.Runs > 1 }) {
		entries = append(entries, legendEntry{"± standard deviation over runs", dotThumb, func(c *draw.Canvas) {
			errorBar(c, draw.LineStyle{Color: ink, Width: 1.2}, c.Center().X, c.Min.Y, c.Max.Y)
		}})
	}
	c = drawHeading(c, a.Title, entries)
	plots := [][]*plot.Plot{{
		a.panel("context", series, func(p AblationPoint) (float64, float64) { return p.Context, p.ContextSD }),
		a.panel("target", series, func(p AblationPoint) (float64, float64) { return p.Target, p.TargetSD }),
	}}
	for i, canvas := range plot.Align(plots, draw.Tiles{Rows: 1, Cols: 2, PadX: 20}, c)[0] {
		plots[0][i].Draw(canvas)
	}
}

func (a Ablation) panel(part string, series [][]AblationPoint, value func(AblationPoint) (mean, sd float64)) *plot.Plot {
	p := newSeriesPlot(a.Variable, part+" log-likelihood")
	var xs, ys []float64
	for i, s := range series {
		e := spread{style: seriesStyle(i)}
		for _, point := range s {
			mean, sd := value(point)
			e.at = append(e.at, plotter.XY{X: float64(point.Value), Y: mean})
			e.sd = append(e.sd, sd)
			xs = append(xs, float64(point.Value))
			ys = append(ys, mean)
			if finite(sd) {
				ys = append(ys, mean-sd, mean+sd)
			}
		}
		p.Add(e)
	}
	lo, hi := extremes(xs)
	p.X.Min, p.X.Max = widen(lo, hi, 0.06)
	p.X.Tick.Marker = wholeTicks(xs)
	lo, hi = extremes(ys)
	p.Y.Min, p.Y.Max = widen(lo, hi, 0.06)
	return p
}

// wholeTicks stand at the values themselves.
func wholeTicks(values []float64) plot.ConstantTicks {
	slices.Sort(values)
	var ticks plot.ConstantTicks
	for _, v := range slices.Compact(values) {
		ticks = append(ticks, plot.Tick{Value: v, Label: strconv.Itoa(int(v))})
	}
	return ticks
}

// spread is a line through means with bars of their deviations.
type spread struct {
	at    plotter.XYs
	sd    []float64
	style draw.LineStyle
}

func (s spread) Plot(c draw.Canvas, p *plot.Plot) {
	curve{s.at, s.style}.Plot(c, p)
	x, y := p.Transforms(&c)
	bar := s.style
	bar.Width, bar.Dashes = 1.2, nil
	for i, q := range s.at {
		dotStyle{s.style.Color, 3.2, false}.draw(&c, vg.Point{X: x(q.X), Y: y(q.Y)})
		if finite(s.sd[i]) {
			errorBar(&c, bar, x(q.X), y(q.Y-s.sd[i]), y(q.Y+s.sd[i]))
		}
	}
}

func errorBar(c *draw.Canvas, style draw.LineStyle, x, low, high vg.Length) {
	const half = 3
	c.StrokeLine2(style, x, low, x, high)
	c.StrokeLine2(style, x-half, low, x+half, low)
	c.StrokeLine2(style, x-half, high, x+half, high)
}
