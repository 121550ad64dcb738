package serve

import (
	"context"
	"encoding/json"

	"github.com/acqnp/acqnp/internal/predict"
)

// An answered target is what the answer says of it.
type answered struct {
	json  []byte
	draws []float64 // [draw][channel]
}

// add adds what is said of a target: of returns that of each of its channels. Several goroutines may add different
// targets.
func (q *question) add(ctx context.Context, t predict.Target, of func(channel int) ([]predict.Value, predict.Answer)) (err error) {
	b := append([]byte(nil), `{"x":[`...)
	i := 0
	for _, x := range items(q.x[t.Group][t.Target]) {
		b = append(predict.Separated(b, i), x...)
		i++
	}
	b = append(b, `],"channels":[`...)
	for c, d := range t.Channels {
		wanted, said := of(c)
		said.Distribution, said.Channel, said.Target = d, c, t
		if b, err = said.AppendJSON(ctx, predict.Separated(b, c), wanted); err != nil {
			return err
		}
	}
	q.targets[t.Group][t.Target] = answered{append(b, "]}"...), t.Draws}
	return nil
}

// write writes the answer, with a summary unless it is nil. What is written is not kept.
func (q *question) write(out *writer, summary any) {
	b := append(make([]byte, 0, 2*part), `{"groups":[`...)
	for i, targets := range q.targets {
		name, _ := json.Marshal(q.questions[i].Name) // a string gives no error
		b = append(append(predict.Separated(b, i), `{"name":`...), name...)
		if known := predict.GroupValues(q.model.About); known != nil {
			b, _ = (&predict.Answer{Question: q.questions[i]}).AppendJSON(context.Background(), append(b, `,"known":`...), known) // which does not end
		}
		b = append(b, `,"targets":[`...)
		for k, t := range targets {
			b = out.flushed(append(predict.Separated(b, k), t.json...))
			targets[k].json = nil
		}
		b = append(b, ']')
		if q.request.draws > 0 {
			b = q.appendDraws(append(b, `,"draws":`...), targets, out)
		}
		b = append(b, '}')
	}
	b = append(b, ']')
	if summary != nil {
		text, _ := json.Marshal(summary) // it has no number that is not finite
		b = append(append(b, `,"summary":`...), text...)
	}
	warnings, _ := json.Marshal(q.warnings.Lines())
	b = append(append(b, `,"warnings":`...), warnings...)
	out.write(append(b, "}\n"...))
}

// appendDraws writes the draws of a group, [draw][target][channel].
func (q *question) appendDraws(b []byte, targets []answered, out *writer) []byte {
	b = append(b, '[')
	for draw := range q.request.draws {
		b = append(predict.Separated(b, draw), '[')
		for k, t := range targets {
			dy := len(t.draws) / q.request.draws
			b = out.flushed(predict.AppendNumbers(predict.Separated(b, k), t.draws[draw*dy:][:dy]))
		}
		b = append(b, ']')
	}
	return append(b, ']')
}
