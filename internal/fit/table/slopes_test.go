package table_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/fit/table"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// The same where subjects have slopes: balanced, the lines of subjects have the covariance Σ + σ²·(ZᵀZ)⁻¹. glmmTMB 1.1.5 with
// REML has these digits too.
func TestSlopesOfSleepstudy(t *testing.T) {
	const subjects, days, level, slope, correlation, noise = 18, 10, 24.7407, 5.9221, 0.0656, 25.5918 * 25.5918
	gram := mat.NewSymDense(2, []float64{days, 45, 45, 285})
	var inverse mat.Dense
	must.Do(t, inverse.Inverse(gram))
	covariance := mat.NewSymDense(2, []float64{level*level + noise*inverse.At(0, 0), level*slope*correlation + noise*inverse.At(0, 1), 0, slope*slope + noise*inverse.At(1, 1)})
	var of mat.Cholesky
	if !of.Factorize(covariance) {
		t.Fatal("no covariance")
	}
	var lower mat.TriDense
	of.LTo(&lower)
	first, second, rows := deviations(1, 1, subjects, subjects-1), deviations(2, 1, subjects, subjects-1), deviations(3, subjects, days, 1)
	floats.AddScaled(second, -floats.Dot(first, second)/(subjects-1), first)
	floats.Scale(math.Sqrt((subjects-1)/floats.Dot(second, second)), second)
	left := 0.0
	for k := range subjects { // residuals of a subject have no line
		own, along := rows[k*days:][:days], 0.0
		for i, v := range own {
			along += v * (float64(i) - 4.5) / 82.5
		}
		for i := range own {
			own[i] -= along * (float64(i) - 4.5)
		}
		left += floats.Dot(own, own)
	}
	var groups []points.Group
	for k := range subjects {
		g := points.Group{Points: points.Points{DX: 1, DY: 1}}
		for i := range days {
			line := 251.4051 + lower.At(0, 0)*first[k] + (10.46729+lower.At(1, 0)*first[k]+lower.At(1, 1)*second[k])*float64(i)
			g.X = append(g.X, float64(i))
			g.Y = append(g.Y, line+rows[k*days+i]*math.Sqrt(noise*subjects*(days-2)/left))
		}
		groups = append(groups, g)
	}
	got := table.Of(groups, table.Question{Fixed: "Reaction ~ Days", Names: []string{"Days"}, Slopes: []int{0}, Group: "Subject"})
	check(t, got, "Reaction ~ Days + (1 + Days | Subject)", []float64{251.405, 6.8246, 10.467, 1.5458}, []float64{24.7407, 5.9221}, 25.5918, 1e-4)
	if r := got.Levels[1].Correlation; got.Levels[1].Name != "Days of Subject" || r == nil || math.Abs(*r-correlation) > 1e-3 {
		t.Errorf("the slopes are %+v", got.Levels[1])
	}
}

// Slopes that are not tried, of many groups and columns, are said.
func TestSlopesOfManyGroupsAreSaid(t *testing.T) {
	const columns = 16
	g, q := random.New(5, random.Data), table.Question{Fixed: "y ~ x", Group: "g"}
	for c := range columns {
		q.Names, q.Slopes = append(q.Names, fmt.Sprintf("x%d", c)), append(q.Slopes, c)
	}
	for groups, want := range map[int]string{400: "whether groups differ in their slopes was not tried: 400 groups and 16 columns are too many", 20: ""} {
		all := make([]points.Group, groups)
		for k := range all {
			all[k].DX, all[k].DY = columns, 1
			for i := range uint64(3) {
				for c := range uint64(columns) {
					all[k].X = append(all[k].X, g.Normal(uint64(k), 100*i+c))
				}
				all[k].Y = append(all[k].Y, g.Normal(uint64(k), 1000)+g.Normal(uint64(k), 2000+i))
			}
		}
		if notes := strings.Join(table.Of(all, q).Notes, "\n"); strings.Contains(notes, "not tried") != (want != "") || !strings.Contains(notes, want) {
			t.Errorf("%d groups: found the notes %q, want %q", groups, notes, want)
		}
	}
}
