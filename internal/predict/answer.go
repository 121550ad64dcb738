package predict

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict/conformal"
)

// An Answer is the prediction of one channel of y at a target. [Value]s are computed from it.
type Answer struct {
	Distribution
	Channel    int
	Question   points.Question
	Target     Target                 // with the draws, [number, dy], if there are any
	Calibrated *conformal.Calibration // corrects levels, masses and probabilities; may be nil
	Tails      *Tails                 // notes probabilities beyond the calibration; nil where none is asked for
	Score      score.Point            // at the known y, for [ScoreValues]
}

// Tails are the channels with an answered probability beyond what a calibration has enough groups for. Goroutines may share
// them.
type Tails struct{ channels sync.Map }

// probability returns a calibrated probability of y, and notes it in Tails if it lies in a tail. At and beyond the bounds of
// y it is 0 or 1, whatever the tail.
func (a *Answer) probability(y, p float64) float64 {
	if low, high := a.Support().Bounds(); y >= low && y < high && a.Calibrated.Tail(a.Channel, a.known(), p) {
		a.Tails.channels.Store(a.Channel, true)
	}
	return p
}

// columnsOf returns the columns of values.
func columnsOf(wanted []Value) (all []tabular.Column) {
	for _, w := range wanted {
		switch {
		case w.Name == "":
		case w.Takes <= Switch:
			all = append(all, tabular.Column{Name: w.Name, Kind: w.Kind})
		default:
			for _, v := range w.At {
				all = append(all, tabular.Column{Name: w.Name + number(v), Kind: w.Kind})
			}
		}
	}
	return all
}

// appendCells appends the cells of values to a row of a table.
func (a *Answer) appendCells(row []string, wanted []Value) []string {
	for _, w := range wanted {
		switch {
		case w.Name == "":
		case w.JSON != nil:
			row = append(row, string(w.JSON(a)))
		default:
			for _, cell := range w.Numbers(a, w.At) {
				row = append(row, cellText(w.Kind, cell))
			}
		}
	}
	return row
}

// cellText returns a cell as text: "a:b;c:d" for pairs, "a;b" for several numbers.
func cellText(kind tabular.Kind, cell []float64) string {
	if len(cell) == 1 {
		return number(cell[0])
	}
	var text strings.Builder
	for i, v := range cell {
		switch {
		case i%2 == 1 && kind == tabular.Pairs:
			text.WriteByte(':')
		case i > 0:
			text.WriteByte(';')
		}
		text.WriteString(number(v))
	}
	return text.String()
}

// AppendJSON appends an object of values, as HTTP has them: a number, a list of numbers or, at the parameters of a Range,
// {"y", "values"}. An empty list is left out. AppendJSON returns ctx's error soon after ctx ends.
func (a *Answer) AppendJSON(ctx context.Context, b []byte, wanted []Value) ([]byte, error) {
	b = append(b, '{')
	start := len(b)
	for _, w := range wanted {
		cell, err := a.json(ctx, w)
		if err != nil {
			return b, err
		}
		if cell != nil {
			b = append(append(strconv.AppendQuote(Separated(b, len(b)-start), w.Key), ':'), cell...)
		}
	}
	return append(b, '}'), ctx.Err()
}

// atOnce is how many parameters are computed between two looks at whether anybody still waits for them.
const atOnce = 256

// json returns a value as JSON, nil if it is left out.
func (a *Answer) json(ctx context.Context, w Value) (b []byte, err error) {
	if w.JSON != nil {
		return w.JSON(a), ctx.Err()
	}
	if w.Takes <= Switch {
		cell := w.Numbers(a, nil)[0]
		if w.Kind == tabular.Numbers && len(cell) == 0 {
			return nil, nil
		}
		return appendCell(nil, w.Kind, cell), ctx.Err()
	}
	some := atOnce
	if w.calibrated == level && a.HasLevels() { // one search goes through all levels, in nanoseconds each
		some = max(1, len(w.At))
	}
	i := 0
	for at := range slices.Chunk(w.At, some) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, cell := range w.Numbers(a, at) {
			b = appendCell(Separated(b, i), w.Kind, cell)
			i++
		}
	}
	switch {
	case i == 0:
		return nil, nil
	case w.Takes == Range:
		return slices.Concat([]byte(`{"y":`), AppendNumbers(nil, w.At), []byte(`,"values":[`), b, []byte("]}")), nil
	}
	return slices.Concat([]byte("["), b, []byte("]")), nil
}

// appendCell appends a cell as JSON.
func appendCell(b []byte, kind tabular.Kind, cell []float64) []byte {
	switch kind {
	case tabular.Numbers:
		return AppendNumbers(b, cell)
	case tabular.Pairs:
		b = append(b, '[')
		for i := 0; i < len(cell); i += 2 {
			b = AppendNumbers(Separated(b, i), cell[i:i+2])
		}
		return append(b, ']')
	}
	return appendNumber(b, cell[0])
}

// AppendNumbers appends numbers as a JSON list.
func AppendNumbers(b []byte, values []float64) []byte {
	b = append(b, '[')
	for i, v := range values {
		b = appendNumber(Separated(b, i), v)
	}
	return append(b, ']')
}

// Separated appends a comma before element i of JSON, unless it is the first.
func Separated(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return b
}

// appendNumber appends a number as JSON, with the fewest digits that read back as v. One that is not finite, such as the
// standard deviation of a heavy tail, is null.
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

// atoms returns the bounds of y with their probabilities, nil if there are none.
func atoms(a *Answer) []byte {
	var b []byte
	for i, end := range likelihood.Ends(a.Distribution.Distribution) {
		b = appendNumber(append(Separated(b, i), `{"y":`...), end.Y)
		b = append(appendNumber(append(b, `,"probability":`...), end.Probability), '}')
	}
	if b == nil {
		return nil
	}
	return slices.Concat([]byte("["), b, []byte("]"))
}

// Beyond says in a line which of the values, and of the probabilities that are answered, lie beyond what a calibration has
// enough groups for, "" if none do. The calibration may be nil.
func (t *Tails) Beyond(c *conformal.Calibration, wanted []Value) string {
	at := map[quantity][]float64{}
	for _, w := range wanted {
		at[w.calibrated] = append(at[w.calibrated], w.At...)
	}
	return c.Beyond(at[level], at[mass], func(channel int) bool {
		_, in := t.channels.Load(channel)
		return in
	})
}
