//go:build simt

package train_test

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/train"
	"github.com/acqnp/acqnp/kernels/emulator"
	"github.com/acqnp/acqnp/kernels/gpu"
	"github.com/acqnp/acqnp/kernels/gpu/gputest"
)

// gpuOn returns the CUDA engine on a driver.
func gpuOn(t *testing.T, d gpu.Driver, precision string) device.Device {
	t.Helper()
	g := must.Get(device.CUDA(d, 0, precision))(t)
	t.Cleanup(func() { g.Close() })
	return g
}

func emulated(t *testing.T, precision string) device.Device {
	t.Helper()
	return gpuOn(t, emulator.New(emulator.Options{}), precision)
}

// recorder records the inputs that the host writes to the trainers of a device.
type recorder struct {
	device.Device
	seen map[string][][]float32 // inputs of one dimension of x and y, by name and step
	own  bool                   // the trainer draws the levels: it has no input for them
}

type recording struct {
	engine.Trainer
	r *recorder
}

func (r *recorder) Trainer(g *ops.Graph, o device.Training) (engine.Trainer, error) {
	t, err := r.Device.Trainer(g, o)
	return recording{t, r}, err
}

func (t recording) Step(e ops.Extents, batch int, rate float64) error {
	t.r.own = t.Input("u") == nil
	for name, n := range map[string]int{"context": 2 * e.Rows(ops.Context), "x": e.Rows(ops.Point), "y": e.Rows(ops.Point), "group": 2 * e.Rows(ops.Point)} {
		if t.Input(name) == nil {
			continue
		}
		t.r.seen[name] = append(t.r.seen[name], slices.Clone(t.Input(name)[:n]))
	}
	return t.Trainer.Step(e, batch, rate)
}

// near is the largest difference of weights after twelve steps of the tiny model on two devices.
// The devices add in different orders, and a step of Adam is up to the learning rate even if the
// gradient is no more than rounding.
const near = 2e-3

// TestCUDAGoesOnWhereTheCPUStopped moves runs of every model between the devices at a checkpoint,
// both ways. Those with an r for each point train on targets alone, and the transformer with
// stratified levels, which the host draws.
func TestCUDAGoesOnWhereTheCPUStopped(t *testing.T) {
	for _, name := range append(models.Names(), "acqnp residual", "cnp attention", "acqnp residual transformer", "acqnp residual natural") {
		t.Run(name, func(t *testing.T) {
			e := experiment(t, func(e *config.Experiment) {
				e.Model, e.Train.LogEvery = tinyModel(name), 1
				if a := e.Model.Aggregation; a != "" && a != config.Mean {
					e.Train.Loss = config.Targets
				}
				if e.Model.Aggregation == config.Transformer {
					e.Train.Levels = config.StratifiedLevels
				}
				counts(e)
			})
			half := e
			half.Train.Steps = 6
			cpu := &recorder{Device: device.CPU(1), seen: map[string][][]float32{}}
			want := mustTrain(t, train.Options{Experiment: e, Dir: t.TempDir(), Device: cpu})
			for _, first := range []string{"cpu", "cuda"} {
				cuda := &recorder{Device: emulated(t, device.FP32), seen: map[string][][]float32{}}
				devices := []device.Device{device.CPU(1), cuda}
				if first == "cuda" {
					devices = []device.Device{cuda, device.CPU(1)}
				}
				dir := t.TempDir()
				mustTrain(t, train.Options{Experiment: half, Dir: dir, Device: devices[0]})
				got := mustTrain(t, train.Options{Experiment: e, Dir: dir, Device: devices[1], Resume: true})
				if got.Resumed != 6 || cuda.own == (e.Train.Levels == config.StratifiedLevels) {
					t.Errorf("%s first: resumed after %d, own levels: %v", first, got.Resumed, cuda.own)
				}
				from := 0
				if first == "cpu" {
					from = 6
				}
				for name, v := range cuda.seen {
					if !slices.EqualFunc(v, cpu.seen[name][from:from+6], slices.Equal) {
						t.Errorf("%s first: another %s on the GPU", first, name)
					}
				}
				closeTo(t, got.Checkpoint, want.Checkpoint, modelOf(t, e))
			}
		})
	}
}

