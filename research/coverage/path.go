package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// A result is what the intervals of one data set held, as shares of the targets of new groups.
type result struct {
	noise                  string
	groups, held           int // to learn from, and for calibration among them
	raw50, raw90           float64
	interval50, interval90 float64
	region50, region90     float64
	wider                  float64 // mean width of calibrated intervals of 90% over that of the model's
	one50, one90           float64 // 0 or 1: one target of the first new group
	se50, se90             float64 // standard errors of interval50 and interval90, over new groups

	known [len(known)]coverage // by number of known points, for fit
}

// A coverage is what calibrated intervals hold of the groups of a data set, and of one target of the first of them.
type coverage struct {
	groups           float64
	half, most       float64
	oneHalf, oneMost float64
}

// measure takes data set i through the whole path.
func measure(ctx context.Context, o options, i int) (result, error) {
	w, dir := newWorld(i, o.fit), filepath.Join(o.dir, strconv.Itoa(i))
	w.zeros = o.zeros
	if o.groups > 0 {
		w.groups = o.groups
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return result{}, err
	}
	file := func(name string) string { return filepath.Join(dir, name) }
	whole := func(_, n int) (int, int) { return 0, n }
	if err := os.WriteFile(file("data.csv"), []byte(w.table(ids(0, w.groups), whole)), 0o644); err != nil {
		return result{}, err
	}
	commands := [][]string{
		{"init", "--csv", file("data.csv"), "--group", "g", "--x", "x", "--y", "y", "--hold-back",
			"--out", file("config.yaml"), "--overwrite", "--quiet"},
		{"train", "--config", file("config.yaml"), "--run-dir", file("run"), "--overwrite", "--no-eval", "--threads", "1", "--quiet"},
		{"score", "--run", file("run"), "--calibrate", "--threads", "1", "--quiet"},
	}
	ofRaw, ofCalibrated := []string{}, []string{"--use-calibration"}
	if o.fit {
		commands = [][]string{{"fit", file("data.csv"), "y ~ x | g", "--out", file("run"), "--overwrite", "--no-picture", "--threads", "1", "--quiet"}}
		if o.instant {
			commands[0] = append(commands[0], "--instant")
		}
		ofRaw, ofCalibrated = []string{"--raw"}, []string{}
	}
	for _, args := range commands {
		if err := o.call(ctx, args); err != nil {
			return result{}, fmt.Errorf("data set %d: %w", i, err)
		}
	}
	fresh := ids(newFrom, newFrom+o.newGroups)
	raw, err := o.predict(ctx, w, fresh, dir, ofRaw...)
	if err != nil {
		return result{}, fmt.Errorf("data set %d: %w", i, err)
	}
	calibrated, err := o.predict(ctx, w, fresh, dir, ofCalibrated...)
	if err != nil {
		return result{}, fmt.Errorf("data set %d: %w", i, err)
	}
	return o.compare(w, fresh, raw, calibrated)
}

// call runs the program.
func (o options) call(ctx context.Context, args []string) error {
	if said, err := exec.CommandContext(ctx, o.program, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, said)
	}
	return nil
}

// predict predicts new groups and returns the row of each target, by group and number. Groups without a
// context are predicted in a call of their own, since a context names the groups.
func (o options) predict(ctx context.Context, w world, fresh []int, dir string, more ...string) (map[string]row, error) {
	file := func(name string) string { return filepath.Join(dir, name) }
	known := func(k, n int) (int, int) { return 0, w.context(k, n) }
	unknown := func(k, n int) (int, int) { return w.context(k, n), n }
	all := map[string]row{}
	for _, empty := range []bool{false, true} {
		groups := slices.DeleteFunc(slices.Clone(fresh), func(k int) bool { return (w.context(k, len(w.group(k))) == 0) != empty })
		if len(groups) == 0 {
			continue
		}
		args := []string{"predict", "--run", file("run"), "--targets", file("targets.csv"), "--quantiles", "0.05,0.25,0.75,0.95",
			"--hdr", "0.5,0.9", "--out", file("predictions.csv"), "--threads", "1", "--quiet"}
		if w.zeros {
			args = append(args, "--exceed", "0")
		}
		if !empty {
			args = append(args, "--context", file("context.csv"))
		}
		os.Remove(file("predictions.csv"))
		for name, text := range map[string]string{"context.csv": w.table(groups, known), "targets.csv": w.table(groups, unknown)} {
			if err := os.WriteFile(file(name), []byte(text), 0o644); err != nil {
				return nil, err
			}
		}
		if err := o.call(ctx, append(args, more...)); err != nil {
			return nil, err
		}
		rows, err := readTable(file("predictions.csv"))
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			all[r["g"]+" "+r["target"]] = r
		}
	}
	return all, nil
}

