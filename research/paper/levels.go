package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/acqnp/acqnp/internal/config/catalogue"
)

// A mark is the mean log-likelihood of the runs of a model with some levels, or with ψ of some depth.
type mark struct {
	benchmark, model string
	x, runs          int
	mean, err        [2]float64 // context, target; err is 0 if it is not known
}

// levels writes figure 4, left: the log-likelihood by the number of levels in the evaluation. The runs have
// files levels-N.json, as sweeps/num-quantiles.yaml says.
func levels(o options, dirs []string) error {
	return ablation(o, dirs, "levels-*.json", "paper-levels", "levels", "number of levels N_τ in the evaluation", func(m measured) int { return m.Eval.NumTau })
}

// depths writes figure 4, right: the log-likelihood by the number of hidden layers of ψ.
func depths(o options, dirs []string) error {
	return ablation(o, dirs, "eval.json", "paper-depths", "layers of ψ", "hidden layers of ψ", func(m measured) int { return len(m.Experiment.Model.Adaptor) })
}

// ablation writes the table and the picture of runs by a number.
func ablation(o options, dirs []string, files, name, column, axis string, x func(measured) int) error {
	runs, err := evaluated(files, dirs)
	if err != nil {
		return err
	}
	var marks []mark
	for _, m := range runs {
		key := mark{benchmark: m.Experiment.Benchmark, model: strings.ToUpper(m.Experiment.Model.Name), x: x(m)}
		if !slices.ContainsFunc(marks, key.same) {
			marks = append(marks, key.of(runs, x))
		}
	}
	slices.SortFunc(marks, func(a, b mark) int {
		return cmp.Or(strings.Compare(a.benchmark, b.benchmark), strings.Compare(a.model, b.model), a.x-b.x)
	})
	rows := [][]string{strings.Split("benchmark|model|"+column+"|runs|context|context ±|target|target ±", "|")}
	for _, m := range marks {
		b, _ := catalogue.Find(m.benchmark)
		row := []string{b.Printed, m.model, fmt.Sprint(m.x), fmt.Sprint(m.runs)}
		for part := range m.mean {
			row = append(row, fmt.Sprintf("%.3f", m.mean[part]), errorText(m.err[part]))
		}
		rows = append(rows, row)
	}
	if err := writeCSV(filepath.Join(o.data, name+".csv"), rows); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.images, name+".svg"), []byte(chart(marks, axis)), 0o644)
}

func errorText(v float64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf("%.3f", v)
}

func (m mark) same(o mark) bool {
	return m.benchmark == o.benchmark && m.model == o.model && m.x == o.x
}

// of returns the mark with the means of its runs: with one, its standard error; with several, theirs.
func (m mark) of(runs []measured, x func(measured) int) mark {
	var values [2][]float64
	for _, r := range runs {
		if m.same(mark{benchmark: r.Experiment.Benchmark, model: strings.ToUpper(r.Experiment.Model.Name), x: x(r)}) {
			for part := range values {
				values[part] = append(values[part], r.ll[part])
			}
			if e := r.ContextLL.StdError; e != nil {
				m.err = [2]float64{*e, *r.TargetLL.StdError}
			}
		}
	}
	m.runs = len(values[0])
	for part, v := range values {
		mean, deviation := stat.MeanStdDev(v, nil)
		m.mean[part] = mean
		if m.runs > 1 {
			m.err[part] = stat.StdErr(deviation, float64(m.runs))
		}
	}
	return m
}

// Sizes of a chart.
const (
	chartWidth, chartHeight = 640, 380
	chartLeft, chartBottom  = 64, 330
	chartTop, chartRight    = 62, 620
)

// chart draws log-likelihoods by a number: a line for each model and part, solid for the context and
// dashed for the targets.
func chart(marks []mark, axis string) string {
	lo, hi := math.Inf(1), math.Inf(-1)
	first, last := marks[0].x, marks[0].x
	for _, m := range marks {
		first, last = min(first, m.x), max(last, m.x)
		for part := range m.mean {
			lo, hi = math.Min(lo, m.mean[part]-m.err[part]), math.Max(hi, m.mean[part]+m.err[part])
		}
	}
	step := math.Pow(10, math.Floor(math.Log10(hi-lo)))
	if (hi-lo)/step < 3 {
		step /= 5
	}
	y := scale{math.Floor(lo/step) * step, math.Ceil(hi/step) * step, chartBottom, chartTop}
	x := scale{float64(first), float64(last), chartLeft + 16, chartRight - 16}
	d := newDrawing(chartWidth, chartHeight)
	b, _ := catalogue.Find(marks[0].benchmark)
	d.text(14, 24, "start", "Log-likelihood on "+b.Printed+", nats a point")
	d.text((chartLeft+chartRight)/2, chartHeight-12, "middle", axis)
	place := 14.0
	for i, m := range marks {
		if i == 0 || m.model != marks[i-1].model {
			d.dot(place+6, 40, colourOf(m.model))
			d.text(place+16, 44, "start", m.model)
			place += 80
		}
	}
	d.text(place, 44, "start", "solid: context, dashed: targets")
	for v := y.lo; v <= y.hi+step/2; v += step {
		d.line(chartLeft, y.at(v), chartRight, y.at(v), faint, 1)
		d.text(chartLeft-8, y.at(v)+4, "end", minus(fmt.Sprintf("%.*f", max(0, int(math.Ceil(-math.Log10(step)))), v)))
	}
	for n := first; n <= last; n++ {
		if slices.ContainsFunc(marks, func(m mark) bool { return m.x == n }) {
			d.text(x.at(float64(n)), chartBottom+18, "middle", fmt.Sprint(n))
		}
	}
	for part := range (cell{}).parts {
		for rest := marks; len(rest) > 0; {
			n := 1
			for n < len(rest) && rest[n].model == rest[0].model {
				n++
			}
			curve(d, rest[:n], part, x, y)
			rest = rest[n:]
		}
	}
	return d.done()
}

// colourOf returns the colour of a quantile model.
func colourOf(model string) string {
	if model == "CQNP" {
		return gaussian
	}
	return quantile
}

// curve draws a line of a chart.
func curve(d *drawing, marks []mark, part int, x, y scale) {
	colour, dash := colourOf(marks[0].model), ""
	if part == ofTarget {
		dash = ` stroke-dasharray="6 4"`
	}
	var path strings.Builder
	for i, m := range marks {
		px, py := x.at(float64(m.x)), y.at(m.mean[part])
		fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(i, 1)], px, py)
		d.line(px, y.at(m.mean[part]-m.err[part]), px, y.at(m.mean[part]+m.err[part]), colour, 1.5)
		d.dot(px, py, colour)
	}
	fmt.Fprintf(d, `<path d="%s" fill="none" stroke="%s" stroke-width="2"%s/>`+"\n", path.String(), colour, dash)
}
