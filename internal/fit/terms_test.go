package fit_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/fit"
	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// shifts draws the rows id, machine, hour, y of plants: machines 1, 2, 3 and 10 differ, 2 by +3 and 3 by −2, and the
// course over a day is 2·cos, highest at 23:30.
func shifts(plants int) (rows []string) {
	for k := range uint64(plants) {
		g := random.New(3, random.Validation)
		for i := range uint64(10) {
			machine, hour := g.IntN(k, 20+i, 4), g.IntN(k, 40+i, 24)
			y := g.Normal(k, 0) + []float64{0, 3, -2, 1}[machine] + 2*math.Cos(2*math.Pi*(float64(hour)-23.5)/24) + 0.3*g.Normal(k, 60+i)
			rows = append(rows, fmt.Sprintf("p%d,%s,%d,%.4f", k, []string{"1", "2", "3", "10"}[machine], hour, y))
		}
	}
	return rows
}

// Codes are names: the order and the distance of 1, 2, 3, 10 do not matter, an unseen one is none of them. A period
// makes 23 and 0 neighbours, as near as 0 and 1, and 24 and −1 are them; an hour between those of the data is no
// extrapolation.
func TestCodesAndPeriods(t *testing.T) {
	t.Parallel()
	f := instant(t, "id,machine,hour,y", "y ~ factor(machine) + cyclic(hour, 24) | id", shifts(20))
	at := func(machine, hour float64) float64 {
		return given(t, f, points.Question{Targets: points.New(2, 0, []float64{machine, hour}, nil)})[0].Mean()
	}
	// Names are sorted: 1, 10, 2, 3. What 20 plants of 10 rows leave open of a difference is 0.05; 0.3 is six times that.
	for machine, want := range []float64{0, 1, 3, -2} {
		if found := at(float64(machine), 12) - at(0, 12); math.Abs(found-want) > 0.3 {
			t.Errorf("machine %s is %v above machine 1, want %v", f.XForms[0].Categories[machine], found, want)
		}
	}
	if a, b, c := at(0, 23), at(0, 0), at(0, 12); math.Abs(a-b) > 0.1 || math.Abs(a-c-4) > 0.4 {
		t.Errorf("%v at 23, %v at 0, %v at 12; want the first two alike, 4 above the third", a, b, c)
	}
	// Up to the rounding of the sine.
	if a, b := at(0, 24), at(0, 0); math.Abs(a-b) > 1e-9 || math.Abs(at(0, -1)-at(0, 23)) > 1e-9 {
		t.Errorf("%v at 24, %v at 0, %v at -1, %v at 23", a, b, at(0, -1), at(0, 23))
	}
	var w warning.Record
	f.Warn([]points.Question{{Targets: points.New(2, 0, []float64{0, 24, 0, 23.5, 0, 100, 0, -3}, nil)}}, nil, &w)
	if lines := w.Lines(); len(lines) > 0 {
		t.Errorf("found %q of hours of another day, want nothing", lines)
	}
}

// A column may stand beside its periods: the trend goes on, and the period comes round.
func TestTrendBesideAPeriod(t *testing.T) {
	t.Parallel()
	var rows []string
	g := random.New(5, random.Validation)
	for k := range uint64(15) {
		level := g.Normal(k, 0)
		for day := range uint64(20) {
			rows = append(rows, fmt.Sprintf("s%d,2024-01-%02d,%.4f", k, day+1, level+0.2*float64(day)+2*math.Sin(2*math.Pi*float64(day)/7)+0.2*g.Normal(k, 10+day)))
		}
	}
	f := instant(t, "shop,day,y", "y ~ day + cyclic(day, 7) | shop", rows)
	if len(f.X) != 1 {
		t.Fatalf("the columns %q, want day once", f.X)
	}
	at := func(day float64) float64 {
		return given(t, f, points.Question{Targets: points.New(1, 0, []float64{day}, nil)})[0].Mean()
	}
	// A week later, the same place in the week is 1.4 higher. Over 15 shops the slope is known to 0.01 a week.
	if up := at(13) - at(6); math.Abs(up-1.4) > 0.2 {
		t.Errorf("a week later it is %v higher, want 1.4", up)
	}
	if swing := at(9) - at(12); math.Abs(swing-(4*math.Sin(4*math.Pi/7)-0.6)) > 0.3 {
		t.Errorf("days 9 and 12 differ by %v, want %v", swing, 4*math.Sin(4*math.Pi/7)-0.6)
	}
}

// Without x, known points say where a group lies: the mean of a new group is that of Bayes' rule for normal groups and
// rows, whose deviations are 2 and 1.
func TestFormulaWithoutX(t *testing.T) {
	t.Parallel()
	var rows []string
	g := random.New(6, random.Validation)
	for k := range uint64(60) {
		for i := range uint64(6) {
			rows = append(rows, fmt.Sprintf("g%d,%.4f", k, 5+2*g.Normal(k, 0)+g.Normal(k, 10+i)))
		}
	}
	f := instant(t, "g,y", "y ~ 1 | g", rows)
	d := given(t, f, points.Question{Known: points.New(1, 1, []float64{0, 0}, []float64{9, 10}), Targets: points.New(1, 0, []float64{0}, nil)})[0]
	// The mean is 5 + (9.5 − 5)·4/(4 + 1/2) = 9, of variance 1 + 4·(1/2)/(4 + 1/2) = 1.44. The mean and the deviations of
	// 60 groups err by 0.3, which moves these by 0.1; the models doubt points so far out by as much.
	if sd := math.Sqrt(d.Variance()); math.Abs(d.Mean()-9) > 0.4 || math.Abs(sd-1.2) > 0.2 {
		t.Errorf("%v ± %v, want 9 ± 1.2", d.Mean(), sd)
	}
	dir := t.TempDir()
	must.Do(t, f.Write(dir))
	again := must.Get(answer.Read(dir))(t)
	if e := given(t, again, points.Question{Targets: points.New(1, 0, []float64{0}, nil)})[0]; e.Mean() != given(t, f, points.Question{Targets: points.New(1, 0, []float64{0}, nil)})[0].Mean() {
		t.Errorf("what was read predicts %v", e.Mean())
	}
}

// Terms that a column cannot have are refused with the reason.
func TestTermsThatAColumnCannotHave(t *testing.T) {
	t.Parallel()
	rows := slices.Repeat([]string{"a,new,1,2", "b,used,2,3", "a,new,0,1"}, 5)
	for asked, want := range map[string]string{
		"y ~ cyclic(kind, 7) | id": "kind: found a period of names, expected numbers, dates or times of day",
		"y ~ factor(year) | id":    "year",
	} {
		_, err := try(t, fit.Options{Instant: true, Warnings: new(warning.Record)}, "id,kind,hour,y", asked, rows)
		must.Refuse(t, err, want)
	}
}