// tinyModel returns the configuration of a small variant. variant is a model's name, followed by
// its form of adaptor, its aggregation and the form of its scale if they are not the paper's.
func tinyModel(variant string) config.Model {
	words := strings.Fields(variant)
	floor := config.SigmaFloor(words[0])
	m := config.Model{Name: words[0], SigmaFloor: floor, Aggregation: config.Mean, Representation: 8, Encoder: []int{8}, Decoder: []int{8}}
	for _, word := range words {
		switch word {
		case "acqnp":
			m.Adaptor, m.AdaptorForm = []int{8}, config.Plain
		case "canp":
			m.Aggregation, m.KeyEncoder, m.QueryEncoder, m.Heads = "", []int{8}, []int{8}, 2
		case "bnp":
			m = config.Model{Name: word, SigmaFloor: floor, Width: 8, PreDepth: 2, PostDepth: 2, DecoderDepth: 3, TrainBootstraps: 3, EvalBootstraps: 3}
		case config.Residual:
			m.AdaptorForm = word
		case config.Attention:
			m.Aggregation, m.KeyEncoder, m.QueryEncoder, m.Heads = word, []int{8}, []int{8}, 2
		case config.Transformer, config.Groups:
			m.Aggregation, m.Heads, m.Layers, m.Feedforward = word, 2, 2, 12
		case config.NaturalScale:
			m.ScaleForm = word
		}
	}
	if m.HasLevels() && m.ScaleForm == "" {
		m.ScaleForm = config.PaperScale
	}
	return m
}

// counts removes the settings of levels if the model has no levels.
func counts(e *config.Experiment) {
	if name := e.Model.Name; name != "cqnp" && name != "acqnp" {
		e.Train.NumTau, e.Train.Levels, e.Eval.NumTau = 0, "", 0
	}
}

// closeTo checks that two checkpoints are of the same step and hold nearly the same weights.
func closeTo(t *testing.T, got, want string, m *models.Model) {
	t.Helper()
	a := must.Get(run.ReadCheckpoint(got, m))(t)
	b := must.Get(run.ReadCheckpoint(want, m))(t)
	if a.Step != b.Step || a.Updates != b.Updates {
		t.Errorf("%d steps and %d updates, want %d and %d", a.Step, a.Updates, b.Step, b.Updates)
	}
	for i := range a.Params {
		if d := math.Abs(float64(a.Params[i] - b.Params[i])); !(d <= near) {
			t.Fatalf("parameter %d of %s: %g and %g", i, engine.TensorAt(m.Tensors(), i), a.Params[i], b.Params[i])
		}
	}
}

// fusable returns an experiment whose quantile branch runs on the fused kernels.
func fusable(t *testing.T) config.Experiment {
	return experiment(t, steps(4), func(e *config.Experiment) {
		e.Model = tinyModel("acqnp residual")
		e.Model.Representation, e.Model.Encoder, e.Model.Adaptor, e.Model.Decoder = 64, []int{64}, []int{64, 64}, []int{64, 64}
		e.Train.BatchSize, e.Train.LogEvery, e.Train.CheckpointEvery, e.Train.LearningRate = 1, 1, 2, 1e-3
	})
}

// TestCUDAPrecisionsMove resumes in another precision, and on the CPU.
func TestCUDAPrecisionsMove(t *testing.T) {
	e := fusable(t)
	want := metricsOf(t, e, device.CPU(2))
	for _, precision := range []string{device.FP32, device.FP16} {
		dir := t.TempDir()
		half := e
		half.Train.Steps = 2
		r := mustTrain(t, train.Options{Experiment: half, Dir: dir, Device: emulated(t, precision)})
		c := must.Get(run.ReadCheckpoint(r.Checkpoint, modelOf(t, e)))(t)
		if scaled := c.Scale > 0; scaled != (precision == device.FP16) {
			t.Errorf("%s: loss scale %v", precision, c.LossScale)
		}
		half.Train.Steps = 3
		mustTrain(t, train.Options{Experiment: half, Dir: dir, Device: emulated(t, device.FP32), Resume: true})
		mustTrain(t, train.Options{Experiment: e, Dir: dir, Device: device.CPU(2), Resume: true})
		for i, m := range metrics(t, dir) {
			// Products of numbers rounded to 11 bits: 5e-4 of each, in losses of about 1.
			if d := math.Abs(float64(m.Loss - want[i].Loss)); !(d <= 5e-3) {
				t.Errorf("%s: loss %v of step %d, on the CPU %v", precision, m.Loss, m.Step, want[i].Loss)
			}
		}
	}
}

