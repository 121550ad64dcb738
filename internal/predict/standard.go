package predict

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/invalid"
)

// ContextScaling returns the scaling that gives x and y, a column each, mean 0 and deviation 1 over the
// context points of all functions. The model of package prior needs it: there is no training part to
// learn it from. file is that of the context. ContextScaling returns an *invalid.Input unless there are
// two points with different x and with different y.
func ContextScaling(file string, functions []Function) (datasets.Scaling, error) {
	var x, y []float64
	for _, f := range functions {
		x, y = append(x, f.ContextX...), append(y, f.ContextY...)
	}
	refuse := func(found string) (datasets.Scaling, error) {
		return datasets.Scaling{}, &invalid.Input{File: file, Found: found,
			Expected: "two context points or more, with different x and y: --pretrained standardises x and y by the context"}
	}
	if len(x) < 2 {
		return refuse(invalid.Plural(len(x), "context point", "context points"))
	}
	s := datasets.ScalingOf(nil, 1, 1)
	for name, v := range map[string][]float64{"x": x, "y": y} {
		if slices.Min(v) == slices.Max(v) {
			return refuse(fmt.Sprintf("%s = %g in all of the %d context points", name, v[0], len(v)))
		}
	}
	s.XOffset[0], s.XScale[0] = stat.PopMeanStdDev(x, nil)
	s.YOffset[0], s.YScale[0] = stat.PopMeanStdDev(y, nil)
	return s, nil
}
