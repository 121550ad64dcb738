package sweep

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/sweep/plan"
)

// listed is how many candidates of a configuration are printed.
const listed = 5

// Print writes the ranking for people: the first candidates, and the best run with its settings.
func (r Ranking) Print(w io.Writer) error {
	fmt.Fprintf(w, "%s, by %s\n", r.Group, plan.ByValidLL)
	if len(r.Candidates) == 0 {
		fmt.Fprintf(w, "  no run is done\n")
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, c := range r.Candidates[:min(listed, len(r.Candidates))] {
		place := fmt.Sprintf("%d.", i+1)
		if i > 0 && c.Mean == r.Candidates[i-1].Mean {
			place = "=" // a tie
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\n", place, c.title(), c.value(), invalid.Plural(c.Runs, "run", "runs"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if more := len(r.Candidates) - listed; more > 0 {
		fmt.Fprintf(w, "  and %s\n", invalid.Plural(more, "worse candidate", "worse candidates"))
	}
	best := r.Candidates[0]
	fmt.Fprintf(w, "  best run %s: %.4g\n  checkpoint %s\n", best.Run, best.Best, best.Checkpoint)
	if len(best.Set) > 0 {
		fmt.Fprintf(w, "  settings %s\n", flags(best.Set))
	}
	if r.Dropped > 0 {
		fmt.Fprintf(w, "  not compared: %s stopped early by halving\n", invalid.Plural(r.Dropped, "run", "runs"))
	}
	if r.LeftOut > 0 {
		fmt.Fprintf(w, "  left out: %s not done\n", invalid.Plural(r.LeftOut, "run", "runs"))
	}
	return nil
}

// title returns the candidate's name. The only candidate of a plan without a grid has no name.
func (c Candidate) title() string {
	if c.Name == "" {
		return "the only candidate"
	}
	return c.Name
}

// value returns the mean with its standard error.
func (c Candidate) value() string {
	if c.StdError == nil {
		return fmt.Sprintf("%.4g", c.Mean)
	}
	return fmt.Sprintf("%.4g ± %.2g", c.Mean, *c.StdError)
}

// flags returns settings as flags of train, for a shell.
func flags(set []string) string {
	var words []string
	for _, s := range set {
		words = append(words, "--set "+invalid.ShellWord(s))
	}
	return strings.Join(words, " ")
}