func metricsOf(t *testing.T, e config.Experiment, d device.Device) []run.Metrics {
	t.Helper()
	dir := t.TempDir()
	mustTrain(t, train.Options{Experiment: e, Dir: dir, Device: d})
	return metrics(t, dir)
}

// TestCUDAFaultsLeaveTheLastCheckpoint makes driver calls fail at several points of a run. The run
// then fails with one line that names the call, and resumes elsewhere from its last checkpoint.
func TestCUDAFaultsLeaveTheLastCheckpoint(t *testing.T) {
	e := experiment(t, steps(8), func(e *config.Experiment) { e.Train.CheckpointEvery, e.Train.KeepCheckpoints = 2, 9 })
	broken := errors.New("the driver has had enough")
	attempt := func(n int) (calls int, dir string, err error) {
		d := gputest.Faulty(emulator.New(emulator.Options{}), n, &gpu.Error{Call: "test", Cause: broken})
		dir = t.TempDir()
		g, err := device.CUDA(d, 0, device.FP32)
		if err == nil {
			_, err = train.Run(context.Background(), train.Options{Experiment: e, Dir: dir, Device: g})
			if closing := g.Close(); err == nil {
				err = closing
			}
		}
		return d.Calls(), dir, err
	}
	all, _, err := attempt(0)
	if err != nil || all < 50 {
		t.Fatalf("%d calls, %v", all, err)
	}
	const tries = 20
	for i := range tries {
		n := 1 + i*(all-1)/(tries-1) // the first, the last and others between
		_, dir, err := attempt(n)
		var bad *invalid.Input
		if !errors.Is(err, broken) || errors.As(err, &bad) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "CUDA test") {
			t.Errorf("call %d of %d: error %v", n, all, err)
		}
		for _, file := range files(t, dir) {
			if strings.HasPrefix(file, "checkpoints/") && !strings.HasSuffix(file, ".safetensors") {
				t.Errorf("call %d of %d left %s", n, all, file)
			}
		}
		r := mustTrain(t, train.Options{Experiment: e, Dir: dir, Resume: true, Warn: func(line string) { t.Errorf("call %d: %s", n, line) }})
		if r.Step != 8 {
			t.Errorf("call %d: %d steps in the end", n, r.Step)
		}
	}
}

// A validation on the device computes nearly what the CPU does, and a resumed run there has the
// same bits.
func TestCUDAValidates(t *testing.T) {
	e := validated(t, func(e *config.Experiment) { e.Train.ValidateEvery, e.Train.CheckpointEvery = 4, 3 })
	small := noise(datasets.Size{Groups: 2, Points: 6, Context: 3}, datasets.Size{Groups: 2, Points: 6, Context: 2},
		datasets.Size{Groups: 1, Points: 6, Context: 2})
	onCPU, whole, parts := t.TempDir(), t.TempDir(), t.TempDir()
	mustTrain(t, train.Options{Experiment: e, Dir: onCPU, Source: small, Device: device.CPU(1)})
	want := mustTrain(t, train.Options{Experiment: e, Dir: whole, Source: small, Device: emulated(t, "fp32")})
	cpu, gpu := lls(t, onCPU), lls(t, whole)
	for step, ll := range cpu {
		if d := math.Abs(gpu[step] - ll); !(d < 0.05) || len(gpu) != 3 { // weights differ by up to near, in each of three layers
			t.Errorf("step %d: valid_ll %v on the GPU, %v on the CPU", step, gpu[step], ll)
		}
	}
	o := train.Options{Experiment: e, Dir: parts, Source: small, Device: emulated(t, "fp32"), Resume: true}
	interruptAfter(t, o, 5)
	got := mustTrain(t, o)
	sameTensors(t, got.Checkpoint, want.Checkpoint)
	sameTensors(t, got.Best.Checkpoint, want.Best.Checkpoint)
	if again := lls(t, parts); !maps.Equal(again, gpu) {
		t.Errorf("valid_ll %v after a resume, expected %v", again, gpu)
	}
}
