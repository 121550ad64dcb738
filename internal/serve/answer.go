package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/predict/conformal"
)

// An answered target is what the answer says of it.
type answered struct {
	json  []byte
	draws []float64 // [draw][channel]
}

// results have what is said of each target, as JSON: encoding/json would take longer than the
// prediction. They are written as
//
//	{"functions": [{"name", "known", "targets": [{"x", "channels": […]}], "draws": [draw][target][channel]}],
//	 "summary", "warnings": [line]}
type results struct {
	*question
	targets [][]answered // [function][target]
}

func newResults(q *question) results {
	a := results{q, make([][]answered, len(q.questions))}
	for i, f := range q.request.functions {
		a.targets[i] = make([]answered, len(f.rows))
	}
	return a
}

// begin returns the start of a target's JSON, up to its channels.
func (a results) begin(t predict.Target) []byte {
	b := append([]byte(nil), `{"x":[`...)
	i := 0
	for _, x := range items(a.request.functions[t.Function].rows[t.Target]) {
		b = append(separated(b, i), x...)
		i++
	}
	return append(b, `],"channels":[`...)
}

// keep keeps the JSON of a target. Several goroutines may keep different targets.
func (a results) keep(t predict.Target, b []byte) {
	a.targets[t.Function][t.Target] = answered{append(b, "]}"...), t.Draws}
}

// predicted adds a prediction to the answer. calibrated corrects the levels of quantiles and the masses of
// regions; it may be nil.
func (a results) predicted(ctx context.Context, t predict.Target, calibrated *conformal.Calibration) error {
	b, q := a.begin(t), a.request
	for c, d := range t.Channels {
		y := q.density.y
		if q.spans != nil {
			y = q.spans.of[t.Function][c].grid(*q.density.points)
		}
		levels, masses := calibrated.Corrected(c, t.KnownOf(c), q.quantiles, q.regions)
		var err error
		if b, err = q.appendChannel(ctx, separated(b, c), d, levels, masses, y); err != nil {
			return err
		}
	}
	a.keep(t, b)
	return nil
}

// atOnce is how many levels, or y of a density, are computed between two looks at whether anybody still
// waits for them.
const atOnce = 256

// appendChannel describes a distribution as the request asks, with its quantiles at levels, its
// regions of masses and its density at y. It returns ctx's error soon after ctx ends.
func (q *request) appendChannel(ctx context.Context, b []byte, d predict.Distribution, levels, masses, y []float64) ([]byte, error) {
	b = appendNumber(append(b, `{"mean":`...), d.Mean())
	b = appendNumber(append(b, `,"sd":`...), math.Sqrt(d.Variance()))
	b = appendAtoms(b, d)
	if len(levels) > 0 {
		some := atOnce
		if d.HasLevels() { // one search goes through all levels, in nanoseconds each
			some = len(levels)
		}
		quantiles, err := inChunks(ctx, levels, some, func(p []float64) []float64 { return likelihood.ApproximateQuantiles(d.Distribution, p...) })
		if err != nil {
			return b, err
		}
		b = appendNumbers(append(b, `,"quantiles":`...), quantiles)
	}
	if len(masses) > 0 {
		var err error
		if b, err = appendRegions(ctx, append(b, `,"regions":`...), d, masses); err != nil {
			return b, err
		}
	}
	if q.modes {
		if modes := likelihood.Modes(d.Distribution); len(modes) > 0 {
			b = appendNumbers(append(b, `,"modes":`...), modes)
		}
	}
	if len(y) > 0 {
		densities, err := inChunks(ctx, y, atOnce, func(y []float64) []float64 { return likelihood.Densities(d.Distribution, y) })
		if err != nil {
			return b, err
		}
		b = appendNumbers(append(b, `,"density":{"y":`...), y)
		b = appendNumbers(append(b, `,"values":`...), densities)
		b = append(b, '}')
	}
	if q.components {
		b = d.AppendComponents(append(b, `,"components":`...))
	}
	return append(b, '}'), ctx.Err()
}

// appendAtoms writes the bounds of y with their probabilities, if there are any.
func appendAtoms(b []byte, d predict.Distribution) []byte {
	ends := likelihood.Ends(d.Distribution)
	if len(ends) == 0 {
		return b
	}
	b = append(b, `,"atoms":[`...)
	for i, end := range ends {
		b = appendNumber(append(separated(b, i), `{"y":`...), end.Y)
		b = append(appendNumber(append(b, `,"probability":`...), end.Probability), '}')
	}
	return append(b, ']')
}

// inChunks returns f of all values, some at a time, unless ctx ends.
func inChunks(ctx context.Context, values []float64, some int, f func([]float64) []float64) (all []float64, err error) {
	for chunk := range slices.Chunk(values, some) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		all = append(all, f(chunk)...)
	}
	return all, nil
}

// appendRegions writes the highest-density region of each mass as a list of its intervals [low, high].
func appendRegions(ctx context.Context, b []byte, d predict.Distribution, masses []float64) ([]byte, error) {
	b = append(b, '[')
	for i, some := range slices.Collect(slices.Chunk(masses, atOnce)) {
		if err := ctx.Err(); err != nil {
			return b, err
		}
		for k, set := range likelihood.HighestDensities(d.Distribution, some...) {
			b = append(separated(b, i+k), '[')
			for n, part := range set {
				b = appendNumbers(separated(b, n), []float64{part.Low, part.High})
			}
			b = append(b, ']')
		}
	}
	return append(b, ']'), nil
}

// write writes the answer, with a summary unless it is nil. What is written is not kept.
func (s *Server) write(w http.ResponseWriter, a results, summary any) {
	out := s.begun(w, http.StatusOK)
	b := append(make([]byte, 0, 2*part), `{"functions":[`...)
	for i, targets := range a.targets {
		name, _ := json.Marshal(a.questions[i].Name) // a string gives no error
		b = append(append(separated(b, i), `{"name":`...), name...)
		if a.model.About.Recalls {
			q := a.questions[i]
			b = fmt.Appendf(b, `,"known":{"fit":%d,"context":%d`, q.Recalled, q.Known.Len()-q.Recalled)
			if a.model.About.Nested {
				b = fmt.Appendf(b, `,"beside":%d`, q.KnownOfSiblings())
			}
			b = append(b, '}')
		}
		b = append(b, `,"targets":[`...)
		for k, t := range targets {
			b = out.flushed(append(separated(b, k), t.json...))
			targets[k].json = nil
		}
		b = append(b, ']')
		if a.request.draws > 0 {
			b = a.appendDraws(append(b, `,"draws":`...), targets, out)
		}
		b = append(b, '}')
	}
	b = append(b, ']')
	if summary != nil {
		text, _ := json.Marshal(summary) // it has no number that is not finite
		b = append(append(b, `,"summary":`...), text...)
	}
	warnings, _ := json.Marshal(a.warnings.Lines())
	b = append(append(b, `,"warnings":`...), warnings...)
	out.write(append(b, "}\n"...))
}

// appendDraws writes the draws of a function, [draw][target][channel].
func (a results) appendDraws(b []byte, targets []answered, out *writer) []byte {
	b = append(b, '[')
	for draw := range a.request.draws {
		b = append(separated(b, draw), '[')
		for k, t := range targets {
			dy := len(t.draws) / a.request.draws
			b = out.flushed(appendNumbers(separated(b, k), t.draws[draw*dy:][:dy]))
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
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(b, "null"...)
	}
	format := byte('f')
	if size := math.Abs(v); size != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(b, v, format, -1, 64)
}
