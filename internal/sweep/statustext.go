package sweep

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/run"
)

// shownRows is the largest number of rows of a table in a status.
const shownRows = 30

// columns are the phases of runs that are not over for good, in the order of their columns.
var columns = []struct {
	phase run.Phase
	name  string
}{{run.Running, "running"}, {run.Trained, "to be evaluated"}, {run.Stopped, "stopped"}, {run.Waiting, "waiting"}, {run.Failed, "failed"}}

// Line returns the status in a line.
func (s Status) Line() string {
	parts := []string{fmt.Sprintf("%s: %d of %d done", s.Plan, s.Done, s.Total)}
	for _, c := range columns {
		if n := *s.of(c.phase); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, c.name))
		}
	}
	if s.Dropped > 0 {
		parts = append(parts, fmt.Sprintf("%d dropped", s.Dropped))
	}
	text := strings.Join(parts, ", ")
	if s.LeftS != nil && !s.Over() {
		text += fmt.Sprintf("; about %s left with %s at a time", seconds(*s.LeftS), invalid.Plural(s.AtOnce, "run", "runs"))
	}
	return text
}

// Print writes the line, and tables of the groups that are not done, of the runs in training and of the
// failed runs. It cuts long tables.
func (s Status) Print(w io.Writer) error {
	fmt.Fprintln(w, s.Line())
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	s.printGroups(t)
	s.printRuns(t, run.Running, "running\tstep\tsteps/s\thost", func(r RunStatus) string {
		of := ""
		if r.Steps > 0 {
			of = fmt.Sprintf("/%d", r.Steps)
		}
		where := r.Host
		if r.Job != "" {
			where += " (job " + r.Job + ")"
		}
		return fmt.Sprintf("%s\t%d%s\t%s\t%s", r.Dir, r.Step, of, rate(r.StepsPerS), where)
	})
	if err := t.Flush(); err != nil {
		return err
	}
	s.printRuns(w, run.Failed, "failed", func(r RunStatus) string { return r.Dir + ": " + r.Message })
	return nil
}

// rate formats a number in three digits, or as a whole number.
func rate(r float64) string {
	if r >= 100 {
		return fmt.Sprintf("%.0f", r)
	}
	return fmt.Sprintf("%.3g", r)
}

// printGroups writes the counts of the groups that are not done.
func (s Status) printGroups(w io.Writer) {
	var names []string
	groups := map[string]*Counts{}
	for _, r := range s.Runs {
		if groups[r.Group] == nil {
			groups[r.Group] = &Counts{}
			names = append(names, r.Group)
		}
		*groups[r.Group].of(r.Phase)++
	}
	n := 0
	for _, name := range names {
		g, row, left := groups[name], fmt.Sprintf("%s\t%d", name, groups[name].Done), 0
		for _, c := range columns {
			row += fmt.Sprintf("\t%d", *g.of(c.phase))
			left += *g.of(c.phase)
		}
		if left == 0 {
			continue
		}
		if n == 0 {
			fmt.Fprintln(w, "\nnot done\tdone\trunning\tto be evaluated\tstopped\twaiting\tfailed")
		}
		if n++; n <= shownRows {
			fmt.Fprintln(w, row)
		}
	}
	printMore(w, n, "group", "groups")
}

// printRuns writes a row for each run in a phase.
func (s Status) printRuns(w io.Writer, p run.Phase, head string, row func(RunStatus) string) {
	n := 0
	for _, r := range s.Runs {
		if r.Phase != p {
			continue
		}
		if n == 0 {
			fmt.Fprintf(w, "\n%s\n", head)
		}
		if n++; n <= shownRows {
			fmt.Fprintln(w, row(r))
		}
	}
	printMore(w, n, "run", "runs")
}

// printMore says how many rows of n were left out.
func printMore(w io.Writer, n int, one, many string) {
	if more := n - shownRows; more > 0 {
		fmt.Fprintf(w, "and %s; --json lists all\n", invalid.Plural(more, "more "+one, "more "+many))
	}
}
