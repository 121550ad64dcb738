package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"text/tabwriter"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// header are the columns of the file of results.
var header = []string{"set", "noise", "groups", "held", "raw50", "raw90", "interval50", "interval90", "region50", "region90", "wider", "one50", "one90", "se50", "se90",
	"groups0", "half0", "most0", "onehalf0", "onemost0", "groups1", "half1", "most1", "onehalf1", "onemost1", "groups2", "half2", "most2", "onehalf2", "onemost2",
	"groups3-5", "half3-5", "most3-5", "onehalf3-5", "onemost3-5", "groups6-10", "half6-10", "most6-10", "onehalf6-10", "onemost6-10"}

// numbers returns the fields of the columns from raw50 on.
func (r *result) numbers() []*float64 {
	all := []*float64{&r.raw50, &r.raw90, &r.interval50, &r.interval90, &r.region50, &r.region90, &r.wider, &r.one50, &r.one90, &r.se50, &r.se90}
	for i := range r.known {
		c := &r.known[i]
		all = append(all, &c.groups, &c.half, &c.most, &c.oneHalf, &c.oneMost)
	}
	return all
}

// readResults reads the results so far: none if there is no file.
func readResults(path string) (map[int]result, error) {
	results := map[int]result{}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return results, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 || !slices.Equal(rows[0], header) {
		return nil, fmt.Errorf("%s: found other columns than %v", path, header)
	}
	for _, cells := range rows[1:] {
		r := result{noise: cells[1]}
		i, err := strconv.Atoi(cells[0])
		fail := err
		r.groups, err = strconv.Atoi(cells[2])
		fail = errors.Join(fail, err)
		r.held, err = strconv.Atoi(cells[3])
		fail = errors.Join(fail, err)
		for c, v := range r.numbers() {
			*v, err = strconv.ParseFloat(cells[4+c], 64)
			fail = errors.Join(fail, err)
		}
		if fail != nil {
			return nil, fmt.Errorf("%s: %w", path, fail)
		}
		results[i] = r
	}
	return results, nil
}

// writeResults writes the results in the order of the data sets.
func writeResults(path string, results map[int]result) error {
	rows := [][]string{header}
	for _, i := range sorted(results) {
		r := results[i]
		cells := []string{strconv.Itoa(i), r.noise, strconv.Itoa(r.groups), strconv.Itoa(r.held)}
		for _, v := range r.numbers() {
			cells = append(cells, strconv.FormatFloat(*v, 'g', 6, 64))
		}
		rows = append(rows, cells)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	return errors.Join(w.WriteAll(rows), f.Close())
}

// sorted returns the numbers of the data sets in order.
func sorted(results map[int]result) (all []int) {
	for i := range results {
		all = append(all, i)
	}
	slices.Sort(all)
	return all
}

// fitExceeds is how much more than they say intervals of fit may hold: 1/(K+1) for the 15 to 60 groups that
// calibrate, 0.03 on average, and as much because a mean of five models predicts where each alone
// calibrates.
const fitExceeds = 0.06

// surely is the largest error of a share, in standard errors. 999 of 1000 seeds stay within it.
const surely = 3.3

// summarise prints the shares with their standard errors over data sets, of all sets and of parts, and the deviation of
// the shares of intervals between data sets, without that of counting new groups. It
// reports whether those of all sets are 50% and 90% within surely standard errors. 9 and 19 groups make
// the theorem exact: its bounds coincide but for 1/(K+1) of ties. Intervals of fit may hold fitExceeds
// more.
func summarise(w io.Writer, results map[int]result, fit bool) bool {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "data sets\t\tmodel 50%\tmodel 90%\tinterval 50%\tinterval 90%\tregion 50%\tregion 90%\twidth\tspread 50%\tspread 90%")
	parts := []struct {
		name string
		has  func(r result) bool
	}{{"all", func(result) bool { return true }},
		{"3 groups", func(r result) bool { return r.groups == 3 }},
		{"4 to 14 groups", func(r result) bool { return r.groups > 3 && r.groups < 15 }},
		{"15 to 39 groups", func(r result) bool { return r.groups >= 15 && r.groups < 40 }},
		{"40 to 60 groups", func(r result) bool { return r.groups >= 40 && r.groups <= 60 }},
		{"61 to 2,000 groups", func(r result) bool { return r.groups > 60 }}}
	for _, noise := range noises {
		parts = append(parts, struct {
			name string
			has  func(r result) bool
		}{noise, func(r result) bool { return r.noise == noise }})
	}
	ok := true
	for i, p := range parts {
		columns := make([][]float64, len(header)-4)
		for _, k := range sorted(results) {
			if r := results[k]; p.has(r) {
				for c, v := range r.numbers() {
					columns[c] = append(columns[c], *v)
				}
			}
		}
		n := len(columns[0])
		if n < 2 {
			continue
		}
		fmt.Fprintf(t, "%s\t%d", p.name, n)
		for c := range 6 {
			mean, se := meanError(columns[c])
			fmt.Fprintf(t, "\t%.1f ± %.1f", 100*mean, 100*se)
			slack := 0.0
			if fit {
				slack = fitExceeds
			}
			if want := []float64{0.5, 0.9}[c%2]; i == 0 && c >= 2 && (mean < want-surely*se || mean > want+slack+surely*se) {
				ok = false
			}
		}
		width, _ := meanError(columns[6])
		fmt.Fprintf(t, "\t%.2f\t%.1f\t%.1f\n", width, 100*spread(columns[2], columns[9]), 100*spread(columns[3], columns[10]))
		if i == 0 {
			defer func() { fmt.Fprintf(w, "\none target of each data set: %s\n", binomial(columns[7], columns[8])) }()
		}
	}
	t.Flush()
	if fit {
		ok = byKnown(w, results) && ok
	}
	return ok
}

