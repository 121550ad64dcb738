package submit

import (
	"github.com/acqnp/acqnp/internal/plan"
	"github.com/acqnp/acqnp/internal/run"
)

// Open returns the indices of the runs of a plan that are not done, ascending.
func Open(p *plan.Plan) ([]int, error) {
	var open []int
	for _, r := range p.Runs {
		state, err := r.State(p.Evaluate, run.StateOf)
		if err != nil {
			return nil, err
		}
		if state.Phase != run.Done {
			open = append(open, r.Index)
		}
	}
	return open, nil
}
