package figures

import (
	"strconv"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/predict"
)

// A Subject is a function to predict and to show, and held-out points of it with known y, in raw units.
type Subject struct {
	predict.Function
	HeldX []float64 // [N_h, columns of x]
	HeldY []float64 // [N_h, dy]
}

// AskedSubjects returns the functions that are asked for, with the points of the file of targets, if
// there is one, whose y are known.
func AskedSubjects(a *predict.Asked, targets string) []Subject {
	subjects := make([]Subject, len(a.Functions))
	var held []datasets.Points
	if targets != "" {
		layout := a.Layout
		layout.DropMissing, layout.PartialY, layout.Warnings = true, false, nil
		held, _ = layout.Read(targets) // an error says that the file has no y; x was read before
	}
	for i, f := range a.Functions {
		subjects[i].Function = f
		for _, p := range held {
			if p.Function == f.Name || p.Function == "" {
				subjects[i].HeldX, subjects[i].HeldY = p.X, p.Y
			}
		}
	}
	return subjects
}

// Subjects returns the first functions of the evaluation batches of a source, count or fewer if there
// are fewer.
func Subjects(source predict.Source, scaling datasets.Scaling, count int) ([]Subject, error) {
	var subjects []Subject
	e := evaluation{source: source}
	for f := range count {
		b, i, err := e.function(f)
		if b == nil || err != nil {
			return subjects, err
		}
		subjects = append(subjects, newSubject(b, i, scaling))
		last := &subjects[len(subjects)-1]
		if last.Name = e.name(i); last.Name == "" {
			last.Name = "function " + strconv.Itoa(f)
		}
	}
	return subjects, nil
}

// newSubject returns function i of a batch, without a name.
func newSubject(b *datasets.Batch, i int, s datasets.Scaling) Subject {
	first, end := i*b.Points, (i+1)*b.Points
	x, y := s.Raw(b.X[first*b.DX:end*b.DX], b.Y[first*b.DY:end*b.DY])
	known := b.Context * (len(x) / b.Points)
	return Subject{
		Function: predict.Function{ContextX: x[:known], ContextY: y[:b.Context*b.DY], TargetX: x[known:]},
		HeldX:    x[known:],
		HeldY:    y[b.Context*b.DY:],
	}
}

// An evaluation finds functions in the evaluation batches of a source. It keeps the last batch.
type evaluation struct {
	source predict.Source
	first  int // the number of functions in the batches before
	number int // of the batches that were read
	batch  datasets.Batch
}

// function returns the batch that has function f, counted from 0 over all batches, and its index
// there. The batch is nil if there is no such function. f must not be less than in the call before.
func (e *evaluation) function(f int) (*datasets.Batch, int, error) {
	for e.number == 0 || f >= e.first+e.batch.Functions {
		if e.number == e.source.EvalBatches() {
			return nil, 0, nil
		}
		if e.number > 0 {
			e.first += e.batch.Functions
		}
		if err := e.source.Eval(e.number, &e.batch); err != nil {
			return nil, 0, err
		}
		e.number++
	}
	return &e.batch, f - e.first, nil
}

// name returns the name of function i of the last batch, or "" if the source has no names.
func (e *evaluation) name(i int) string {
	if named, ok := e.source.(interface{ EvalNames(batch int) []string }); ok {
		return named.EvalNames(e.number - 1)[i]
	}
	return ""
}