// newFrom is the number of the first new group, beyond those of all data sets.
const newFrom = 10_000

// ids returns the numbers from first to last − 1.
func ids(first, last int) (all []int) {
	for k := first; k < last; k++ {
		all = append(all, k)
	}
	return all
}

// compare counts what the predictions of a data set hold.
func (o options) compare(w world, fresh []int, raw, calibrated map[string]row) (r result, err error) {
	r = result{noise: w.noise, groups: w.groups, held: 9}
	if w.groups >= 40 {
		r.held = 19
	}
	if o.fit {
		r.held = w.groups // all calibrate
	}
	first := true
	var halves, mosts []float64 // of each group
	for _, k := range fresh {   // every group counts the same
		points := w.group(k)
		context := w.context(k, len(points))
		points = points[context:]
		each := 1 / float64(len(points)*len(fresh))
		before50, before90 := r.interval50, r.interval90
		own := &coverage{}
		if o.fit {
			own = &r.known[knownOf(context)]
		}
		own.groups++
		for i, p := range points {
			key := fmt.Sprintf("g%d %d", k, i)
			a, b := raw[key], calibrated[key]
			if x, err := strconv.ParseFloat(b["x"], 64); err != nil || x != p.x || a["x"] != b["x"] {
				return r, fmt.Errorf("found no prediction of target %d of group g%d at %g", i, k, p.x)
			}
			r.raw50 += each * a.between("q0.25", "q0.75", p.y)
			r.raw90 += each * a.between("q0.05", "q0.95", p.y)
			r.interval50 += each * b.between("q0.25", "q0.75", p.y)
			r.interval90 += each * b.between("q0.05", "q0.95", p.y)
			half, most := b.between("q0.25", "q0.75", p.y), b.between("q0.05", "q0.95", p.y)
			own.half, own.most = own.half+half/float64(len(points)), own.most+most/float64(len(points))
			if own.groups == 1 && i == 0 {
				own.oneHalf, own.oneMost = half, most
			}
			r.region50 += each * b.inside("hdr0.5", p.y)
			r.region90 += each * b.inside("hdr0.9", p.y)
			if width := a.number("q0.95") - a.number("q0.05"); width > 0 {
				r.wider += each * (b.number("q0.95") - b.number("q0.05")) / width
			} else { // all of the 90% is one value
				r.wider += each
			}
			if first {
				r.one50, r.one90, first = b.between("q0.25", "q0.75", p.y), b.between("q0.05", "q0.95", p.y), false
			}
		}
		halves, mosts = append(halves, r.interval50-before50), append(mosts, r.interval90-before90)
	}
	n := float64(len(fresh)) // halves and mosts are shares divided by n
	r.se50, r.se90 = stat.StdDev(halves, nil)*math.Sqrt(n), stat.StdDev(mosts, nil)*math.Sqrt(n)
	for i, c := range r.known {
		r.known[i].half, r.known[i].most = c.half/c.groups, c.most/c.groups // NaN without a group
	}
	return r, nil
}

// A row is a row of predictions, by column.
type row map[string]string

// number returns the number in a column, which predict has written.
func (r row) number(column string) float64 {
	v, err := strconv.ParseFloat(r[column], 64)
	if err != nil {
		panic(err)
	}
	return v
}

// between returns 1 if y lies between two columns, 0 otherwise. Of a y of 0 with a probability p, an interval that
// ends at 0 takes a part: that of the levels from 0 to p which lie between its own.
func (r row) between(low, high string, y float64) float64 {
	if more, ok := r["exceed0"]; ok && y == 0 && strings.HasPrefix(low, "q") {
		over, _ := strconv.ParseFloat(more, 64)
		from, _ := strconv.ParseFloat(low[1:], 64)
		to, _ := strconv.ParseFloat(high[1:], 64)
		if p := 1 - over; p > 0 {
			return max(0, min(to, p)-from) / p
		}
	}
	if r.number(low) <= y && y <= r.number(high) {
		return 1
	}
	return 0
}

// inside returns 1 if y lies in the region of a column, such as "1:2;4:5", 0 otherwise.
func (r row) inside(column string, y float64) float64 {
	for part := range strings.SplitSeq(r[column], ";") {
		low, high, _ := strings.Cut(part, ":")
		ends := row{"low": low, "high": high}
		if ends.between("low", "high", y) == 1 {
			return 1
		}
	}
	return 0
}

// readTable reads a CSV file with a header.
func readTable(path string) (rows []row, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	for _, cells := range all[1:] {
		r := row{}
		for i, name := range all[0] {
			r[name] = cells[i]
		}
		rows = append(rows, r)
	}
	return rows, nil
}
