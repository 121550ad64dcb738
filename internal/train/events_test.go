package train_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/acqnp/acqnp/internal/files/tfevents"
	"github.com/acqnp/acqnp/internal/test/events"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/train"
)

// TensorBoard shows what metrics.jsonl has, also of a run that is resumed: from the step at which it was
// interrupted, and from an older checkpoint if that of the last steps is lost. The log changes no bits.
func TestEventsAreThoseOfTheMetrics(t *testing.T) {
	e, dir, logs, without := validated(t), t.TempDir(), t.TempDir(), t.TempDir()
	o := train.Options{Experiment: e, Dir: dir, Resume: true}
	resume := func(f func()) {
		t.Helper()
		o.Events = must.Get(tfevents.Open(logs, tfevents.Continue))(t)
		f()
		must.Do(t, o.Events.Close())
		want := map[string][]events.Value{}
		for _, m := range metrics(t, dir) {
			add := func(tag string, v float64) {
				want[tag] = append(want[tag], events.Value{Step: m.Step, Number: float32(v)})
			}
			add("loss", float64(m.Loss))
			add("learning_rate", m.LearningRate)
			if m.ValidLL != nil {
				add("valid_ll", *m.ValidLL)
			}
		}
		if got := must.Get(events.Shown(logs))(t); !reflect.DeepEqual(got, want) {
			t.Errorf("TensorBoard shows %v, the metrics are %v", got, want)
		}
	}
	resume(func() { interruptAfter(t, o, 7) })
	resume(func() { interruptAfter(t, o, 11) })
	must.Do(t, os.Remove(checkpoint(dir, "step-11")))
	resume(func() { mustTrain(t, o) }) // from step 8
	resume(func() {
		if r := mustTrain(t, o); !r.Finished { // no step is left
			t.Errorf("%+v", r)
		}
		must.Do(t, train.ReopenEvents(o)) // the last is written again
	})
	if files := must.Get(filepath.Glob(filepath.Join(logs, "*")))(t); len(files) != 4 {
		t.Errorf("%d event files of 4 trainings: %v", len(files), files)
	}
	want := mustTrain(t, train.Options{Experiment: e, Dir: without})
	sameTensors(t, checkpoint(dir, "step-12"), want.Checkpoint)
}
