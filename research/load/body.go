package main

import (
	"encoding/json"
	"math"
)

// A body is a request for one function of one input and one output.
type body struct {
	context, targets, quantiles, density int

	Run       string    `json:"run,omitempty"`
	Groups    []group   `json:"groups"`
	Quantiles []float64 `json:"quantiles,omitempty"`
	Density   *points   `json:"density,omitempty"`
	Modes     bool      `json:"modes,omitempty"`
	Draws     int       `json:"draws,omitempty"`
}

type group struct {
	Context table `json:"context"`
	Targets table `json:"targets"`
}

type table struct {
	X [][]float64 `json:"x"`
	Y [][]float64 `json:"y,omitempty"`
}

type points struct {
	Y []float64 `json:"y"`
}

// text returns the request as JSON. Context points lie on a wave between -2 and 2, targets evenly
// there.
func (b body) text() ([]byte, error) {
	f := group{Context: table{X: [][]float64{}, Y: [][]float64{}}}
	for i := range b.context {
		x := 4*math.Mod(float64(i)*math.Phi, 1) - 2
		f.Context.X, f.Context.Y = append(f.Context.X, []float64{x}), append(f.Context.Y, []float64{math.Sin(2 * x)})
	}
	for i := range b.targets {
		f.Targets.X = append(f.Targets.X, []float64{4*(float64(i)+0.5)/float64(b.targets) - 2})
	}
	b.Groups = []group{f}
	for i := range b.quantiles {
		b.Quantiles = append(b.Quantiles, (float64(i)+0.5)/float64(b.quantiles))
	}
	if b.density > 0 {
		b.Density = &points{}
		for i := range b.density {
			b.Density.Y = append(b.Density.Y, 4*(float64(i)+0.5)/float64(b.density)-2)
		}
	}
	return json.Marshal(b)
}
