//go:build simt || gpu

package cuda_test

import (
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cuda"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// lasting returns a model's run for TestSameBitsAtSize: on a GPU that of the paper on lissajous, at all its
// multiprocessors, where blocks meet that wait for each other; on the emulator one of few rows and steps.
func lasting(t *testing.T, model string, emulated bool) (s shape, steps int) {
	x := must.Get(config.Load("../../../configs/lissajous/"+model+".yaml", config.Overrides{}))(t)
	s = shape{x.Model, 1, 2, ops.Extents{Groups: 128, Context: 97, Points: 100, Levels: 50}}
	if emulated {
		s = shape{sized(model, 64), 1, 2, ops.Extents{Groups: 3, Context: 7, Points: 20, Levels: 9}}
		return s.levelled(), 5
	}
	return s.levelled(), 200
}

// TestSameBitsAtSize trains twice, and once without launches that start before the one before them has ended,
// in half precision. All three must have the same bits.
func TestSameBitsAtSize(t *testing.T) {
	for _, model := range []string{"acqnp", "cnp"} {
		var want engine.State
		for attempt, o := range []cuda.Options{{}, {}, {NoEarly: true}} {
			d := openDevice(t)
			s, steps := lasting(t, model, d.Device().Name == "simt")
			draw := random.New(1, random.Levels)
			o.Fused, o.Precision, o.DrawLevels = true, cuda.FP16, &draw
			m := build(t, s)
			tr := must.Get(cuda.NewTrainer(d, graph(t, m, s.e, models.Training), o))(t)
			load(t, tr, engine.State{Params: m.Initial(1)})
			e := s.e
			for batch := range steps {
				e.Points = s.e.Points - batch*7%(s.e.Points-6)
				e.Context = min(s.e.Context, e.Points-1)
				inputs(tr.Input, m, e, uint64(batch))
				must.Do(t, tr.Step(e, batch, 0.001))
			}
			got := state(t, tr)
			if attempt == 0 {
				want = got
			} else if !sameState(got, want) {
				t.Errorf("%s: attempt %d, without early launches: %v, gives other bits", model, attempt, o.NoEarly)
			}
			checkEarly(t, tr, e, o.NoEarly, d.Device().Capability() >= 90, d.Device().Name == "simt")
			must.Do(t, tr.Close())
		}
	}
}

// checkEarly fails if launches start early that may not, or if none does. An old driver of a GPU refuses.
func checkEarly(t *testing.T, tr engine.Trainer, e ops.Extents, refused, able, always bool) {
	t.Helper()
	early := 0
	launches := must.Get(tr.(*cuda.Trainer).TimeLaunches(e, 0, 0.001, 1))(t)
	for _, l := range launches {
		if l.Early {
			early++
		}
	}
	t.Logf("%d of %d launches start early", early, len(launches))
	if early > 0 && (refused || !able) || early == 0 && able && always && !refused {
		t.Errorf("%d launches start early", early)
	}
}
