package golden_test

import (
	"testing"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/models"
)

// The losses of ten batches of different sizes agree, with a step of Adam after each. Steps do not
// amplify rounding: Adam's step may have the wrong sign if a gradient is as small as its rounding,
// but then the weight hardly changes the loss.
func TestAdamMatchesPyTorch(t *testing.T) {
	everywhere(t, checkAdam[float64], checkAdam[float32])
}

func checkAdam[T engine.Float](t *testing.T, g *golden, on compile[T], tolerance float64) {
	var rate, decay float64
	g.metadata("learning_rate", &rate)
	g.metadata("weight_decay", &decay)
	p := start(t, g, on, models.Training)
	adam := engine.NewAdam[T](len(p.Params()), decay)
	losses := make([]T, len(g.steps))
	for k := range g.steps {
		run(t, p, models.Training, g.step(k))
		losses[k] = p.Output("cost")[0]
		adam.Update(p.Params(), p.Grads(), rate)
	}
	same(t, "losses", losses, g.values("losses"), tolerance)
}
