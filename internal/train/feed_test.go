package train_test

import (
	"context"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cpu"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/train"
)

// counted returns a source with dx = 2 and dy = 3. The sizes and values of its batches depend on the step.
func counted() *datasets.Source {
	return &datasets.Source{DX: 2, DY: 3, Scaling: datasets.Unscaled(2, 3), Train: datasets.Batches{Size: datasets.Size{Groups: 3, Context: 4, Points: 9},
		Make: func(step int, b *datasets.Batch) error {
			*b = countedBatch(step)
			return nil
		}}}
}

func countedBatch(step int) datasets.Batch {
	b := datasets.Batch{Groups: 1 + step%3, Points: 5 + step%5, Context: 1 + step%4, DX: 2, DY: 3}
	for i := range b.Groups * b.Points {
		b.X = append(b.X, float32(step), float32(i)/8)
		b.Y = append(b.Y, float32(i)/16, float32(step)/32, 0.5)
	}
	return b
}

// watched calls see with the inputs of each run before it runs.
type watched struct {
	engine.Program[float32]
	see func(p engine.Program[float32], e ops.Extents)
}

func (w watched) Run(e ops.Extents) error {
	w.see(w.Program, e)
	return w.Program.Run(e)
}

// Step k reads batch k and the levels of step k, also after a resume.
func TestEveryStepReadsItsOwnBatchAndLevels(t *testing.T) {
	e := experiment(t)
	step := 0
	see := func(p engine.Program[float32], got ops.Extents) {
		b := countedBatch(step)
		want := ops.Extents{Groups: b.Groups, Context: b.Context, Points: b.Points, Levels: e.Train.NumTau}
		if got != want {
			t.Fatalf("step %d runs with %v, want %v", step, got, want)
		}
		var pairs []float32
		for f := range b.Groups {
			for i := f * b.Points; i < f*b.Points+b.Context; i++ {
				pairs = append(append(pairs, b.X[2*i:2*i+2]...), b.Y[3*i:3*i+3]...)
			}
		}
		levels := make([]float32, want.Rows(ops.Row))
		random.New(e.Train.Seed, random.Levels).Fill(uint64(step), 0, levels)
		for name, v := range map[string][]float32{"x": b.X, "y": b.Y, "context": pairs, "u": levels} {
			if !slices.Equal(p.Input(name)[:len(v)], v) {
				t.Errorf("step %d: input %s is not its batch's", step, name)
			}
		}
		step++
	}
	compile := func(g *ops.Graph, threads int) (engine.Program[float32], error) {
		p, err := cpu.New(g, threads)
		return watched{p, see}, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	o := train.Options{Experiment: e, Dir: t.TempDir(), Resume: true, OnStep: func(u train.Update) {
		if u.Step == 5 {
			cancel()
		}
	}}
	if _, err := runWith(ctx, o, counted(), compile); err == nil {
		t.Fatal("not interrupted")
	}
	if _, err := runWith(context.Background(), o, counted(), compile); err != nil || step != 12 {
		t.Errorf("%d steps seen, %v", step, err)
	}
}
