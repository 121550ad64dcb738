package footprint

import (
	"fmt"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// A part is a configuration key, or a flag, that adds to the memory.
type part struct {
	key, value string   // its name and its value, for the message
	smallest   Estimate // the estimate with the key's smallest value
}

// parts returns the keys that add to the memory. If two of them would save the same,
// refuse names the first.
func (p Estimate) parts() []part {
	parts := append(p.sizes(), p.widths()...)
	if cpu := device.OneThread(p.Device); cpu != nil {
		one := p
		one.Device = cpu
		threads, _, _ := strings.Cut(p.Device.String(), " (")
		parts = append(parts, part{"--threads", threads, one})
	}
	return parts
}

// sizes returns the keys that set the capacity. The smallest value of each is 1.
func (p Estimate) sizes() []part {
	var parts []part
	add := func(key, name string, of func(e *ops.Extents) *int) {
		if key == "" || p.Capacity.Levels == 0 && of(&p.Capacity) == &p.Capacity.Levels {
			return
		}
		one := p
		*of(&one.Capacity) = 1
		one.Capacity.Context = min(one.Capacity.Context, one.Capacity.Points)
		parts = append(parts, part{key, fmt.Sprintf("%d %s", *of(&p.Capacity), name), one})
	}
	key, name := p.levels()
	add(key, name, func(e *ops.Extents) *int { return &e.Levels })
	add(p.Keys.Functions, "functions", func(e *ops.Extents) *int { return &e.Functions })
	add(p.Keys.Points, "points", func(e *ops.Extents) *int { return &e.Points })
	add(p.Keys.Context, "context points", func(e *ops.Extents) *int { return &e.Context })
	return parts
}

// levels returns the key that sets the number of levels, and the word for them in messages.
func (p Estimate) levels() (key, name string) {
	training := p.Mode == models.Training
	switch {
	case p.Model.Bootstrap() && training:
		return "model.train_bootstraps", "bootstraps"
	case p.Model.Bootstrap():
		return "model.eval_bootstraps", "bootstraps"
	case training:
		return "train.num_tau", "levels"
	}
	return "eval.num_tau", "levels"
}

// widths returns the keys that set the widths and depths of the model. The smallest representation
// has one number for each head; the smallest MLP has one hidden layer of width 1, and the smallest
// transformer one layer with one head and one unit between its matrices.
func (p Estimate) widths() []part {
	var parts []part
	add := func(key, value string, shrink func(c *config.Model)) {
		c := p.Model.Config()
		shrink(&c)
		dx, dy := p.Model.Dims()
		m, err := models.New(c, dx, dy)
		if err != nil {
			return
		}
		small := p
		small.Model = m
		parts = append(parts, part{key, value, small})
	}
	c := p.Model.Config()
	for _, k := range []struct {
		key string
		of  func(c *config.Model) *[]int
	}{
		{"model.encoder", func(c *config.Model) *[]int { return &c.Encoder }},
		{"model.adaptor", func(c *config.Model) *[]int { return &c.Adaptor }},
		{"model.decoder", func(c *config.Model) *[]int { return &c.Decoder }},
		{"model.key_encoder", func(c *config.Model) *[]int { return &c.KeyEncoder }},
		{"model.query_encoder", func(c *config.Model) *[]int { return &c.QueryEncoder }},
	} {
		if hidden := *k.of(&c); len(hidden) > 0 {
			add(k.key, strings.ReplaceAll(fmt.Sprint(hidden), " ", ", "), func(c *config.Model) { *k.of(c) = []int{1} })
		}
	}
	for _, k := range []struct {
		key   string
		least int
		of    func(c *config.Model) *int
	}{
		{"model.representation", max(1, c.Heads), func(c *config.Model) *int { return &c.Representation }},
		{"model.layers", 1, func(c *config.Model) *int { return &c.Layers }},
		{"model.feedforward", 1, func(c *config.Model) *int { return &c.Feedforward }},
		{"model.heads", 1, func(c *config.Model) *int { return &c.Heads }},
		{"model.width", 1, func(c *config.Model) *int { return &c.Width }},
		{"model.pre_depth", 2, func(c *config.Model) *int { return &c.PreDepth }},
		{"model.post_depth", 2, func(c *config.Model) *int { return &c.PostDepth }},
		{"model.decoder_depth", 2, func(c *config.Model) *int { return &c.DecoderDepth }},
	} {
		if v := *k.of(&c); v > k.least {
			add(k.key, fmt.Sprint(v), func(c *config.Model) { *k.of(c) = k.least })
		}
	}
	return parts
}
