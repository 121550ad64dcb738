package predict

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/likelihood/score"
)

// Tools are what other tools predict of the targets of our questions. [Scores] scores them beside ours.
type Tools struct {
	path  string
	names Names
	ours  [][2]int       // question and target of each row of the file of targets
	index map[string]int // of the questions that have targets, by name
	all   []*tool        // in the order of their first rows
}

// A tool is what one tool predicts of one channel of y.
type tool struct {
	name    string
	channel int
	from    string      // what is scored
	levels  []float64   // of quantiles, increasing; nil of other predictions
	columns []int       // of the file, in the order of values
	values  [][]float64 // of each target: quantiles, draws or mean and sd
	given   int         // targets with values

	pairs score.Paired
	cut   int // targets that are scored at hundredths

	limits int // targets of which a side of a limit is known, without a CRPS
}

// What can be scored, in the order in which it is preferred.
const (
	fromQuantiles = "quantiles"
	fromDraws     = "draws"
	fromNormal    = "mean and sd"
)

// hundredths are the levels of a CRPS where that of our log y counts levels up to 0.99 alone.
var hundredths = func() (levels []float64) {
	for i := 1; i < 100; i++ {
		levels = append(levels, float64(i)/100)
	}
	return levels
}()

// ReadTools reads the predictions of other tools from a file, CSV or another form of tables, of the targets that n names. A
// row is a target's: with the columns q0.05, q0.5 and so on, or draw1, draw2 and so on, or mean and sd. A column tool names
// the tool, which otherwise is named after the file, and channel the column of y. target is the number of the target: in its
// group, if the column of groups is there too, otherwise among all; without it rows have the order of the targets. The
// record takes lines on channels that a tool leaves out. An error is an *invalid.Input.
func ReadTools(path string, n Names, w *warning.Record) (*Tools, error) {
	o := &Tools{path: path, names: n, index: map[string]int{}}
	for i, q := range n.Questions {
		if q.Targets.Len() > 0 {
			o.index[q.Name] = i
		}
		for k, row := range q.Targets.Rows {
			o.ours = append(o.ours, make([][2]int, max(0, row+1-len(o.ours)))...)
			o.ours[row] = [2]int{i, k}
		}
	}
	var c toolColumns
	header := func(names []string) (err error) {
		c, err = o.columns(names)
		return err
	}
	if err := rows.EachRow(path, w, header, func(r rows.Row) error { return o.row(r, c) }); err != nil {
		return nil, err
	}
	return o, o.check(w)
}

// toolColumns are places of columns in a file of tools; −1 for one that it does not have.
type toolColumns struct {
	tool, target, channel, group int
	values                       map[string][]int // what can be scored of a row
	levels                       map[int]float64  // of columns of quantiles
}

var drawColumn = regexp.MustCompile(`^draw\d+$`)

// columns finds the columns by the names of the header.
func (o *Tools) columns(header []string) (c toolColumns, err error) {
	place := func(name string) int { return slices.Index(header, name) }
	c = toolColumns{place("tool"), place("target"), place("channel"), place(o.names.header(nil)[0]), map[string][]int{}, map[int]float64{}}
	if c.tool == c.group || slices.Contains(o.names.XNames, "tool") { // the data's own column
		c.tool = -1
	}
	bad := func(found, expected string) error {
		return &invalid.Input{File: o.path, Line: 1, Found: found, Expected: expected}
	}
	for i, name := range header {
		text, isQ := strings.CutPrefix(name, "q")
		p, isNumber := tabular.ParseNumber(text)
		isLevel := p > 0 && p < 1
		switch {
		case slices.Contains(o.names.XNames, name), slices.Contains(o.names.YNames, name), !isLevel && slices.Contains(o.names.Others.Names, name):
			// a column of the targets
		case isQ && isNumber && !isLevel:
			return c, bad("the column "+name, "a level between 0 and 1, such as q0.05")
		case isQ && isNumber:
			for k, other := range c.levels {
				if other == p {
					return c, bad("the columns "+header[k]+" and "+name, "each level once")
				}
			}
			c.levels[i], c.values[fromQuantiles] = p, append(c.values[fromQuantiles], i)
		case drawColumn.MatchString(name):
			c.values[fromDraws] = append(c.values[fromDraws], i)
		}
	}
	slices.SortFunc(c.values[fromQuantiles], func(a, b int) int { return cmp.Compare(c.levels[a], c.levels[b]) })
	if mean, sd := place("mean"), place("sd"); mean >= 0 && sd >= 0 {
		c.values[fromNormal] = []int{mean, sd}
	}
	switch {
	case len(c.values) == 0:
		return c, bad("the columns "+strings.Join(header, ", "), "columns to score: quantiles q0.05, q0.5, …, or mean and sd, or draw1, draw2, …")
	case c.channel < 0 && len(o.names.YNames) > 1:
		return c, bad("no column channel", "one that says which of "+invalid.Listed(o.names.YNames, " and ")+" a row predicts")
	}
	return c, nil
}

