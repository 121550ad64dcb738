package datasets

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/input"
)

// csvScaling learns data.scale from the training part, which column gives: x beside y.
func csvScaling(d config.Data, path string, column func(c int) []float64) (Scaling, error) {
	dx := len(d.XColumns)
	names := slices.Concat(d.XColumns, d.YColumns)
	offset, scale := make([]float64, len(names)), make([]float64, len(names))
	for i := range names {
		v := column(i)
		switch d.Scale {
		case "standard":
			offset[i], scale[i] = stat.PopMeanStdDev(v, nil)
		case "range":
			offset[i] = floats.Min(v)
			scale[i] = floats.Max(v) - offset[i]
		case "none":
			scale[i] = 1
		}
		// A rounded mean leaves a constant column some tiny deviation.
		if d.Scale != "none" && (floats.Min(v) == floats.Max(v) || !(scale[i] > 0)) {
			return Scaling{}, &input.Error{File: path, Key: names[i],
				Found:    fmt.Sprintf("%g in every row of the training part", v[0]),
				Expected: "values that differ, to be scaled (else leave the column out, or set data.scale: none)"}
		}
	}
	return Scaling{XOffset: offset[:dx:dx], XScale: scale[:dx:dx], YOffset: offset[dx:], YScale: scale[dx:]}, nil
}

// RawShift is what to add to a log-likelihood for each point in the model's units to have it in raw ones: a density is
// divided by the scales of y.
func (s Scaling) RawShift() float64 {
	shift := 0.0
	for _, scale := range s.YScale {
		shift -= math.Log(scale)
	}
	return shift
}
