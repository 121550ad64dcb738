package figures

import (
	"strconv"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
)

// A Subject is a group to predict and to show, and held-out points of it with known y, in raw units.
type Subject struct {
	points.Question
	Held points.Points
}

// AskedSubjects returns the groups that are asked for, with the points of the file of targets, if
// there is one, whose y are known.
func AskedSubjects(a *predict.Asked, targets string) []Subject {
	subjects := make([]Subject, len(a.Questions))
	var held []points.Group
	if targets != "" {
		layout := a.Layout
		layout.DropMissing, layout.PartialY, layout.Warnings = true, false, nil
		held, _ = layout.Read(targets) // an error says that the file has no y; x was read before
	}
	for i, q := range a.Questions {
		subjects[i].Question = q
		for _, p := range held {
			if p.Name == q.Name || p.Name == "" {
				subjects[i].Held = p.Points
			}
		}
	}
	return subjects
}

// Subjects returns the first groups of the evaluation batches of a source, count or fewer if there
// are fewer. Those without a name are numbered.
func Subjects(source *datasets.Source, scaling datasets.Scaling, count int) (subjects []Subject, err error) {
	var b datasets.Batch
	for number := 0; number < source.Eval.Count && len(subjects) < count; number++ {
		if err := source.Eval.Make(number, &b); err != nil {
			return nil, err
		}
		var names []string
		if source.EvalNames != nil {
			names = source.EvalNames(number)
		}
		for i := 0; i < b.Groups && len(subjects) < count; i++ {
			s := newSubject(&b, i, scaling)
			if s.Name = "group " + strconv.Itoa(len(subjects)); names != nil && names[i] != "" {
				s.Name = names[i]
			}
			subjects = append(subjects, s)
		}
	}
	return subjects, nil
}

// newSubject returns group i of a batch, without a name.
func newSubject(b *datasets.Batch, i int, s datasets.Scaling) Subject {
	all := s.RawOf(b, i)
	held := all.Cut(b.Context, b.Points)
	return Subject{Question: points.Question{Known: all.Cut(0, b.Context), Targets: held}, Held: held}
}
