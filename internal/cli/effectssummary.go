package cli

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/fit/effects"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/report/figures"
)

// effectsSummary is the result of plot effects.
type effectsSummary struct {
	Run      string          `json:"run"`
	Out      string          `json:"out,omitempty"`
	Unit     string          `json:"unit"` // whose outcome the effects are
	Targets  []effectsTarget `json:"targets"`
	Warnings []string        `json:"warnings"`
}

// effectsTarget has the columns of x by what they lose, the most first.
type effectsTarget struct {
	Channel    string         `json:"channel"`
	LogDensity float64        `json:"log_density"`
	Error      float64        `json:"log_density_se"`
	Share      float64        `json:"weight"` // of the models that were asked
	Scale      string         `json:"scale"`  // on which effects are averaged: log, sqrt, or "" of y itself
	Columns    []effectColumn `json:"columns"`
	Known      *effectLoss    `json:"known_points,omitempty"` // of a group

	panels []figures.EffectPanel
}

type effectLoss struct {
	Column string  `json:"column"`
	Loss   float64 `json:"loss"`
	Error  float64 `json:"loss_se"`
}

// String returns the loss and its error. What is rounded to 0 has no sign, and less is no loss.
func (l effectLoss) String() string {
	loss := math.Round(1000*l.Loss)/1000 + 0
	if loss < 0 {
		return fmt.Sprintf("none (%.3f ± %.3f)", loss, l.Error)
	}
	return fmt.Sprintf("%.3f ± %.3f", loss, l.Error)
}

type effectColumn struct {
	effectLoss
	Points []effectPoint `json:"points"`
	Change *effectChange `json:"change,omitempty"`

	effect effects.Effect
}

// An effectChange is that of y from one point to another: a difference or, on the scale log, a ratio, whose error is that of
// its logarithm.
type effectChange struct {
	From   any     `json:"from"`
	To     any     `json:"to"`
	Change float64 `json:"change"`
	Error  float64 `json:"change_se"`
}

// changeOf returns how y changes along an effect.
func changeOf(form rows.Form, e effects.Effect) *effectChange {
	if e.Change == nil {
		return nil
	}
	c := &effectChange{cellOf(form, e.Points[e.Change.From].X), cellOf(form, e.Points[e.Change.To].X), e.Change.Change, e.Change.Error}
	if e.Scale == likelihood.LogY {
		c.Change = math.Exp(c.Change)
	}
	return c
}

// text returns the change of a column of y in words, "" of nil.
func (c *effectChange) text(y string, scale string) string {
	if c == nil {
		return ""
	}
	cell := func(v any) string {
		if number, is := v.(float64); is {
			return fmt.Sprintf("%.4g", number)
		}
		return fmt.Sprint(v)
	}
	by := fmt.Sprintf("%s %+.3g ± %.2g", y, c.Change, c.Error)
	switch likelihood.Scale(scale) {
	case likelihood.LogY:
		by = fmt.Sprintf("%s ×%.3g ± %.2g%%", y, c.Change, 100*c.Error)
	case likelihood.RootY:
		by = "√" + by
	}
	return fmt.Sprintf("%s from %s to %s", by, cell(c.From), cell(c.To))
}

// effectPoint is a point of an effect; its x is a number, a text of names and dates, or null where the cell is missing.
type effectPoint struct {
	X any `json:"x"`

	// Averaged quantiles; null where y has two values.
	Q05    *float64 `json:"q0.05"`
	Q25    *float64 `json:"q0.25"`
	Q50    *float64 `json:"q0.5"`
	Q75    *float64 `json:"q0.75"`
	Q95    *float64 `json:"q0.95"`
	Effect float64  `json:"effect"` // the mean or, on another scale than y, the median
	Low    float64  `json:"effect_low"`
	High   float64  `json:"effect_high"`
}

// targetOf returns what is said of column c of y.
func targetOf(f answer.Predictor, c int, one effects.Importance, along []effects.Effect) effectsTarget {
	t := effectsTarget{Channel: f.Y[c], LogDensity: one.LogDensity, Error: one.Error, Share: one.Share}
	for i, e := range along {
		column := effectColumn{effectLoss: effectLoss{f.X[e.X], one.Columns[i].Loss, one.Columns[i].Error}, Change: changeOf(f.XForms[e.X], e), effect: e}
		for _, p := range e.Points {
			low, centre, high := e.Band(p)
			at := effectPoint{X: cellOf(f.XForms[e.X], p.X), Effect: centre, Low: low, High: high}
			if q := p.Quantiles; !e.Two {
				at.Q05, at.Q25, at.Q50, at.Q75, at.Q95 = &q[0], &q[1], &q[2], &q[3], &q[4]
			}
			column.Points = append(column.Points, at)
		}
		t.Scale = string(e.Scale)
		t.Columns = append(t.Columns, column)
	}
	slices.SortStableFunc(t.Columns, func(a, b effectColumn) int { return cmp.Compare(b.Loss, a.Loss) })
	for _, column := range t.Columns {
		t.panels = append(t.panels, figures.EffectPanel{Effect: column.effect, Title: column.Column + ": " + column.String() + " nats"})
	}
	if one.Known != nil {
		t.Known = &effectLoss{f.Group, one.Known.Loss, one.Known.Error}
	}
	return t
}

// cellOf returns a raw number of x as JSON has it.
func cellOf(form rows.Form, v float64) any {
	switch {
	case math.IsNaN(v):
		return nil
	case form.Categories != nil || form.Origin != "":
		return form.Text(v)
	}
	return v
}

func (s effectsSummary) print(w io.Writer) error {
	for _, t := range s.Targets {
		fmt.Fprintf(w, "%s of a %s: %.3f ± %.3f nats a target by models of %.0f%% of the weight, of which are lost\n", t.Channel, s.Unit, t.LogDensity, t.Error, 100*t.Share)
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, c := range t.Columns {
			fmt.Fprintf(table, "  %v\twithout %s\t%s\n", c.effectLoss, c.Column, c.Change.text(t.Channel, t.Scale))
		}
		if t.Known != nil {
			fmt.Fprintf(table, "  %v\twithout known points of the %s\t\n", t.Known, cmp.Or(t.Known.Column, "group"))
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	if s.Out != "" {
		fmt.Fprintf(w, "picture %s\n", s.Out)
	}
	return nil
}
