package serve

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/predict/conformal"
)

// A predictAnswer is the answer of POST /v1/predict:
//
//	{"functions": [{"name", "targets": [{"x", "channels": [{"mean", "sd", "quantiles", "regions", "modes",
//	 "density": {"y", "values"}, "components": {"tau", "mu", "sigma", "weight"}}]}],
//	 "draws": [draw][target][channel]}]}
//
// add writes each target as JSON at once, without encoding/json, which would take longer than the
// prediction.
type predictAnswer struct {
	q          *request
	calibrated *conformal.Calibration // corrects the levels of quantiles and the masses of regions; may be nil
	targets    [][]answered           // [function][target]
}

type answered struct {
	json  []byte
	draws []float64 // [draw][channel]
}

func newPredictAnswer(q *request, calibrated *conformal.Calibration) predictAnswer {
	a := predictAnswer{q, calibrated, make([][]answered, len(q.Functions))}
	for i, f := range q.Functions {
		a.targets[i] = make([]answered, len(f.Targets.X))
	}
	return a
}

// add adds a prediction to the answer. Several goroutines may add different targets.
func (a predictAnswer) add(t predict.Target) error {
	b := append([]byte(nil), `{"x":[`...)
	for i, x := range a.q.Functions[t.Function].Targets.X[t.Target] {
		b = append(separated(b, i), x.RawMessage...)
	}
	b = append(b, `],"channels":[`...)
	for c, d := range t.Channels {
		y := a.q.Density.Y
		if a.q.spans != nil {
			y = a.q.spans.of[t.Function][c].grid(*a.q.Density.Points)
		}
		levels, masses := a.calibrated.Corrected(c, a.q.Quantiles, a.q.Regions)
		b = a.q.appendChannel(separated(b, c), d, levels, masses, y)
	}
	a.targets[t.Function][t.Target] = answered{append(b, "]}"...), t.Draws}
	return nil
}

// appendChannel describes a distribution as the request asks, with its quantiles at levels, its
// regions of masses and its density at y.
func (q *request) appendChannel(b []byte, d predict.Distribution, levels, masses, y []float64) []byte {
	b = appendNumber(append(b, `{"mean":`...), d.Mean())
	b = appendNumber(append(b, `,"sd":`...), math.Sqrt(d.Variance()))
	if len(levels) > 0 {
		b = appendNumbers(append(b, `,"quantiles":`...), likelihood.ApproximateQuantiles(d.Distribution, levels...))
	}
	if len(masses) > 0 {
		b = appendRegions(append(b, `,"regions":`...), d, masses)
	}
	if q.Modes {
		if modes := likelihood.Modes(d.Distribution); len(modes) > 0 {
			b = appendNumbers(append(b, `,"modes":`...), modes)
		}
	}
	if len(y) > 0 {
		b = appendNumbers(append(b, `,"density":{"y":`...), y)
		b = appendNumbers(append(b, `,"values":`...), likelihood.Densities(d.Distribution, y))
		b = append(b, '}')
	}
	if q.Components {
		b = d.AppendComponents(append(b, `,"components":`...))
	}
	return append(b, '}')
}

// appendRegions writes the highest-density region of each mass as a list of its intervals [low, high].
func appendRegions(b []byte, d predict.Distribution, masses []float64) []byte {
	b = append(b, '[')
	for i, mass := range masses {
		b = append(separated(b, i), '[')
		for k, part := range likelihood.HighestDensity(d.Distribution, mass) {
			b = appendNumbers(separated(b, k), []float64{part.Low, part.High})
		}
		b = append(b, ']')
	}
	return append(b, ']')
}

// json returns the whole answer.
func (a predictAnswer) json() []byte {
	size := 0
	for _, targets := range a.targets {
		for _, t := range targets {
			size += len(t.json) + 1
		}
	}
	b := append(make([]byte, 0, size+1024), `{"functions":[`...)
	for i, targets := range a.targets {
		name, _ := json.Marshal(a.q.Functions[i].Name) // a string gives no error
		b = append(append(separated(b, i), `{"name":`...), name...)
		b = append(b, `,"targets":[`...)
		for k, t := range targets {
			b = append(separated(b, k), t.json...)
		}
		b = append(b, ']')
		if a.q.Draws > 0 {
			b = a.appendDraws(append(b, `,"draws":`...), targets)
		}
		b = append(b, '}')
	}
	return append(b, "]}"...)
}

// appendDraws writes the draws of a function, [draw][target][channel].
func (a predictAnswer) appendDraws(b []byte, targets []answered) []byte {
	b = append(b, '[')
	for draw := range a.q.Draws {
		b = append(separated(b, draw), '[')
		for k, t := range targets {
			dy := len(t.draws) / a.q.Draws
			b = appendNumbers(separated(b, k), t.draws[draw*dy:][:dy])
		}
		b = append(b, ']')
	}
	return append(b, ']')
}

// separated writes a comma before an element that is not the first.
func separated(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return b
}

func appendNumbers(b []byte, values []float64) []byte {
	b = append(b, '[')
	for i, v := range values {
		b = appendNumber(separated(b, i), v)
	}
	return append(b, ']')
}

// appendNumber writes a number as JSON, with the fewest digits that read back as v. One that is not
// finite, such as the standard deviation of a heavy tail, is null.
func appendNumber(b []byte, v float64) []byte {
	if v-v != 0 {
		return append(b, "null"...)
	}
	format := byte('f')
	if size := math.Abs(v); size != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(b, v, format, -1, 64)
}
