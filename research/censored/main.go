// Command censored measures fits of data with detection limits, through the whole path of a user. It simulates data sets of
// groups with random intercepts and slopes and Gaussian noise. Three clinics have limits of their own, below which 0, 10, 30
// or 50% of all values lie. On each set it runs fit and score on new groups, of which 0, 1, 3 or 10 points are known, with
// values below a limit
//
//	as limits    <LIMIT in the files
//	left out     without these rows
//	the limit    as the value
//
// and scores targets whose y is known, below the limit too. The regret is the log density of the exact model, with known
// parameters and the probabilities of the sides, less that of the fit.
//
//	go build ./cmd/acqnp
//	go run -C research ./censored --program ../acqnp --out ../bin/censored.csv
//
// The file has a row for each data set, share, way and number of known points; sets that it has already are not run again. It
// prints the table of research/data/censored.csv.
package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
)

type options struct {
	program, out string
	sets, jobs   int
	instant      bool
	limits       bool // values as limits alone
}

var (
	shares = []float64{0, 0.1, 0.3, 0.5}
	known  = []int{0, 1, 3, 10}
	ways   = []string{"as limits", "left out", "the limit"}
)

func main() {
	var o options
	flag.StringVar(&o.program, "program", "../acqnp", "the program")
	flag.StringVar(&o.out, "out", "censored.csv", "CSV file for the results of each data set")
	flag.IntVar(&o.sets, "sets", 60, "number of data sets")
	flag.IntVar(&o.jobs, "jobs", 1, "data sets at a time, each on one thread")
	flag.BoolVar(&o.instant, "instant", false, "fit --instant")
	flag.BoolVar(&o.limits, "limits", false, "values below a limit as limits alone, for coverage")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "censored:", err)
		os.Exit(2)
	}
}

// run measures the sets that the file lacks, and prints the table.
func run(ctx context.Context, o options) error {
	all, err := readResults(o.out)
	if err != nil {
		return err
	}
	done := map[int]bool{}
	for _, r := range all {
		done[r.set] = true
	}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(o.jobs)
	measured := make([][]result, o.sets)
	for i := range o.sets {
		if !done[i] {
			work.Go(func() (err error) {
				if measured[i], err = measure(ctx, o, i); err == nil {
					err = appendResults(o.out, measured[i])
				}
				return err
			})
		}
	}
	if err := work.Wait(); err != nil {
		return err
	}
	for _, m := range measured {
		all = append(all, m...)
	}
	return summarise(os.Stdout, all)
}

// measure returns the results of a data set.
func measure(ctx context.Context, o options, set int) (all []result, err error) {
	dir, err := os.MkdirTemp("", "censored-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	w := newWorld(set)
	for _, share := range shares {
		limits := w.limits(share)
		exact := make([][]float64, newGroups)
		for g := range exact {
			exact[g] = w.exact(g, known[g%len(known)], limits)
		}
		for _, way := range ways {
			if (share == 0 || o.limits) && way != ways[0] {
				continue
			}
			in := inFiles{o: o, dir: dir, way: way}
			scores, err := in.scores(ctx, w, limits)
			if err != nil {
				return nil, fmt.Errorf("set %d, %g, %s: %w", set, share, way, err)
			}
			for k, n := range known {
				r := result{set: set, share: share, way: way, known: n}
				for g := k; g < newGroups; g += len(known) {
					for t, d := range exact[g] {
						s := scores[[2]int{g, t}]
						r.targets++
						r.regret += d - s.log
						r.half += within(s.pit, 0.5)
						r.most += within(s.pit, 0.9)
					}
				}
				r.regret, r.half, r.most = r.regret/r.targets, r.half/r.targets, r.most/r.targets
				all = append(all, r)
			}
		}
	}
	return all, nil
}

func within(pit, mass float64) float64 {
	if math.Abs(2*pit-1) <= mass {
		return 1
	}
	return 0
}

// inFiles are the files of a fit.
type inFiles struct {
	o        options
	dir, way string
}

// A scored target: its log density and its PIT among calibrated predictions.
type scored struct{ log, pit float64 }

// scores returns the scores of the targets of all new groups, by group and number.
func (in inFiles) scores(ctx context.Context, w world, limits []float64) (map[[2]int]scored, error) {
	var rows, context, targets strings.Builder
	for _, b := range []*strings.Builder{&rows, &context, &targets} {
		b.WriteString("g,x,y\n")
	}
	for g := range groups {
		for _, p := range w.group(g)[:fitted] {
			in.write(&rows, fmt.Sprintf("g%d", g), p, limits[g%clinics])
		}
	}
	for g := range newGroups {
		points := w.group(groups + g)
		for _, p := range points[:known[g%len(known)]] {
			in.write(&context, fmt.Sprintf("new%d", g), p, limits[(groups+g)%clinics])
		}
		for _, p := range points[perGroup-targetsOf:] {
			fmt.Fprintf(&targets, "new%d,%g,%g\n", g, p.x, p.y)
		}
	}
	for name, b := range map[string]*strings.Builder{"rows.csv": &rows, "context.csv": &context, "targets.csv": &targets} {
		if err := os.WriteFile(filepath.Join(in.dir, name), []byte(b.String()), 0o600); err != nil {
			return nil, err
		}
	}
	fit := []string{"fit", "rows.csv", "y ~ x | g", "--outcome", "real", "--overwrite", "--no-picture", "--threads", "1"}
	if in.o.instant {
		fit = append(fit, "--instant")
	}
	score := []string{"score", "rows.fit", "--context", "context.csv", "--targets", "targets.csv", "--out", "scores.json", "--overwrite", "--threads", "1"}
	for _, arguments := range [][]string{fit, score} {
		program, err := filepath.Abs(in.o.program)
		if err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(ctx, program, arguments...)
		cmd.Dir = in.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", arguments[0], err, out)
		}
	}
	return readScores(filepath.Join(in.dir, "scores.json"))
}

// write writes a point as the way has it.
func (in inFiles) write(b *strings.Builder, group string, p point, limit float64) {
	y := strconv.FormatFloat(p.y, 'g', -1, 64)
	if p.y < limit {
		switch y = strconv.FormatFloat(limit, 'g', -1, 64); in.way {
		case ways[0]:
			y = "<" + y
		case ways[1]:
			return
		}
	}
	fmt.Fprintf(b, "%s,%g,%s\n", group, p.x, y)
}

// readScores reads the scores of each target.
func readScores(path string) (map[[2]int]scored, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, in := map[[2]int]scored{}, json.NewDecoder(f)
	for in.More() {
		var r struct {
			G      string
			Target int
			Log    float64 `json:"log_density"`
			PIT    float64 `json:"pit"`
		}
		if err := in.Decode(&r); err != nil {
			return nil, err
		}
		g, err := strconv.Atoi(strings.TrimPrefix(r.G, "new"))
		if err != nil {
			return nil, err
		}
		all[[2]int{g, r.Target}] = scored{r.Log, r.PIT}
	}
	return all, nil
}

// readResults reads the results so far: none if there is no file.
func readResults(path string) (all []result, err error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	for _, cells := range rows {
		r := result{way: cells[2]}
		for i, to := range map[int]any{0: &r.set, 1: &r.share, 3: &r.known, 4: &r.targets, 5: &r.regret, 6: &r.half, 7: &r.most} {
			if _, bad := fmt.Sscan(cells[i], to); bad != nil {
				err = bad
			}
		}
		all = append(all, r)
	}
	return all, err
}
