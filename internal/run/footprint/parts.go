package footprint

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/engine/device"
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
	add(p.Keys.Groups, "groups", func(e *ops.Extents) *int { return &e.Groups })
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
	dx, dy := p.Model.Dims()
	c := p.Model.Config()
	for _, k := range []struct {
		key   string
		field any // of c
		least int
	}{
		{"model.encoder", &c.Encoder, 1},
		{"model.adaptor", &c.Adaptor, 1},
		{"model.decoder", &c.Decoder, 1},
		{"model.key_encoder", &c.KeyEncoder, 1},
		{"model.query_encoder", &c.QueryEncoder, 1},
		{"model.representation", &c.Representation, max(1, c.Heads)},
		{"model.layers", &c.Layers, 1},
		{"model.feedforward", &c.Feedforward, 1},
		{"model.heads", &c.Heads, 1},
		{"model.width", &c.Width, 1},
		{"model.pre_depth", &c.PreDepth, 2},
		{"model.post_depth", &c.PostDepth, 2},
		{"model.decoder_depth", &c.DecoderDepth, 2},
	} {
		c = p.Model.Config()
		value := ""
		switch field := k.field.(type) {
		case *[]int:
			if len(*field) == 0 {
				continue
			}
			value, *field = strings.ReplaceAll(fmt.Sprint(*field), " ", ", "), []int{k.least}
		case *int:
			if *field <= k.least {
				continue
			}
			value, *field = strconv.Itoa(*field), k.least
		}
		if m, err := models.New(c, dx, dy); err == nil {
			small := p
			small.Model = m
			parts = append(parts, part{k.key, value, small})
		}
	}
	return parts
}
