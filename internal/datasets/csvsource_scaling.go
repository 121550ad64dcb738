package datasets

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/input"
)

// csvScaling learns the scaling that data.scale asks for. column(c) returns the training part of
// column c of [x, y].
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
		// Rounding of the mean can give a constant column a tiny deviation, so compare the values
		// too.
		if d.Scale != "none" && (floats.Min(v) == floats.Max(v) || !(scale[i] > 0)) {
			return Scaling{}, &input.Error{File: path, Key: names[i],
				Found:    fmt.Sprintf("%g in every row of the training part", v[0]),
				Expected: "values that differ (leave the column out, or set data.scale: none)"}
		}
	}
	return Scaling{XOffset: offset[:dx:dx], XScale: scale[:dx:dx], YOffset: offset[dx:], YScale: scale[dx:]}, nil
}
