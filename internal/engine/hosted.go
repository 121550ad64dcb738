package engine

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// hosted is a Trainer around a Program in the host's memory. Adam runs on the program's own
// parameters.
type hosted struct {
	Program[float32]
	tensors []ops.Tensor
	adam    *Adam[float32]
	scale   LossScale // not used here; State returns what Load got, so that a GPU can continue the run
	loss    float32
	failed  error
}

// NewTrainer returns a Trainer that runs a program and Adam. The program has gradients and the
// output "cost"; tensors are its graph's. A step is done and checked when Step returns, so Step
// returns its own error. Closing the trainer closes the program.
func NewTrainer(p Program[float32], tensors []ops.Tensor, weightDecay float64) Trainer {
	return &hosted{Program: p, tensors: tensors, adam: NewAdam[float32](len(p.Params()), weightDecay)}
}

// Step runs the program and Adam.
func (h *hosted) Step(e ops.Extents, batch int, rate float64) error {
	if h.failed != nil {
		return h.failed
	}
	if err := h.Run(e); err != nil {
		return err
	}
	if h.failed = h.check(batch); h.failed != nil {
		return h.failed
	}
	h.loss = h.Output("cost")[0]
	if !h.adam.Update(h.Params(), h.Grads(), rate) {
		h.failed = h.overflow(batch)
	}
	return h.failed
}

// overflow returns the error of an update that made a NaN or an infinity. It names the first such
// element, and the first of m, v and weight in which it was computed.
func (h *hosted) overflow(batch int) error {
	for i, w := range h.Params() {
		for _, q := range []struct {
			name  string
			value float32
		}{{"m", h.adam.M[i]}, {"v", h.adam.V[i]}, {"weight", w}} {
			if !finite(q.value) {
				return &NonFiniteError{Batch: batch, Quantity: q.name, Tensor: TensorAt(h.tensors, i), Value: q.value}
			}
		}
	}
	return nil
}

// check looks for a NaN or an infinity in a batch's loss and gradients.
func (h *hosted) check(batch int) error {
	if loss := h.Output("cost")[0]; !finite(loss) {
		return &NonFiniteError{Batch: batch, Quantity: "loss", Tensor: "loss", Value: loss}
	}
	if i := FirstNonFinite(h.Grads()); i >= 0 {
		return &NonFiniteError{Batch: batch, Quantity: "gradient", Tensor: TensorAt(h.tensors, i), Value: h.Grads()[i]}
	}
	return nil
}

// Loss returns the cost of the last step.
func (h *hosted) Loss() (float32, error) { return h.loss, h.failed }

// State returns the program's parameters and Adam's moments themselves, not copies.
func (h *hosted) State() (State, error) {
	return State{Params: h.Params(), M: h.adam.M, V: h.adam.V, Updates: h.adam.Step, LossScale: h.scale}, h.failed
}

// Load copies a state.
func (h *hosted) Load(s State) error {
	if err := s.Check(len(h.Params())); err != nil {
		return err
	}
	clear(h.adam.M)
	clear(h.adam.V)
	copy(h.Params(), s.Params)
	copy(h.adam.M, s.M)
	copy(h.adam.V, s.V)
	h.adam.Step, h.scale, h.failed = s.Updates, s.LossScale, nil
	return nil
}

// Check returns an error unless the state fits a model of n parameters.
func (s State) Check(n int) error {
	if len(s.Params) != n || s.M != nil && len(s.M) != n || s.V != nil && len(s.V) != n {
		return fmt.Errorf("engine: the state has %d parameters and moments of %d and %d numbers, want %d of each", len(s.Params), len(s.M), len(s.V), n)
	}
	return nil
}

// FirstNonFinite returns the index of the first NaN or infinity; −1 if there is none. It adds numbers,
// because a sum is finite only if every number is, and adding is faster than testing each.
func FirstNonFinite(v []float32) int {
	for from := 0; from < len(v); from += len(ones) {
		some := v[from:min(from+len(ones), len(v))]
		if finite(simd.Dot(some, ones[:len(some)])) {
			continue
		}
		for i, x := range some { // the sum may also overflow
			if !finite(x) {
				return from + i
			}
		}
	}
	return -1
}

// finite reports whether x is neither a NaN nor an infinity, whose difference from itself is a NaN.
func finite(x float32) bool { return x-x == 0 }

// ones is the second factor with which simd.Dot computes a sum.
var ones = func() (v [1024]float32) {
	for i := range v {
		v[i] = 1
	}
	return v
}()

// TensorAt returns the name of the tensor that element i of the flat vector belongs to.
func TensorAt(ts []ops.Tensor, i int) string {
	for _, t := range ts {
		if i >= t.Offset && i < t.Offset+t.Size() {
			return t.Name
		}
	}
	return fmt.Sprintf("element %d", i)
}
