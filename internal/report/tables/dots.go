package tables

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
)

// Geometry of a dot plot, in the units of its view box.
const (
	dotsWidth   = 360.0
	labelWidth  = 58.0 // for the models' names, without variants
	letterWidth = 5.3  // roughly the mean width of a letter in a variant's name
	mostLetters = 28   // the most letters of a variant's name
	rightMargin = 12.0
	panelHead   = 20.0
	modelHeight = 26.0
	panelGap    = 8.0
	axisHeight  = 24.0
	dotTicks    = 7
	halfApart   = 5.0 // of the paper's dot above the middle of its line, and of ours below
)

// A dotPlot is the page's plot of one benchmark: the context and the target log-likelihoods on one
// axis, with a line for each model. Its coordinates are texts for the SVG.
type dotPlot struct {
	Benchmark     string
	Width, Height string
	Left, Right   string
	Panels        []dotPanel
	Ticks         []dotTick
	Top, Bottom   string // of the grid lines
	TickY         string
}

type dotPanel struct {
	Title  string
	TitleY string
	Models []dotModel
}

type dotModel struct {
	Name            string
	Variant         string
	TextY, VariantY string
	Paper           *dot
	Ours            *dot
}

// A dot is a mean with its error bar. Beyond is -1 if the mean lies left of the axis, 1 if it lies
// right of it, and 0 otherwise.
type dot struct {
	X, Y, From, To string
	Title          string
	Beyond         int
}

type dotTick struct{ X, Label string }

// dotPlots returns a plot for each benchmark of a table that has runs, with all the paper's models.
func dotPlots(t Table) []dotPlot {
	var plots []dotPlot
	var names []string
	for _, row := range t.Rows {
		if len(row.Runs) > 0 && !slices.Contains(names, row.Benchmark) {
			names = append(names, row.Benchmark)
		}
	}
	for _, name := range names {
		rows := slices.DeleteFunc(slices.Clone(t.Rows), func(r Row) bool { return r.Benchmark != name })
		for _, model := range models {
			_, known := catalogue.Paper(name, model)
			if known && !slices.ContainsFunc(rows, func(r Row) bool { return r.Model == model }) {
				rows = append(rows, newRow(subject{benchmark: name, model: model}, nil))
			}
		}
		slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(rank(a.Model), rank(b.Model)) })
		plots = append(plots, newDotPlot(name, rows))
	}
	return plots
}

// rank returns the place of a model in the paper's order. Other models come last.
func rank(model string) int {
	if i := slices.Index(models, model); i >= 0 {
		return i
	}
	return len(models)
}

// newDotPlot lays out the plot of one benchmark.
func newDotPlot(name string, rows []Row) dotPlot {
	axis := newDotAxis(rows)
	panelHeight := panelHead + modelHeight*float64(len(rows))
	bottom := 2*panelHeight + panelGap
	p := dotPlot{
		Benchmark: printedBenchmark(name), Width: svg(dotsWidth), Height: svg(bottom + axisHeight),
		Left: svg(axis.left), Right: svg(dotsWidth - rightMargin),
		Top: svg(panelHead - 4), Bottom: svg(bottom), TickY: svg(bottom + 15),
	}
	for _, v := range Ticks(axis.lo, axis.hi, dotTicks) {
		p.Ticks = append(p.Ticks, dotTick{svg(axis.x(v.Value)), minus(v.Label)})
	}
	for i, title := range []string{"context", "target"} {
		top := float64(i) * (panelHeight + panelGap)
		panel := dotPanel{Title: title, TitleY: svg(top + 12)}
		for j, row := range rows {
			part := row.Context
			if i == 1 {
				part = row.Target
			}
			y := top + panelHead + modelHeight*(float64(j)+0.5)
			words := part.cells(map[string]bool{})
			m := newDotModel(row, y)
			if part.Paper != nil {
				m.Paper = axis.dot(part.Paper.Mean, part.Paper.Spread, y-halfApart, "paper: "+minus(words.Paper))
			}
			if part.Mean != nil {
				m.Ours = axis.dot(*part.Mean, part.bar(), y+halfApart, "ours: "+minus(words.Ours))
			}
			panel.Models = append(panel.Models, m)
		}
		p.Panels = append(p.Panels, panel)
	}
	return p
}

