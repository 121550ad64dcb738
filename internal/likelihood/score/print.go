package score

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// worst is the number of groups that Print shows.
const worst = 5

// Print writes a table for people: the means, a column for each channel if there are several, and
// the groups with the lowest log density. unit is the unit of y.
func (s Summary) Print(w io.Writer, unit string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	columns := []Means{s.Means}
	if len(s.PerChannel) > 0 {
		unit = "its output"
		fmt.Fprint(t, "\tall outputs")
		for _, c := range s.PerChannel {
			columns = append(columns, c.Means)
			fmt.Fprintf(t, "\t%s", c.Channel)
		}
		fmt.Fprintln(t)
	}
	row := func(name, note string, value func(Means) string) {
		fmt.Fprint(t, name)
		for _, m := range columns {
			fmt.Fprintf(t, "\t%s", value(m))
		}
		if note != "" {
			fmt.Fprintf(t, "\t%s", note)
		}
		fmt.Fprintln(t)
	}
	row("log density", "nats, higher is better", func(m Means) string { return m.LogDensity.String() })
	if s.Impossible > 0 {
		row("  left out of it", "outcomes that have the density 0", func(m Means) string { return strconv.Itoa(m.Impossible) })
	}
	if s.Limits > 0 {
		row("  limits among them", "probabilities of their sides, which no other score has", func(m Means) string { return strconv.Itoa(m.Limits) })
	}
	if s.Joint != nil {
		fmt.Fprintf(t, "joint log density\t%v%s\tnats, each target given those before it\n", s.Joint, strings.Repeat("\t", len(columns)-1))
	}
	row("CRPS", "in the units of "+unit+", lower is better", func(m Means) string { return short(m.CRPS) })
	for i, level := range Levels {
		note := ""
		if i == 0 {
			note = "lower is better"
		}
		row(fmt.Sprintf("pinball loss at %g", level), note, func(m Means) string { return short(*m.Pinball.fields()[i]) })
	}
	row("inside the 50% interval", "50% if calibrated", func(m Means) string { return percent(m.Coverage.Half) })
	row("inside the 90% interval", "90% if calibrated", func(m Means) string { return percent(m.Coverage.Most) })
	if err := t.Flush(); err != nil {
		return err
	}
	return s.printWorst(w)
}

// printWorst writes the groups with the lowest log density, if there are several groups.
func (s Summary) printWorst(w io.Writer) error {
	if len(s.PerGroup) < 2 {
		return nil
	}
	groups := slices.Clone(s.PerGroup)
	slices.SortStableFunc(groups, func(f, g Group) int { return cmp.Compare(f.LogDensity, g.LogDensity) })
	groups = groups[:min(worst, len(groups))]
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\nworst groups\ttargets\tlog density\tCRPS\tin 50%%\tin 90%%\n")
	for _, f := range groups {
		fmt.Fprintf(t, "%s\t%d\t%.4f\t%s\t%s\t%s\n", f.Group, f.Points, f.LogDensity, short(float64(f.CRPS)),
			percent(f.Coverage.Half), percent(f.Coverage.Most))
	}
	return t.Flush()
}

// short returns v with four digits.
func short(v float64) string { return orNone(v, strconv.FormatFloat(v, 'g', 4, 64)) }

func percent(share float64) string { return orNone(share, fmt.Sprintf("%.1f%%", 100*share)) }

// orNone returns the text of a number, "-" of one that there is not.
func orNone(v float64, text string) string {
	if math.IsNaN(v) {
		return "-"
	}
	return text
}