// row takes a row of the file.
func (o *Tools) row(r rows.Row, c toolColumns) error {
	name, channel := tabular.Stem(o.path), 0
	if c.tool >= 0 {
		if name = r.Name(c.tool); name == "" {
			return r.Refuse(c.tool, "the name of a tool")
		}
	}
	if c.channel >= 0 {
		if channel = slices.Index(o.names.YNames, r.Name(c.channel)); channel < 0 {
			return r.Refuse(c.channel, invalid.Listed(o.names.YNames, " or "))
		}
	}
	i := slices.IndexFunc(o.all, func(t *tool) bool { return t.name == name && t.channel == channel })
	if i < 0 {
		t, err := o.start(r, c)
		if err != nil {
			return err
		}
		t.name, t.channel, t.values = strings.Clone(name), channel, make([][]float64, len(o.ours))
		i, o.all = len(o.all), append(o.all, t)
	}
	t := o.all[i]
	at, err := o.at(r, c, t)
	if err != nil {
		return err
	}
	if t.values[at] != nil {
		return r.RefuseRow("a second row of "+o.target(at)+" by "+t.name, "one")
	}
	t.values[at], err = t.read(r, c)
	t.given++
	return err
}

// start returns the tool whose first row this is: what can be scored is what the row has.
func (o *Tools) start(r rows.Row, c toolColumns) (*tool, error) {
	for _, from := range []string{fromQuantiles, fromDraws, fromNormal} {
		has := slices.DeleteFunc(slices.Clone(c.values[from]), r.Missing)
		switch {
		case len(has) == 0:
			continue
		case from == fromDraws && len(has) == 1:
			return nil, r.RefuseRow("one draw", "two or more in a row")
		case from == fromNormal:
			has = c.values[from] // both
		}
		t := &tool{from: from, columns: has}
		if from == fromQuantiles {
			for _, column := range has {
				t.levels = append(t.levels, c.levels[column])
			}
		}
		return t, nil
	}
	return nil, r.RefuseRow("no prediction", "quantiles, draws, or a mean with its sd")
}

// at returns the number of the target of a row of t, among all.
func (o *Tools) at(r rows.Row, c toolColumns, t *tool) (int, error) {
	group := -1 // of the row
	if c.group >= 0 {
		i, known := o.index[r.Name(c.group)]
		if !known {
			return 0, r.Refuse(c.group, "a group of the targets")
		}
		group = i
	}
	if c.target < 0 {
		if t.given == len(o.ours) {
			return 0, r.RefuseRow(fmt.Sprintf("row %d of %s", t.given+1, t.name), fmt.Sprintf("%d, one for each target, or a column target with its number", len(o.ours)))
		}
		if group >= 0 && o.ours[t.given][0] != group {
			return 0, r.Refuse(c.group, fmt.Sprintf("%q, as in the targets, whose order rows have without a column target", o.names.Questions[o.ours[t.given][0]].Name))
		}
		return t.given, nil
	}
	v, err := r.Number(c.target)
	if err != nil {
		return 0, err
	}
	targets := len(o.ours)
	if group >= 0 {
		targets = o.names.Questions[group].Targets.Len()
	}
	if !(v >= 0 && v < float64(targets) && v == math.Floor(v)) {
		return 0, r.Refuse(c.target, fmt.Sprintf("a number of a target, from 0 to %d", targets-1))
	}
	if group >= 0 {
		return o.names.Questions[group].Targets.Rows[int(v)], nil
	}
	return int(v), nil
}

// read returns the values of a row, and refuses those that are no prediction.
func (t *tool) read(r rows.Row, c toolColumns) (values []float64, err error) {
	for _, column := range c.values[t.from] {
		if !slices.Contains(t.columns, column) && !r.Missing(column) {
			return nil, r.Refuse(column, "nothing, as in the first row of "+t.name)
		}
	}
	for i, column := range t.columns {
		v, err := r.Number(column)
		switch {
		case err != nil:
			return nil, err
		case t.from == fromQuantiles && i > 0 && v < values[i-1]:
			return nil, r.Refuse(column, fmt.Sprintf("at least %v, the quantile of level %v", values[i-1], t.levels[i-1]))
		case t.from == fromNormal && i == 1 && v <= 0:
			return nil, r.Refuse(column, "a standard deviation above 0")
		}
		values = append(values, v)
	}
	if t.from == fromDraws {
		slices.Sort(values)
	}
	return values, nil
}

// target names a target in messages.
func (o *Tools) target(at int) string {
	i, k := o.ours[at][0], o.ours[at][1]
	if name := o.names.Questions[i].Name; name != "" {
		return fmt.Sprintf("target %d of group %s", k, name)
	}
	return fmt.Sprintf("target %d", k)
}

