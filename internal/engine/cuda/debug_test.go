//go:build simt

package cuda_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cuda"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/kernels/emulator"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// TestFirstRunHasNoGraph counts launches and graphs: the first run launches each kernel, and the
// second makes the graph that all later runs replay. The runs have the same bits in any order of
// the graph's nodes.
func TestFirstRunHasNoGraph(t *testing.T) {
	s := small("acqnp residual attention")
	m := build(t, s)
	var first []float32
	for _, order := range []int{0, 1, 5} {
		d := &drawn{Driver: emulator.New(emulator.Options{Order: order})}
		closing(t, d)
		p := must.Get(cuda.New(d, graph(t, m, s.e, models.Training), cuda.Options{Fused: true}))(t)
		closing(t, p)
		for i := range 3 {
			fill(p, m, s.e, 1)
			run(t, p, s.e)
			if made := d.nodes != nil; made != (i > 0) {
				t.Errorf("run %d: a graph was made: %t", i, made)
			}
			if first == nil {
				first = slices.Clone(p.Grads())
			}
			if !slices.Equal(p.Grads(), first) {
				t.Errorf("order %d, run %d: other gradients than those of the first run", order, i)
			}
		}
	}
}

// TestAnyOrderOfAGraphTrainsAlike trains with the nodes of the graph in three orders that their
// dependencies allow. A dependency that is missing would change the state.
func TestAnyOrderOfAGraphTrainsAlike(t *testing.T) {
	for _, name := range variants() {
		s := small(name)
		m := build(t, s)
		var first engine.State
		for _, order := range []int{0, 1, 7} {
			d := emulator.New(emulator.Options{Order: order})
			tr := must.Get(cuda.NewTrainer(d, graph(t, m, s.e, models.Training), cuda.Options{Fused: true}))(t)
			load(t, tr, engine.State{Params: m.Initial(1)})
			for batch := range 3 {
				step(t, tr, m, s.e, batch)
			}
			now := state(t, tr)
			if order == 0 {
				first = now
			} else if !sameState(now, first) {
				t.Errorf("%s: order %d leads elsewhere", name, order)
			}
			must.Do(t, errors.Join(tr.Close(), d.Close()))
		}
	}
}

// failing is a driver whose kernels fail from the n-th launch on. As on a GPU, the error comes from
// the call that waits for the kernel and does not name it.
type failing struct {
	listening
	n int
}

func (f *failing) Sync() error {
	if len(f.launched) > f.n {
		return &gpu.Error{Call: "sync", Cause: errors.New("illegal address")}
	}
	return f.Driver.Sync()
}

// TestSynchronousErrorsNameTheKernel lets each launch of a run fail in turn.
func TestSynchronousErrorsNameTheKernel(t *testing.T) {
	s := small("cqnp")
	m := build(t, s)
	for n := 0; ; n++ {
		d := &failing{listening{Driver: openDevice(t), names: map[gpu.Func]string{}}, n}
		tr := must.Get(cuda.NewTrainer(d, graph(t, m, s.e, models.Training), cuda.Options{Fused: true, Synchronous: true}))(t)
		err := tr.Step(s.e, 0, 0.01)
		var failed *gpu.Error
		if err == nil {
			d.n = 1000
			step(t, tr, m, s.e, 1) // a second step, without a graph
			must.Do(t, tr.Close())
			if n < 10 {
				t.Errorf("a step has only %d launches", n)
			}
			return
		}
		if !errors.As(err, &failed) || failed.Kernel == "" || failed.Kernel != d.launched[len(d.launched)-1] {
			t.Errorf("launch %d of %v: %v", n, d.launched, err)
		}
		_ = tr.Close()
		if n > 100 {
			t.Fatal("more than 100 launches")
		}
	}
}

// TestUploadsOfAStep counts uploads: a step makes one, from pinned memory, of struct Step and all
// inputs.
func TestUploadsOfAStep(t *testing.T) {
	s := small("bnp")
	m := build(t, s)
	d := &uploading{Driver: openDevice(t)}
	tr := must.Get(cuda.NewTrainer(d, graph(t, m, s.e, models.Training), cuda.Options{}))(t)
	closing(t, tr)
	load(t, tr, engine.State{Params: m.Initial(1)})
	d.uploads = 0
	for batch := range 3 {
		step(t, tr, m, s.e, batch)
	}
	if d.uploads != 3 {
		t.Errorf("%d uploads in 3 steps", d.uploads)
	}
}

// TestUploadsOfARun counts uploads: a run makes one of its inputs, and one of the parameters if they may have
// changed since the last.
func TestUploadsOfARun(t *testing.T) {
	s := small("cnp")
	m := build(t, s)
	d := &uploading{Driver: openDevice(t)}
	p := must.Get(cuda.New(d, graph(t, m, s.e, models.Evaluation), cuda.Options{}))(t)
	closing(t, p)
	var first float32
	for i, want := range []int{2, 1, 1, 2} {
		if i == 0 {
			fill(p, m, s.e, 1)
		} else if want == 2 {
			for j := range p.Params() {
				p.Params()[j] /= 2
			}
		}
		d.uploads = 0
		run(t, p, s.e)
		if d.uploads != want {
			t.Errorf("run %d: %d uploads, want %d", i, d.uploads, want)
		}
		ll := p.Output("loglik")[0]
		if i == 0 {
			first = ll
		} else if same := ll == first; same != (want == 1) {
			t.Errorf("run %d: the result is that of the first run: %t", i, same)
		}
	}
}

// uploading is a driver that counts uploads.
type uploading struct {
	gpu.Driver
	uploads int
}

func (u *uploading) Upload(to gpu.Ptr, b []byte) error {
	u.uploads++
	return u.Driver.Upload(to, b)
}
