package serve

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/acqnp/acqnp/internal/predict"
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
	for i, one := range q.questions {
		a.targets[i] = make([]answered, one.Targets.Len())
	}
	return a
}

// add adds what is said of a target: of returns that of each of its channels. Several goroutines may add different
// targets.
func (a results) add(ctx context.Context, t predict.Target, of func(channel int) ([]predict.Wanted, predict.Answer)) (err error) {
	b := append([]byte(nil), `{"x":[`...)
	i := 0
	for _, x := range items(a.x[t.Function][t.Target]) {
		b = append(separated(b, i), x...)
		i++
	}
	b = append(b, `],"channels":[`...)
	for c, d := range t.Channels {
		wanted, said := of(c)
		said.Distribution, said.Channel, said.Target = d, c, t
		if b, err = said.AppendJSON(ctx, separated(b, c), wanted); err != nil {
			return err
		}
	}
	a.targets[t.Function][t.Target] = answered{append(b, "]}"...), t.Draws}
	return nil
}

// write writes the answer, with a summary unless it is nil. What is written is not kept.
func (s *Server) write(w http.ResponseWriter, a results, summary any) {
	out := s.begun(w, http.StatusOK)
	b := append(make([]byte, 0, 2*part), `{"functions":[`...)
	for i, targets := range a.targets {
		name, _ := json.Marshal(a.questions[i].Name) // a string gives no error
		b = append(append(separated(b, i), `{"name":`...), name...)
		if a.model.About.Recalls {
			said := predict.Answer{Question: a.questions[i]}
			b, _ = said.AppendJSON(context.Background(), append(b, `,"known":`...), predict.GroupValues(a.model.About)) // which does not end
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
			b = out.flushed(predict.AppendNumbers(separated(b, k), t.draws[draw*dy:][:dy]))
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
