package footprint_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/engine/device/memory"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/run/footprint"
	"github.com/acqnp/acqnp/internal/test/must"
)

func estimate(t *testing.T, c config.Model, mode models.Mode, e ops.Extents) footprint.Estimate {
	t.Helper()
	m := must.Get(models.New(c, 1, 1))(t)
	return footprint.Estimate{Device: device.CPU(2), Model: m, Mode: mode, Capacity: e, Feeds: 2,
		Keys: datasets.SizeKeys{Groups: "train.batch_size", Points: "data.points", Context: "data.context"}}
}

func model(name string, widths ...int) config.Model {
	c := config.Model{Name: name, Representation: 8, Encoder: widths, Decoder: []int{8}, Width: 8, PreDepth: 2, PostDepth: 2, DecoderDepth: 2}
	switch name {
	case "acqnp":
		c.Adaptor = []int{8}
	case "canp":
		c.Heads, c.KeyEncoder, c.QueryEncoder = 4, []int{8}, []int{8}
	}
	return c
}

// Plans of many terabytes, which no machine holds.
func TestTheKeyThatWeighsMostIsNamed(t *testing.T) {
	if _, known := memory.Available("/"); !known {
		t.Skip("the available memory is not known here")
	}
	wide := model("canp", 8)
	wide.Representation = 65536
	transformer := func(representation, layers, feedforward int) config.Model {
		c := model("cnp", 8)
		c.Aggregation, c.Representation, c.Heads = config.Transformer, representation, representation
		c.Layers, c.Feedforward = layers, feedforward
		return c
	}
	for name, c := range map[string]struct {
		estimate footprint.Estimate
		want     string
	}{
		"levels": {estimate(t, model("acqnp", 8), models.Training, ops.Extents{Groups: 1000, Context: 900, Points: 1000, Levels: 1e10}),
			"train.num_tau: found 10000000000 levels, with which training takes"},
		"evaluation's levels": {estimate(t, model("cqnp", 8), models.Evaluation, ops.Extents{Groups: 1000, Context: 900, Points: 1000, Levels: 1e10}),
			"eval.num_tau: found 10000000000 levels, with which evaluation takes"},
		"bootstraps": {estimate(t, model("bnp"), models.Training, ops.Extents{Groups: 1000, Context: 900, Points: 1000, Levels: 1e9}),
			"model.train_bootstraps: found 1000000000 bootstraps"},
		"groups": {estimate(t, model("cnp", 8), models.Training, ops.Extents{Groups: 1e12, Context: 90, Points: 1000}),
			"train.batch_size: found 1000000000000 groups"},
		"points": {estimate(t, model("cnp", 8), models.Prediction, ops.Extents{Groups: 100, Context: 90, Points: 1e13}),
			"data.points: found 10000000000000 points, with which prediction takes"},
		"context": {estimate(t, model("canp", 8), models.Training, ops.Extents{Groups: 100, Context: 1e12, Points: 1e12 + 1}),
			"data.points"}, // no more context than points: fewer points save both
		"encoder": {estimate(t, model("cnp", 1<<24, 1<<23), models.Training, ops.Extents{Groups: 1, Context: 1, Points: 2}),
			"model.encoder: found [16777216, 8388608], with which"},
		"representation": {estimate(t, wide, models.Training, ops.Extents{Groups: 1, Context: 1, Points: 2}),
			"model.representation: found 65536"},
		"feedforward": {estimate(t, transformer(8, 2, 1<<40), models.Training, ops.Extents{Groups: 1, Context: 1, Points: 2}),
			"model.feedforward: found 1099511627776"},
		"layers": {estimate(t, transformer(1<<16, 12, 8), models.Training, ops.Extents{Groups: 1, Context: 1, Points: 2}),
			"model.layers: found 12"},
	} {
		err := c.estimate.Check()
		var bad *invalid.Input
		if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), c.want) || !strings.HasSuffix(err.Error(), " available (this key weighs most)") {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestThreadsMayWeighMost(t *testing.T) {
	if _, known := memory.Available("/"); !known {
		t.Skip("the available memory is not known here")
	}
	p := estimate(t, model("acqnp", 8), models.Training, ops.Extents{Groups: 1, Context: 9, Points: 10, Levels: 1000})
	half := must.Get(device.Request{Choice: "cpu", Precision: device.BF16, Threads: 1 << 40}.Open())(t)
	for _, p.Device = range []device.Device{device.CPU(1 << 40), half} {
		if err := p.Check(); err == nil || !strings.HasPrefix(err.Error(), "--threads: found cpu with 1099511627776 threads") {
			t.Error(err)
		}
	}
}

func TestSizesThatNobodyCanChange(t *testing.T) {
	if _, known := memory.Available("/"); !known {
		t.Skip("the available memory is not known here")
	}
	p := estimate(t, model("cnp", 8), models.Evaluation, ops.Extents{Groups: 1e6, Context: 90, Points: 1e8})
	p.Keys = datasets.SizeKeys{}
	if err := p.Check(); err == nil || !strings.Contains(err.Error(), "evaluation takes ") {
		t.Error(err)
	}
}

func TestOrdinaryPlansPass(t *testing.T) {
	for _, name := range models.Names() {
		for _, mode := range []models.Mode{models.Training, models.Evaluation, models.Prediction} {
			e := ops.Extents{Groups: 4, Context: 9, Points: 10, Levels: 5}
			if slices.Contains([]string{"cnp", "canp"}, name) {
				e.Levels = 0
			}
			if err := estimate(t, model(name, 8), mode, e).Check(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