// check refuses tools that lack targets, and says which channels tools leave out.
func (o *Tools) check(w *warning.Record) error {
	channels := map[string][]string{}
	for _, t := range o.all {
		channels[t.name] = append(channels[t.name], o.names.YNames[t.channel])
		if t.given < len(o.ours) {
			missing := slices.IndexFunc(t.values, func(v []float64) bool { return v == nil })
			return &invalid.Input{File: o.path, Key: t.name, Found: fmt.Sprintf("%s of %s, none of %s", invalid.Plural(t.given, "prediction", "predictions"), o.names.YNames[t.channel], o.target(missing)),
				Expected: fmt.Sprintf("%d, one for each target that is scored", len(o.ours))}
		}
	}
	for _, t := range o.all {
		if has := channels[t.name]; len(has) < len(o.names.YNames) {
			w.Add("%s: %s predicts %s alone, so its other columns of y are not compared", o.path, t.name, strings.Join(has, ", "))
		}
	}
	return nil
}

// add scores the tools' predictions of a target beside our scores of its channels.
func (o *Tools) add(s Scores, target Target, ours []score.Point) error {
	at := o.names.Questions[target.Group].Targets.Rows[target.Target]
	for _, t := range o.all {
		p := ours[t.channel]
		a := &Answer{Distribution: target.Channels[t.channel], Channel: t.channel, Target: target, Calibrated: s.Calibrated}
		pair := t.pair(a, p, t.values[at])
		if t.channel < len(s.Support) && !s.Support[t.channel].Real() || p.Impossible() {
			pair.LogDensity = math.NaN()
		}
		if math.IsNaN(pair.LogDensity) {
			pair.OurLogDensity = math.NaN()
		}
		if sum := pair.CRPS + pair.LogDensity; math.IsInf(sum, 0) {
			return &invalid.Input{File: o.path, Key: t.name, Found: fmt.Sprintf("a log density of %v of y = %v at %s", pair.LogDensity, p.Y, o.target(at)), Expected: "a finite one"}
		}
		t.pairs.Add(p, pair)
	}
	return nil
}

// pair returns the scores of the tool's values and of our answer, whose point is p.
func (t *tool) pair(a *Answer, p score.Point, values []float64) (pair score.Pair) {
	var normal *likelihood.Gaussian // nil of other predictions
	if t.from == fromNormal {
		normal = &likelihood.Gaussian{Mean: values[0], Scale: values[1]}
	}
	if p.Side != 0 {
		t.limits++
		return score.Side(p, normal)
	}
	levels, quantiles := t.levels, values
	exact := true
	switch t.from {
	case fromQuantiles:
		exact, pair.LogDensity = false, math.NaN()
		pair.Half, pair.Most = t.inside(p.Y, values, 0.25), t.inside(p.Y, values, 0.05)
	case fromDraws:
		pair.LogDensity, pair.CRPS = math.NaN(), score.Draws(p.Y, values)
		pair.SetPIT(score.Rank(p.Y, values))
	case fromNormal:
		pair = score.Normal(p.Y, *normal)
	}
	ofLog := func(c likelihood.Component) bool { return c.Scale == likelihood.LogY }
	if exact && slices.ContainsFunc(a.Distribution.Distribution.Components(), ofLog) {
		t.cut++
		exact, levels, quantiles = false, hundredths, make([]float64, len(hundredths))
		for i, level := range hundredths {
			if normal != nil {
				quantiles[i] = normal.Quantile(level)
			} else {
				quantiles[i] = values[int(math.Ceil(level*float64(len(values))-1e-9))-1] // of draws in increasing order; 0.07 × 100 is above 7
			}
		}
	}
	pair.OurCRPS, pair.OurLogDensity = p.CRPS, p.LogDensity
	if !exact {
		pair.CRPS = score.Quantiles(p.Y, levels, quantiles)
		pair.OurCRPS = score.Quantiles(p.Y, levels, slices.Concat(Want("q").Numbers(a, levels)...))
	}
	return pair
}

// inside says whether y lies between the quantiles of levels low and 1−low: 1 or 0, and NaN without these.
func (t *tool) inside(y float64, quantiles []float64, low float64) float64 {
	a := slices.Index(t.levels, low)
	b := slices.IndexFunc(t.levels, func(p float64) bool { return math.Abs(p-(1-low)) < 1e-9 })
	switch {
	case a < 0 || b < 0:
		return math.NaN()
	case quantiles[a] <= y && y <= quantiles[b]:
		return 1
	}
	return 0
}

// Summary returns the scores of each tool and channel, once all targets are scored. Lines say which scores are missing or
// of a kind of their own.
func (o *Tools) Summary(s Scores) (all []score.Tool) {
	for _, t := range o.all {
		one, channel := t.pairs.Tool(), o.names.YNames[t.channel]
		one.Tool, one.Channel, one.From, one.Levels = t.name, channel, t.from, t.levels
		if t.cut > 0 {
			one.Levels = hundredths
		}
		if exact := one.Targets - t.limits - t.cut; t.cut > 0 && exact > 0 {
			s.Warnings.Add("%s: %s: at %d of %d targets no part of ours is of log %s, and CRPS are exact there", o.path, t.name, exact, one.Targets, channel)
		}
		if t.from == fromNormal && math.IsNaN(float64(one.LogDensity)) {
			s.Warnings.Add("%s: %s: no log density: values of %s have probabilities of their own in ours", o.path, t.name, channel)
		}
		all = append(all, one)
	}
	return all
}
