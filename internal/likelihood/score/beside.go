package score

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// A Pair holds the scores of one outcome by what another tool predicted, beside ours by the same rules.
type Pair struct {
	CRPS, OurCRPS             float64 // by the same rule, in the units of y
	LogDensity, OurLogDensity float64 // NaN if one of the two has none
	Half, Most                float64 // 1 if y lies inside the tool's central interval of 50% or 90%, 0 if not; NaN without the interval
}

// Quantiles returns the score of an outcome y by quantiles at levels p: the mean of 2 ρ_p(y − Q(p)). With a level 1−p for
// each p it is the weighted interval score of Bracher et al., "Evaluating epidemic forecasts in an interval format" (2021),
// and at all levels the CRPS.
func Quantiles(y float64, levels, quantiles []float64) (sum float64) {
	for i, q := range quantiles {
		e := y - q
		sum += 2 * math.Max(levels[i]*e, (levels[i]-1)*e)
	}
	return sum / float64(len(levels))
}

// Draws returns the CRPS of an outcome y by draws, two or more in increasing order: an unbiased estimate of that of what
// they are drawn from, the fair score of Ferro, "Fair scores for ensemble forecasts" (2014).
func Draws(y float64, draws []float64) float64 {
	n, near, spread := float64(len(draws)), 0.0, 0.0
	for i, v := range draws {
		near += math.Abs(v - y)
		spread += (2*float64(i) - n + 1) * v // Σ over pairs i < j of the distance
	}
	return near/n - spread/(n*(n-1))
}

// Rank returns the place of y among draws in increasing order, as a PIT: uniform, but for its steps, if y is one more draw.
func Rank(y float64, draws []float64) float64 {
	below, _ := slices.BinarySearch(draws, y)
	above := len(draws)
	for above > below && draws[above-1] > y {
		above--
	}
	return (float64(below+above)/2 + 0.5) / float64(len(draws)+1)
}

// Normal returns the pair's scores of an outcome y by a normal distribution. Ours are the caller's.
func Normal(y float64, g likelihood.Gaussian) Pair {
	p := Pair{CRPS: likelihood.GaussianMixtureOf([]likelihood.Gaussian{g}).CRPS(y), LogDensity: g.LogDensity(y), OurLogDensity: math.NaN()}
	p.SetPIT(g.CDF(y))
	return p
}

// Side returns the pair's scores of an outcome of which the side of a limit is known, by a normal distribution, and by nothing
// without one: the tool's log density.
func Side(ours Point, g *likelihood.Gaussian) Pair {
	none := math.NaN()
	p := Pair{CRPS: none, OurCRPS: none, LogDensity: none, OurLogDensity: ours.LogDensity, Half: none, Most: none}
	if g != nil {
		p.LogDensity = likelihood.LogKnown(likelihood.GaussianMixtureOf([]likelihood.Gaussian{*g}), ours.Y, ours.Side)
	}
	return p
}

// SetPIT sets what lies inside the central intervals by the probability of a smaller y.
func (p *Pair) SetPIT(pit float64) { p.Half, p.Most = within(pit, 0.5), within(pit, 0.9) }

func within(pit, probability float64) float64 {
	if (Point{PIT: pit}).inside(probability) {
		return 1
	}
	return 0
}

// A Paired sums pairs. Its memory grows with the number of groups.
type Paired struct {
	groups  map[string]*[6]cluster // of the names of groups
	order   []*[6]cluster
	targets int
	spread  [2]running // of the differences, for one group
}

// What a Paired sums.
const (
	ofCRPS = iota
	ofOurCRPS
	ofLogDensity
	ofOurLogDensity
	ofHalf
	ofMost
)

// Add adds the pair of our point.
func (s *Paired) Add(ours Point, p Pair) {
	if s.groups == nil {
		s.groups = map[string]*[6]cluster{}
	}
	g := s.groups[ours.Group]
	if g == nil {
		g = new([6]cluster)
		s.groups[ours.Group], s.order = g, append(s.order, g)
	}
	s.targets++
	times := ours.times()
	for i, v := range [6]float64{p.CRPS, p.OurCRPS, p.LogDensity, p.OurLogDensity, p.Half, p.Most} {
		if !math.IsNaN(v) {
			g[i].sum, g[i].n = g[i].sum+times*v, g[i].n+times
		}
	}
	if d := p.CRPS - p.OurCRPS; !math.IsNaN(d) {
		s.spread[0].add(d, times)
	}
	if d := p.LogDensity - p.OurLogDensity; !math.IsNaN(d) {
		s.spread[1].add(d, times)
	}
}

