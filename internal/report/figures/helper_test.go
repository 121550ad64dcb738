package figures_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
)

// laneLike returns raw units that differ a lot from the model's.
func laneLike(dy int) datasets.Scaling {
	s := datasets.Scaling{XOffset: []float64{-100}, XScale: []float64{2000}}
	for c := range dy {
		s.YOffset = append(s.YOffset, 10*float64(c))
		s.YScale = append(s.YScale, 70)
	}
	return s
}

// tiny returns a small model with its initial weights.
func tiny(t *testing.T, name string, dy int) predict.Trained {
	t.Helper()
	c := config.Model{Name: name, Representation: 6, Encoder: []int{7}, Decoder: []int{7}}
	if name == "acqnp" {
		c.Adaptor = []int{5}
	}
	m := must.Get(models.New(c, 1, dy))(t)
	return predict.Trained{
		Model: m, Params: m.Initial(3), NumTau: 4, Levels: predict.RandomLevels, Seed: 43, Device: device.CPU(1), Units: run.Units{Scaling: laneLike(dy)},
	}
}

// lanes returns two groups with two channels of y.
func lanes() []points.Question {
	return []points.Question{
		{Name: "lane 2", Known: points.New(1, 2, []float64{100, 900, 1700}, []float64{60, 1, 50, 2, 20, 3}), Targets: points.New(1, 0, []float64{0, 1000.5}, nil)},
		{Name: "lane, \"3\"", Known: points.New(1, 2, []float64{400}, []float64{55, 4}), Targets: points.New(1, 0, []float64{500, 600, 700}, nil)},
	}
}

// texts returns the texts of an SVG, which must be XML.
func texts(t *testing.T, svg []byte) (all []string) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok && strings.Trim(string(text), "\n") != "" {
			all = append(all, string(text))
		}
	}
}
