package ablate

import (
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"github.com/acqnp/acqnp/internal/config"
)

// A Subject names the number that an ablation varies.
type Subject struct {
	Name     string // of the files, without an ending
	Title    string // of the figure
	Variable string // label of the figure's axis
	Column   string // of the CSV files
}

// Summary is the outcome of an ablation. Its JSON fields are those of acqnp ablate --json.
type Summary struct {
	Out       string   `json:"out"`
	Figures   []string `json:"figures"`
	Table     string   `json:"table"`
	RunsTable string   `json:"runs_table"`
	Points    []Point  `json:"points"`
}

// Summary returns the paths of an ablation's files in dir. The points are not set.
func (s Subject) Summary(dir string) Summary {
	path := func(ending string) string { return filepath.Join(dir, s.Name+ending) }
	return Summary{Out: dir, Figures: []string{path(".png"), path(".svg"), path(".pdf")},
		Table: path(".csv"), RunsTable: path("-runs.csv")}
}

// Files returns the paths of all files.
func (s Summary) Files() []string { return append([]string{s.Table, s.RunsTable}, s.Figures...) }

// Print writes the points as a table, and the paths of the main files.
func (s Summary) Print(w io.Writer, of Subject) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "benchmark\tmodel\t%s\truns\tbatches\tcontext log-likelihood\ttarget log-likelihood\n", of.Variable)
	for _, p := range s.Points {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%v\t%v\n", p.Benchmark, config.Named(p.Model, p.Variant), p.Value, p.Runs, p.Batches, p.Context, p.Target)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s, %s, %s\n", s.Figures[0], s.Table, s.RunsTable)
	return err
}
