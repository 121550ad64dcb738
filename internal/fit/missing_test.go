package fit_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/fit"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
)

// visits draws the rows id, x, lab, sex, y of patients: y is the patient's level + x + 2·lab + 3 for a man. A share of
// labs is missing, and with gone, of those above 1 all.
func visits(patients int, share float64, gone bool) (rows []string) {
	for k := range uint64(patients) {
		g := random.New(8, random.Validation)
		sex := []string{"man", "woman"}[g.IntN(k, 1, 2)]
		own := g.Normal(k, 2)
		for i := range uint64(8) {
			x, lab := 4*g.Float(k, 10+i), own+0.3*g.Normal(k, 30+i)
			y := g.Normal(k, 0) + x + 2*lab + 0.3*g.Normal(k, 50+i)
			if sex == "man" {
				y += 3
			}
			cell := fmt.Sprintf("%.4f", lab)
			if g.Float(k, 70+i) < share && (!gone || lab > 1) {
				cell = "NA"
			}
			rows = append(rows, fmt.Sprintf("p%d,%.4f,%s,%s,%.4f", k, x, cell, sex, y))
		}
	}
	return rows
}

// Rows with a missing cell of x are used, which a line says. A target whose lab is missing is filled by the labs that
// are known of the patient; without any it is as uncertain as labs differ, which is much more than with a lab.
func TestMissingCellsAreValues(t *testing.T) {
	t.Parallel()
	var w warning.Record
	f := fitRows(t, fit.Options{Instant: true, Warnings: &w}, "id,x,lab,sex,y", "y ~ x + lab + sex | id", visits(40, 0.3, false))
	if f.Rows != 320 || f.Missing[1] < 70 || f.Missing[1] > 120 || f.Missing[0]+f.Missing[2] > 0 {
		t.Errorf("%d rows, of which %v lack a cell; want 320 and about 96 of lab", f.Rows, f.Missing)
	}
	if line := strings.Join(w.Lines(), "\n"); !strings.Contains(line, fmt.Sprintf("data.csv: missing cells in 320 rows: %d of lab; each gets the median", f.Missing[1])) {
		t.Errorf("found %q", line)
	}
	nan := math.NaN()
	sd := func(g points.Question) (mean, sd float64) {
		d := given(t, f, g)[0]
		return d.Mean(), math.Sqrt(d.Variance())
	}
	_, with := sd(points.Question{Targets: points.New(3, 0, []float64{2, 1, 0}, nil)})
	_, without := sd(points.Question{Targets: points.New(3, 0, []float64{2, nan, 0}, nil)})
	// Labs differ by 1, so that 2·lab adds 4 to the variance of 1.09 of a patient without one.
	// Folds by chance mix models that know labs less well: three quarters are still far from as much as without.
	if !(with < 0.75*without && without > 1.8 && without < 3) {
		t.Errorf("± %v with a lab, ± %v without; want about 1.04 and 2.3", with, without)
	}
	known := points.Question{Known: points.New(3, 1, []float64{1, 1.5, 0, 2, 1.4, 0, 3, nan, 0}, []float64{8, 8.8, 9.9}), Targets: points.New(3, 0, []float64{2, nan, 0, 2, 1.45, 0}, nil)}
	all := given(t, f, known)
	if math.Abs(all[0].Mean()-all[1].Mean()) > 0.6 {
		t.Errorf("%v without a lab, %v with that of the patient: want about the same", all[0].Mean(), all[1].Mean())
	}
}

// That a cell is missing says something where cells are not missing by chance: here labs above 1.
func TestAMissingCellSaysSomething(t *testing.T) {
	t.Parallel()
	f := instant(t, "id,x,lab,sex,y", "y ~ x + lab + sex | id", visits(60, 1, true))
	// Such labs have a mean of 1.5 to 1.6, so y lies 3 above the median of 0.
	missing := given(t, f, points.Question{Targets: points.New(3, 0, []float64{2, math.NaN(), 0}, nil)})[0].Mean()
	if zero := given(t, f, points.Question{Targets: points.New(3, 0, []float64{2, 0, 0}, nil)})[0].Mean(); missing-zero < 1.5 {
		t.Errorf("%v without a lab, %v with one of 0: want about 3 more", missing, zero)
	}
}

// A cell that is missing at predict, of a column that the data have in every row: a number is filled, a name may be any,
// unless known points of the group have it. A line says both.
func TestCellsThatTheDataHaveInEveryRow(t *testing.T) {
	t.Parallel()
	f := instant(t, "id,x,lab,sex,y", "y ~ x + lab + sex | id", visits(40, 0, false))
	nan := math.NaN()
	at := func(g points.Question) (float64, float64) {
		d := given(t, f, g)[0]
		return d.Mean(), d.Variance()
	}
	man, own := at(points.Question{Targets: points.New(3, 0, []float64{2, 0, 0}, nil)})
	woman, _ := at(points.Question{Targets: points.New(3, 0, []float64{2, 0, 1}, nil)})
	either, wide := at(points.Question{Targets: points.New(3, 0, []float64{2, 0, nan}, nil)})
	if math.Abs(either-(man+woman)/2) > 1e-6 || wide < own+1 {
		t.Errorf("%v of variance %v for either sex, %v and %v, of variance %v, for each", either, wide, man, woman, own)
	}
	context := points.Question{Known: points.New(3, 1, []float64{2, 0, 0, 1, 0.1, 0}, []float64{5, 4.2})}
	filled, named := context, context
	filled.Targets, named.Targets = points.New(3, 0, []float64{2, nan, nan}, nil), points.New(3, 0, []float64{2, 0.05, 0}, nil)
	if a, v := at(filled); true {
		if b, w := at(named); a != b || v != w {
			t.Errorf("%v, %v filled from known points; %v, %v with their values", a, v, b, w)
		}
	}
	var w warning.Record
	f.Warn([]points.Question{filled}, nil, &w)
	lines := strings.Join(w.Lines(), "\n")
	for _, want := range []string{"missing cells in 3 known points and targets: 1 of lab; each gets the median", "so predictions are too certain", "1 of sex; each is read as the group's most frequent name"} {
		if !strings.Contains(lines, want) {
			t.Errorf("found %q, want %q", lines, want)
		}
	}
}
