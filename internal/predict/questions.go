package predict

import (
	"fmt"
	"iter"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict/conformal"
	"github.com/acqnp/acqnp/internal/progress"
)

// QuestionFiles name the files of what is asked, in raw units.
type QuestionFiles struct {
	Context string       // CSV file of points (x, y); "" is a file without rows
	Targets string       // CSV file of points x; if empty, the targets are Grid's or, without one, the rows of Context without y
	Grid    string       // see rows.ParseGrid
	Layout  *rows.Layout // of both files
	Scored  bool         // the targets have the columns of y too
	Weights string       // the column of row weights of the targets; "" for none
	AsNew   bool         // groups of the training are new ones: the predictor recalls nothing of them
}

// Read returns a question about each group in the context file, and what else the rows of the targets
// say. Targets without a group's name belong to every group. A group of which no point is known has
// an empty context; without any, there is one group without a name, or those that the targets name. Read
// returns an *invalid.Input for files that it cannot use. The layout's warnings say what was left out.
func (f QuestionFiles) Read() ([]points.Question, rows.Company, error) {
	if f.Targets == "" && f.Grid == "" {
		contexts, targets, others, err := f.Layout.ReadBoth(f.Context)
		if err != nil {
			return nil, others, err
		}
		return askEach(known(contexts), targets), others, nil
	}
	questions, err := f.contexts()
	if err != nil {
		return nil, rows.Company{}, err
	}
	if f.Targets == "" {
		grid, err := f.grid()
		if err != nil {
			return nil, rows.Company{}, err
		}
		return askAll(questions, points.New(len(f.Layout.X), 0, grid, nil)), rows.Company{}, nil
	}
	partial := f.Layout.PartialY
	f.Layout.Weights = f.Weights
	f.Layout.PartialY = false // a target is scored in all its columns of y
	targets, others, err := f.Layout.ReadTargets(f.Targets, f.Scored)
	f.Layout.PartialY, f.Layout.Weights = partial, ""
	if err != nil {
		return nil, others, err
	}
	if others.Group == "" {
		questions = askAll(questions, targets[0].Points)
		f.noteScored(questions)
		return questions, others, f.checkAll(questions)
	}
	if len(questions) == 1 && questions[0].Name == "" {
		return nil, others, &invalid.Input{File: f.Context, Line: 1, Found: "no column " + others.Group,
			Expected: "one that says which groups of " + f.Targets + " these points are known of"}
	}
	questions = askEach(questions, targets)
	f.noteScored(questions)
	return questions, others, nil
}

// known returns questions about groups, without targets.
func known(contexts []points.Group) (questions []points.Question) {
	for _, c := range contexts {
		questions = append(questions, points.Question{Name: c.Name, Known: c.Points})
	}
	return questions
}

// contexts returns the questions in the context file, without targets.
func (f QuestionFiles) contexts() (questions []points.Question, err error) {
	if f.Context == "" {
		return nil, nil
	}
	contexts, err := f.Layout.Read(f.Context)
	questions = known(contexts)
	if by := f.Layout.Groups; len(by) > 0 && by[0] != "" && len(questions) == 1 && questions[0].Name == "" {
		f.Layout.Warnings.Add("%s: no column %s, so all rows are one group", f.Context, by[0])
	}
	return questions, err
}

// grid returns the targets that Grid asks for. It refuses a grid along a column of names, and along
// a logarithm from 0 or below.
func (f QuestionFiles) grid() ([]float64, error) {
	bad := func(c int, found, expected string) error {
		return &invalid.Input{File: "--grid", Key: f.Layout.X[c], Found: found, Expected: expected}
	}
	for c, form := range f.Layout.XForms {
		if f.Layout.X[c] == "" {
			return nil, &invalid.Input{File: "--grid", Found: f.Grid, Expected: "--targets FILE with a row for each prediction: the formula has no x"}
		}
		if form.Categories != nil {
			return nil, bad(c, "a column of names, which has no range", "--targets FILE with a row for each prediction")
		}
	}
	grid, err := rows.ParseGrid(f.Grid, len(f.Layout.X), f.Layout.XForms)
	if err != nil {
		return nil, err
	}
	for i, v := range grid {
		if c := i % len(f.Layout.X); c < len(f.Layout.XForms) && !f.Layout.XForms[c].Takes(v) {
			return nil, bad(c, fmt.Sprint(v), "numbers above 0, whose logarithm the model sees; 0 only if the training had one")
		}
	}
	return grid, nil
}