// spread returns the deviation of shares whose standard errors are known, without what these add to it.
func spread(shares, errors []float64) float64 {
	chance := floats.Dot(errors, errors) / float64(len(errors))
	return math.Sqrt(max(0, stat.Variance(shares, nil)-chance))
}

// byKnown prints what intervals of fit hold by the number of known points, of data sets of enough groups for intervals
// of 90%. It reports whether the shares are 50% and 90%, or fitExceeds more, within surely standard errors,
// and the single targets of each data set within the bounds of a binomial distribution.
func byKnown(w io.Writer, results map[int]result) bool {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nknown points\tdata sets\tinterval 50%\tinterval 90%\tone target of each")
	ok := true
	for i, r := range known {
		var shares, ones [2][]float64
		for _, k := range sorted(results) {
			if c := results[k].known[i]; c.groups > 0 && results[k].groups >= 10 {
				shares = [2][]float64{append(shares[0], c.half), append(shares[1], c.most)}
				ones = [2][]float64{append(ones[0], c.oneHalf), append(ones[1], c.oneMost)}
			}
		}
		if len(ones[0]) < 2 {
			continue
		}
		fmt.Fprintf(t, "%d to %d\t%d", r[0], r[1], len(ones[0]))
		for m, want := range []float64{0.5, 0.9} {
			mean, se := meanError(shares[m])
			fmt.Fprintf(t, "\t%.1f ± %.1f", 100*mean, 100*se)
			n, inside := float64(len(ones[m])), 0.0
			for _, in := range ones[m] {
				inside += in
			}
			slack := surely * math.Sqrt(want*(1-want)*n)
			ok = ok && mean > want-surely*se && mean < want+fitExceeds+surely*se && inside > want*n-slack && inside < (want+fitExceeds)*n+slack
		}
		fmt.Fprintf(t, "\t%s\n", binomial(ones[0], ones[1]))
	}
	t.Flush()
	return ok
}

// meanError returns the mean and its standard error.
func meanError(v []float64) (mean, se float64) {
	mean, sd := stat.MeanStdDev(v, nil)
	return mean, stat.StdErr(sd, float64(len(v)))
}

// binomial returns the numbers of single targets inside, beside what independent draws allow, as text.
func binomial(half, most []float64) (text string) {
	for i, v := range [][]float64{half, most} {
		p, n, inside := []float64{0.5, 0.9}[i], float64(len(v)), 0.0
		for _, in := range v {
			inside += in
		}
		slack := surely * math.Sqrt(p*(1-p)*n)
		text += fmt.Sprintf("%s%.0f of %.0f in %.0f%% intervals (%.0f ± %.0f)", map[bool]string{true: "; "}[i > 0], inside, n, 100*p, p*n, slack)
	}
	return text
}
