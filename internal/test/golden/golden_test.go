package golden_test

import (
	"testing"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/models"
)

// Tolerances. In float64 only the order of sums differs from PyTorch's: some hundred roundings of
// 1e-16, enlarged by σ as small as 0.01. Float32 starts from the same numbers (the files' inputs
// and weights are float32 values), and a rounding is 6e-8. No number in testdata is close to a kink
// of ReLU or of |y−μ|, so no sign can differ.
const (
	close64 = 1e-10
	close32 = 2e-5
)

// check compares one engine's results for a case with PyTorch's.
type check[T engine.Float] func(t *testing.T, g *golden, on compile[T], tolerance float64)

// everywhere runs a check on every case, engine and precision. double and single are the same check
// in float64 and in float32.
func everywhere(t *testing.T, double check[float64], single check[float32]) {
	for _, path := range cases(t) {
		t.Run(caseName(path), func(t *testing.T) {
			t.Run("reference/float64", func(t *testing.T) { double(t, load(t, path), onReference[float64], close64) })
			t.Run("reference/float32", func(t *testing.T) { single(t, load(t, path), onReference[float32], close32) })
			t.Run("cpu/float32", func(t *testing.T) { single(t, load(t, path), onCPU, close32) })
		})
	}
}

// The log-likelihoods of the points, the cost and every gradient agree.
func TestTrainingMatchesPyTorch(t *testing.T) {
	everywhere(t, checkTraining[float64], checkTraining[float32])
}

func checkTraining[T engine.Float](t *testing.T, g *golden, on compile[T], tolerance float64) {
	p := start(t, g, on, models.Training)
	run(t, p, models.Training, g.main())
	same(t, "loglik", p.Output("loglik"), g.values("loglik"), tolerance)
	same(t, "cost", p.Output("cost"), g.values("loss"), tolerance)
	want, got := g.flat("g."), p.Grads()
	if len(got) != len(want) {
		t.Fatalf("%d gradients, expected %d", len(got), len(want))
	}
	before := 0.0
	for _, tensor := range g.model.Tensors() {
		lo, hi := tensor.Offset, tensor.Offset+tensor.Size()
		scale := largest(want[lo:hi])
		if scale < 1e-12 {
			// In exact arithmetic this gradient is 0: the last bias of attention's keys adds the
			// same number to all scores of a softmax, and a softmax over one context point is 1.
			// Only rounding is left. It is as large as the rounding in the gradient of an earlier
			// tensor.
			scale = before
		}
		sameGradient(t, tensor.Name, got[lo:hi], want[lo:hi], tolerance*scale)
		before = scale
	}
}

// The log-likelihoods in evaluation mode agree. That graph has no gradients.
func TestEvaluationMatchesPyTorch(t *testing.T) {
	everywhere(t, checkEvaluation[float64], checkEvaluation[float32])
}

func checkEvaluation[T engine.Float](t *testing.T, g *golden, on compile[T], tolerance float64) {
	p := start(t, g, on, models.Evaluation)
	run(t, p, models.Evaluation, g.main())
	same(t, "loglik", p.Output("loglik"), g.values("loglik"), tolerance)
}

// The decoder's output and the logits of the levels agree.
func TestPredictionMatchesPyTorch(t *testing.T) {
	everywhere(t, checkPrediction[float64], checkPrediction[float32])
}

func checkPrediction[T engine.Float](t *testing.T, g *golden, on compile[T], tolerance float64) {
	p, b := start(t, g, on, models.Prediction), g.main()
	run(t, p, models.Prediction, b)
	components := g.values("components")
	if b.extents.Levels > 0 {
		shape := g.tensor("components").Shape
		components = levelsLast(components, b.extents, shape[len(shape)-1])
	}
	if g.model.Quantile() {
		same(t, "logit", p.Output("logit"), levelsLast(g.values("logit"), b.extents, 1), tolerance)
	}
	same(t, "components", p.Output("components"), components, tolerance)
}

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