// askAll gives every question the same targets.
func askAll(questions []points.Question, p points.Points) []points.Question {
	if len(questions) == 0 {
		questions = make([]points.Question, 1)
	}
	for i := range questions {
		questions[i].Targets = p
	}
	return questions
}

// checkAll refuses to score each target for several groups. Otherwise it says that each is asked of all.
func (f QuestionFiles) checkAll(questions []points.Question) error {
	if len(questions) < 2 {
		return nil
	}
	if f.Scored {
		return &invalid.Input{File: f.Targets, Line: 1, Found: "no column that names the group of a row",
			Expected: "one, since " + f.Context + " has " + invalid.Plural(len(questions), "group", "groups")}
	}
	f.Layout.Warnings.Add("%s: no column that names groups, so each row is predicted for each of %d groups of %s", f.Targets, len(questions), f.Context)
	return nil
}

// askEach gives every question the targets of its group. A group without a context joins at the end.
func askEach(questions []points.Question, targets []points.Group) []points.Question {
	at := map[string]int{}
	for i, g := range questions {
		at[g.Name] = i
	}
	for _, p := range targets {
		i, known := at[p.Name]
		if !known {
			i = len(questions)
			questions = append(questions, points.Question{Name: p.Name})
		}
		questions[i].Targets = p.Points
	}
	return questions
}

// noteScored adds a line if every target to score is a known point too, as if one file were given twice.
func (f QuestionFiles) noteScored(questions []points.Question) {
	if !f.Scored {
		return
	}
	row := func(p points.Points, k int) string { return fmt.Sprint(p.Row(k), p.RowY(k)) }
	for _, q := range questions {
		known := map[string]bool{}
		for k := range q.Known.Len() {
			known[row(q.Known, k)] = true
		}
		for k := range q.Targets.Len() {
			if !known[row(q.Targets, k)] {
				return
			}
		}
	}
	f.Layout.Warnings.Add("%s: every target is a known point of %s too: these scores say nothing of new rows", f.Targets, f.Context)
}

// CountTargets returns how many targets all questions have together.
func CountTargets(questions []points.Question) (n int) {
	for _, q := range questions {
		n += q.Targets.Len()
	}
	return n
}

// Shown returns the same predictions and reports to p how many of the total are made.
func Shown(p progress.Reporter, total int, predictions iter.Seq2[Target, error]) iter.Seq2[Target, error] {
	return func(yield func(Target, error) bool) {
		p.Begin("predict", "target", 0, total)
		defer p.End()
		done := 0
		for t, err := range predictions {
			if err == nil {
				done++
				p.Update(progress.State{Done: done})
			}
			if !yield(t, err) {
				return
			}
		}
	}
}

// Asked is what a user asks of a predictor.
type Asked struct {
	Predictor
	Layout    rows.Layout // of the files
	Questions []points.Question
	Others    rows.Company // of the targets

	Calibrated *conformal.Calibration // corrects the intervals; nil corrects nothing
}

// Ask reads the questions from the files, and adds what the predictor does not know of them to the
// warnings of the layout.
func Ask(p Predictor, files QuestionFiles) (a Asked, err error) {
	a.Predictor, a.Layout = p, *files.Layout
	files.Layout = &a.Layout
	if a.Questions, a.Others, err = files.Read(); err == nil {
		a.Questions = p.Recall(a.Questions, files.AsNew, a.Layout.Warnings)
		p.Warn(a.Questions, a.Layout.XText, a.Layout.Warnings)
	}
	return a, err
}

// CountAsked returns how many questions have targets.
func (a Asked) CountAsked() (n int) {
	for _, q := range a.Questions {
		if q.Targets.Len() > 0 {
			n++
		}
	}
	return n
}

// CountTargets returns how many targets all questions have together.
func (a Asked) CountTargets() int { return CountTargets(a.Questions) }