// Tool returns the means of the pairs; the caller sets what they are of. With several groups, errors are those over groups.
func (s *Paired) Tool() Tool {
	var all [6][]cluster
	for _, g := range s.order {
		for i, c := range g {
			all[i] = append(all[i], c)
		}
	}
	mean := func(i int) float64 { return estimate(all[i]).Mean }
	difference := func(tool, ours, spread int) Estimate {
		if len(s.order) < 2 {
			return s.spread[spread].estimate()
		}
		of := make([]cluster, len(s.order))
		for i := range of {
			of[i] = cluster{all[tool][i].sum - all[ours][i].sum, all[tool][i].n}
		}
		return estimate(of)
	}
	t := Tool{Targets: s.targets, CRPS: mean(ofCRPS), OurCRPS: mean(ofOurCRPS), CRPSDifference: difference(ofCRPS, ofOurCRPS, 0),
		LogDensity: Number(mean(ofLogDensity)), OurLogDensity: Number(mean(ofOurLogDensity)), Coverage: Coverage{mean(ofHalf), mean(ofMost)}}
	if !math.IsNaN(float64(t.LogDensity)) {
		d := difference(ofLogDensity, ofOurLogDensity, 1)
		t.LogDensityDifference = &d
	}
	return t
}

// A Tool is how another tool's predictions of one column of y score, beside ours. Differences are paired: the tool's
// minus ours at the same target.
type Tool struct {
	Tool                 string    `json:"tool"`
	Channel              string    `json:"channel"`
	From                 string    `json:"from"`             // what was scored: quantiles, mean and sd, or draws
	Levels               []float64 `json:"levels,omitempty"` // of the quantiles; of others, those of the CRPS if it is not exact
	Targets              int       `json:"scored_targets"`
	CRPS                 float64   `json:"crps"` // of quantiles, by Quantiles
	OurCRPS              float64   `json:"our_crps"`
	CRPSDifference       Estimate  `json:"crps_difference"`
	LogDensity           Number    `json:"log_density"` // NaN if there is none
	OurLogDensity        Number    `json:"our_log_density"`
	LogDensityDifference *Estimate `json:"log_density_difference"` // nil if there is none
	Coverage             Coverage  `json:"coverage"`               // NaN without the interval
}

// PrintTools writes a table for people: a row for each tool, and one of ours, of each column of y.
func (s Summary) PrintTools(w io.Writer, tools []Tool) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	ours := s.PerChannel
	if len(ours) == 0 {
		ours = []Channel{{Channel: tools[0].Channel, Means: s.Means}}
	}
	density := func(v float64) string { return orNone(v, fmt.Sprintf("%.4f", v)) }
	for _, c := range ours {
		if !slices.ContainsFunc(tools, func(o Tool) bool { return o.Channel == c.Channel }) {
			continue
		}
		fmt.Fprintf(t, "\n%s\tscored\ttargets\tCRPS\tours\tminus ours\tlog density\tminus ours\tin 50%%\tin 90%%\n", c.Channel)
		for _, o := range tools {
			if o.Channel != c.Channel {
				continue
			}
			from, minus := o.From, "-"
			if len(o.Levels) > 0 {
				from = fmt.Sprintf("%s at %d levels", o.From, len(o.Levels))
			}
			if o.LogDensityDifference != nil {
				minus = o.LogDensityDifference.signed()
			}
			fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", o.Tool, from, o.Targets, short(o.CRPS), short(o.OurCRPS), o.CRPSDifference.signed(),
				density(float64(o.LogDensity)), minus, percent(o.Coverage.Half), percent(o.Coverage.Most))
		}
		fmt.Fprintf(t, "ours\tthe density\t%d\t%s\t\t\t%s\t\t%s\t%s\n", c.Targets, short(c.CRPS), density(c.LogDensity.Mean), percent(c.Coverage.Half), percent(c.Coverage.Most))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "minus ours: paired, ± the standard error; ours is better where it is above 0 of the CRPS and below 0 of the log density")
	return err
}

// signed returns the estimate of a difference, with four digits and its sign.
func (e Estimate) signed() string {
	text := fmt.Sprintf("%+.4g", e.Mean)
	if e.StdError != nil {
		text += fmt.Sprintf(" ± %.2g", *e.StdError)
	}
	return text
}
