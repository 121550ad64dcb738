package sweep_test

import (
	"encoding/json"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
)

// Under halving, the time left goes by the steps that are to be made in the mean: of four candidates
// with factor 2, four make the first 10 steps, two go on to 20, one to 60 or not.
func TestTimeLeftUnderHalving(t *testing.T) {
	folder(t, "configs: cnp.yaml\ngrid: {train.learning_rate: [0.01, 1.0e-06, 1.0e-05, 0.001]}\n"+
		"set: {train.validate_every: 10}\nhalving: {first: 10, factor: 2}\nruns: out\n")
	status := func() (s struct {
		Left    *float64 `json:"left_s"`
		Dropped int
		Runs    []struct {
			Rate float64 `json:"steps_per_s"`
		}
	}) {
		t.Helper()
		out, _ := acqnp(t, 0, "sweep", "status", "plan.yaml", "--json")
		must.Do(t, json.Unmarshal([]byte(out), &s))
		return s
	}
	if s := status(); s.Left != nil {
		t.Errorf("%v s left before the first step", *s.Left)
	}
	acqnp(t, 0, "train", "--config", "cnp.yaml", "--set", "train.validate_every=10", "--until", "10", "--run-dir", "out/rbf/cnp/learning_rate=0.01/seed-0",
		"--no-eval", "--quiet", "--device", "cpu")
	s := status()
	// Rungs at 10, 20 and 40: ahead are (10·1/2 + 20·1/4 + 20·1/8) steps for each, and 10 more for three.
	if want := (4*12.5 + 3*10) / s.Runs[0].Rate; s.Left == nil || *s.Left < want*0.999 || *s.Left > want*1.001 {
		t.Errorf("%v s left, want %v", s.Left, want)
	}
	acqnp(t, 0, "sweep", "run", "plan.yaml", "--jobs", "2")
	if s := status(); s.Left == nil || *s.Left != 0 || s.Dropped != 3 {
		t.Errorf("%+v at the end", s)
	}
}
