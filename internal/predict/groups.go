package predict

import "github.com/acqnp/acqnp/internal/invalid"

// apart says why a network that reads groups has no predictions of its own here.
const apart = "a prediction needs the other groups of the data set, which only acqnp fit has"

// CheckGroups returns an *invalid.Input for a network that reads groups. A [Function] has none.
func (t Trained) CheckGroups() error {
	if !t.Model.Groups() {
		return nil
	}
	return &invalid.Input{Key: "model.aggregation", Found: "groups", Expected: "another aggregation: " + apart}
}
