package fit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/fit"
	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// A name that only rows without y have is one that the data lack: a line names it. Truth values are the same names in
// any spelling, also as factor(). The file of the fit reads back.
func TestNamesAreThoseOfUsedRows(t *testing.T) {
	t.Parallel()
	data := []string{"p0,beta,True,"}
	g := random.New(9, random.Validation)
	for k := range uint64(6) {
		for i := range uint64(6) {
			kind, flag := []string{"alpha", "gamma"}[i%2], []string{"True", "false", "FALSE"}[i%3]
			data = append(data, fmt.Sprintf("p%d,%s,%s,%.3f", k, kind, flag, float64(3*(i%2))+g.Normal(k, i)))
		}
	}
	f := instant(t, "id,kind,flag,y", "y ~ kind + factor(flag) | id", data)
	if kinds, flags := f.XForms[0].Categories, f.XForms[1].Categories; !slices.Equal(kinds, []string{"alpha", "gamma"}) || !slices.Equal(flags, []string{"false", "true"}) {
		t.Errorf("the names %q and %q", kinds, flags)
	}
	if low, high := given(t, f, points.Question{Targets: points.New(2, 0, []float64{0, 1}, nil)})[0].Mean(), given(t, f, points.Question{Targets: points.New(2, 0, []float64{1, 1}, nil)})[0].Mean(); high-low < 1.5 {
		t.Errorf("alpha is %v, gamma %v; want gamma 3 higher", low, high)
	}
	dir := t.TempDir()
	must.Do(t, f.Write(dir))
	again := must.Get(answer.Read(dir))(t)
	var w warning.Record
	beta, _ := again.XForms[0].Number("beta")
	again.Warn([]points.Question{{Targets: points.New(2, 0, []float64{beta, 0}, nil)}}, func(int, float64) string { return "beta" }, &w)
	if lines := strings.Join(w.Lines(), "\n"); !strings.Contains(lines, "kind of 1 of 1 target is not among the data's names: beta") {
		t.Errorf("found the lines %q", lines)
	}
}

// What the rows that are used lack, and names that no model can tell apart, are refused before anything is fitted.
func TestColumnsWithoutUsedValues(t *testing.T) {
	t.Parallel()
	var data []string
	for i := range 1200 {
		data = append(data, fmt.Sprintf("g%d,%d,,%d,,%d,%s%d,%de-200", i%7, i, i%9, 10000+i, strings.Repeat("n", 201), i%2, i))
	}
	data = append(data, "g1,1,3,,,1,short,0", "g2,2,4,,,2,short,0", ",3,5,1,6,3,short,0", ",3,5,1,7,3,short,0")
	for asked, want := range map[string]string{
		"y ~ x + z | id":            "z: found no value in the rows that are used, expected values",
		"y + low ~ x | id":          "low: found no value in the rows that are used",
		"tiny ~ x | id":             "tiny: found numbers from 0 to 1.199e-197, expected numbers that lie 1e-150 apart or more",
		"y ~ x + long | id":         "a name of more than 200 bytes, expected shorter names",
		"y ~ x + factor(code) | id": fmt.Sprintf("code: found more than %d names", rows.MaxDistinct),
	} {
		_, err := try(t, fit.Options{Instant: true, Warnings: new(warning.Record)}, "id,x,z,y,low,code,long,tiny", asked, data)
		must.Refuse(t, err, want)
	}
}
