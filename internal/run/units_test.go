package run_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
)

func TestUnitsTravelWithTheWeights(t *testing.T) {
	dir, e := finished(t)
	want := run.Units{XNames: []string{"x"}, YNames: []string{"y"}, Scaling: thirds()}
	m := modelOf(t, e)
	c := must.Get(load(dir, run.Newest, m, nil))(t)
	weights := filepath.Join(dir, "weights.safetensors")
	must.Do(t, run.WriteWeights(weights, m, c.Params, c.Units))
	exported := must.Get(run.ReadUnits(weights))(t)
	for name, got := range map[string]*run.Units{"checkpoint": c.Units, "run": must.Get(run.Open(dir))(t).Units(), "weights": exported} {
		must.Same(t, &want, got, name)
	}
	must.Do(t, run.WriteWeights(weights, m, c.Params, nil))
	if u, err := run.ReadUnits(weights); u != nil || err != nil {
		t.Errorf("weights without units: %v, %v", u, err)
	}
	if u := (&run.Run{Dir: t.TempDir()}).Units(); u != nil {
		t.Errorf("no run: %v", u)
	}
}

// Categories, logarithms and dates are stored too. Columns without them are stored as ever.
func TestFormsTravelWithTheWeights(t *testing.T) {
	dir, e := finished(t)
	m, c := modelOf(t, e), must.Get(load(dir, run.Newest, modelOf(t, e), nil))(t)
	want := run.Units{XNames: []string{"diet"}, YNames: []string{"y"}, Scaling: thirds()}
	path := filepath.Join(dir, "weights.safetensors")
	for _, f := range []rows.Form{{Categories: []string{"egg"}}, {Log: true}, {Log: true, Shift: 0.25}, {Origin: "2024-03-01"}} {
		want.Scaling.XForms, want.Scaling.YForms = []rows.Form{f}, []rows.Form{{Log: true}}
		must.Do(t, run.WriteWeights(path, m, c.Params, &want))
		got := must.Get(run.ReadUnits(path))(t)
		must.Same(t, &want, got)
		must.Do(t, run.CheckData(dir, want, *got))
		other := want
		other.Scaling.XForms = []rows.Form{{}}
		if err := run.CheckData(dir, want, other); err == nil {
			t.Errorf("%+v is the same as plain numbers", f)
		}
	}
	want.Scaling.XForms, want.Scaling.YForms = nil, nil
	must.Do(t, run.WriteWeights(path, m, c.Params, &want))
	if text := must.Read(t, path); strings.Contains(string(text), "categories") || strings.Contains(string(text), "origin") {
		t.Error("columns of numbers are stored in another way than before")
	}
}

func TestBadUnitsAreNamed(t *testing.T) {
	dir, e := finished(t)
	with := func(units string) string {
		return rewritten(t, checkpoint(dir, "step-12"), func(f *contents) { f.meta["units"] = units })
	}
	for name, text := range map[string]string{
		"no JSON":       "scaled",
		"no columns":    "{}",
		"no y":          `{"x":[{"name":"x","offset":0,"scale":1}]}`,
		"no name":       `{"x":[{"offset":0,"scale":1}],"y":[{"name":"y","offset":0,"scale":1}]}`,
		"zero scale":    `{"x":[{"name":"x","offset":0,"scale":0}],"y":[{"name":"y","offset":0,"scale":1}]}`,
		"no date":       `{"x":[{"name":"x","offset":0,"scale":1,"origin":"yesterday"}],"y":[{"name":"y","offset":0,"scale":1}]}`,
		"two meanings":  `{"x":[{"name":"x","offset":0,"scale":1,"log":true,"categories":["a"]}],"y":[{"name":"y","offset":0,"scale":1}]}`,
		"a further key": `{"x":[{"name":"x","scale":1}],"y":[{"name":"y","scale":1}],"baseline":[{}]}`,
		"beyond number": `{"x":[{"name":"x","offset":0,"scale":1e999}],"y":[{"name":"y","offset":0,"scale":1}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			path := with(text)
			must.Refuse(t, must.Err(run.ReadUnits(path)), path, "units")
		})
	}
	names := with(`{"x":[{"name":"a","scale":1,"categories":["p","q"]}],"y":[{"name":"y","scale":1}]}`)
	must.Refuse(t, must.Err(run.ReadCheckpoint(names, modelOf(t, e))), names, "units", "2 columns of x")
	two := with(`{"x":[{"name":"a","scale":1},{"name":"b","scale":1}],"y":[{"name":"y","scale":1}]}`)
	must.Refuse(t, must.Err(run.ReadCheckpoint(two, modelOf(t, e))), two, "units", "2 columns of x")
}