// newDotModel returns the names of a row whose middle is at y: the model's and, below it, the
// variant's.
func newDotModel(r Row, y float64) dotModel {
	name := printable(config.Label(r.Model, ""))
	m := dotModel{Name: Shortened(name, 8), TextY: svg(y + 4)}
	if variant := r.variantLabel(); variant != "" {
		m.Variant, m.TextY, m.VariantY = variant, svg(y-2), svg(y+9)
	}
	return m
}

// variantLabel returns the variant, the size and the settings of a row, shortened to fit beside the
// plot: first the keys of the settings, as their values tell rows apart.
func (r Row) variantLabel() string {
	label := printable(joined(r.Variant, r.Size, r.label))
	for letters := 9; letters > 1 && utf8.RuneCountInString(label) > mostLetters; letters-- {
		var short []string
		for _, s := range r.Settings {
			key, value, _ := strings.Cut(s, "=")
			short = append(short, Shortened(key[strings.LastIndex(key, ".")+1:], letters)+"="+value)
		}
		label = printable(joined(append([]string{r.Variant, r.Size}, short...)...))
	}
	return Shortened(label, mostLetters)
}

// Shortened cuts a name to at most most letters.
func Shortened(name string, most int) string {
	if letters := []rune(name); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return name
}

// bar returns the ± of the mean in the tables, or 0 if it has none.
func (p Part) bar() float64 {
	switch {
	case p.SD != nil:
		return *p.SD
	case p.StdError != nil:
		return *p.StdError
	}
	return 0
}

// A dotAxis maps log-likelihoods to x. Values far from the paper's lie outside the axis, so that
// the paper's values remain distinct.
type dotAxis struct {
	lo, hi float64 // the log-likelihoods at its ends
	left   float64 // x at lo
}

func newDotAxis(rows []Row) dotAxis {
	paper, ours := emptyRange(), emptyRange()
	for _, row := range rows {
		for _, p := range []Part{row.Context, row.Target} {
			if p.Paper != nil {
				paper.include(p.Paper.Mean-p.Paper.Spread, p.Paper.Mean+p.Paper.Spread)
			}
			if p.Mean != nil {
				ours.include(*p.Mean-p.bar(), *p.Mean+p.bar())
			}
		}
	}
	a := ours
	if paper.lo <= paper.hi {
		room := 1.5 * (paper.hi - paper.lo)
		a = dotAxis{lo: min(paper.lo, max(ours.lo, paper.lo-room)), hi: max(paper.hi, min(ours.hi, paper.hi+room))}
	}
	margin := max(0.04*(a.hi-a.lo), 1e-3*math.Abs(a.lo), 1e-3)
	left := labelWidth
	for _, row := range rows {
		left = max(left, letterWidth*float64(utf8.RuneCountInString(row.variantLabel())))
	}
	return dotAxis{a.lo - margin, a.hi + margin, left}
}

func emptyRange() dotAxis { return dotAxis{lo: math.Inf(1), hi: math.Inf(-1)} }

func (a *dotAxis) include(lo, hi float64) { a.lo, a.hi = min(a.lo, lo), max(a.hi, hi) }

// x returns the x of a log-likelihood, or that of the nearer end if it lies outside the axis.
func (a dotAxis) x(v float64) float64 {
	share := (v - a.lo) / (a.hi - a.lo)
	return a.left + min(max(share, 0), 1)*(dotsWidth-rightMargin-a.left)
}

// dot places a mean with its bar and title.
func (a dotAxis) dot(mean, bar, y float64, title string) *dot {
	d := &dot{X: svg(a.x(mean)), Y: svg(y), From: svg(a.x(mean - bar)), To: svg(a.x(mean + bar)), Title: title}
	switch {
	case mean < a.lo:
		d.Beyond = -1
	case mean > a.hi:
		d.Beyond = 1
	}
	return d
}

// svg returns a coordinate with one decimal.
func svg(v float64) string { return strconv.FormatFloat(math.Round(10*v)/10, 'f', -1, 64) }
