package answer

import (
	"fmt"
	"slices"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
)

// Recall implements [predict.Predictor]: a group of the data knows its own rows. A known point that is one of them
// counts once.
func (f Predictor) Recall(questions []points.Question, asNew bool, w *warning.Record) []points.Question {
	known, kept, names := f.Kept.Groups, map[string]points.Group{}, []string(nil)
	if asNew {
		known = nil
	}
	for _, g := range known {
		kept[rows.Name(g.Name)], names = g, append(names, g.Name)
	}
	var r recall
	all := slices.Clone(questions)
	for i := range all {
		name := rows.Name(all[i].Name)
		if f.Group == "" { // all rows are one group, whatever a request calls it
			name = ""
		}
		if g, is := kept[name]; is {
			all[i] = r.add(f, g, all[i])
		}
		r.count(all[i])
	}
	r.note(f, w)
	if unknown := func(q points.Question) bool { return q.Name != "" && q.Targets.Len() > 0 && q.Known.Len() == 0 }; f.Kept.Groups == nil && slices.ContainsFunc(all, unknown) {
		w.Add("the fit keeps no rows (--no-rows): what is known of a group of its data must be in the context")
	}
	if f.Outer != "" {
		f.addSiblings(all, known)
	}
	f.addCodes(all, w)
	f.warnOfUnknown(all, names, w)
	return all
}

// warnOfUnknown adds lines about groups with targets that are unknown: their names may be mistyped. In groups in groups,
// those of an outer group of which nothing is known have a line of their own.
func (f Predictor) warnOfUnknown(questions []points.Question, kept []string, w *warning.Record) {
	var lost []string
	others := questions
	if f.Outer != "" {
		isLost := func(q points.Question) bool {
			return q.Name != "" && q.Targets.Len() > 0 && q.Known.Len() == 0 && len(q.Siblings) == 0
		}
		for _, q := range questions {
			if isLost(q) {
				lost = append(lost, q.Name)
			}
		}
		others = slices.DeleteFunc(slices.Clone(questions), isLost)
	}
	predict.WarnOfUnknown(others, kept, func(name string) string { return f.OuterOf(rows.Name(name)) }, w)
	if lost != nil {
		w.Add("of %s (%s) and of its %s no point is known%s", invalid.Plural(len(lost), "group", "groups"), invalid.First(lost), f.Outer, predict.NearestNames(lost, kept))
	}
}

// addSiblings adds the known points of the other groups in the same outer group to each question: those of questions
// and of the groups that are kept.
func (f Predictor) addSiblings(questions []points.Question, kept []points.Group) {
	in, asked := map[string][]points.Group{}, map[string]bool{}
	for _, g := range knownOnce(questions) {
		asked[g.Name] = true
		if outer := f.OuterOf(g.Name); outer != "" && g.Len() > 0 {
			in[outer] = append(in[outer], g)
		}
	}
	for _, g := range kept {
		name := rows.Name(g.Name)
		if outer := f.OuterOf(name); !asked[name] {
			in[outer] = append(in[outer], points.Group{Name: name, Points: g.Points})
		}
	}
	for i := range questions {
		name := rows.Name(questions[i].Name)
		for _, other := range in[f.OuterOf(name)] {
			if other.Name != name {
				questions[i].Siblings = append(questions[i].Siblings, other.Points)
			}
		}
	}
}

// A recall counts what Recall finds.
type recall struct {
	names       []string // of the groups with rows of the data
	rows, given int      // of these: those of the data, and those of the context
	again       int      // known points that are equal to rows of the data
	scored      int      // targets that are
	alone       int      // groups with known points of the context alone
}

// add returns a question with the rows of its group before its own known points.
func (r *recall) add(f Predictor, g points.Group, q points.Question) points.Question {
	scored := matcher{Points: g.Points}
	known, again := joined(g.Points, q.Known, f.tellsRowsApart())
	r.again += again
	for k := range q.Targets.Len() {
		if q.Targets.Y != nil && scored.match(q.Targets.Row(k), told(q.Targets, k)) >= 0 {
			r.scored++
		}
	}
	q.Recalled, q.Known = g.Len(), known
	return q
}

// joined returns the known points of a group with others, and how many of these are equal to one of the group. Where equal
// cells are those of one row, they count once.
func joined(g, others points.Points, once bool) (known points.Points, again int) {
	own := matcher{Points: g}
	known = points.Points{X: slices.Clone(g.X), Y: slices.Clone(g.Y), Censored: slices.Clone(g.Censored), DX: g.DX, DY: g.DY}
	for k := range others.Len() {
		p := others.Cut(k, k+1)
		row := own.match(p.X, told(p, 0))
		if row >= 0 {
			again++
		}
		if row >= 0 && once {
			fill(&known, row, p)
		} else {
			known.Append(p)
		}
	}
	return known, again
}

// knownOnce returns the known points of the groups of questions. Of a group that several ask about, a point that is known in
// each counts once.
func knownOnce(questions []points.Question) (all []points.Group) {
	at := map[string]int{}
	for _, q := range questions {
		name := rows.Name(q.Name)
		if i, is := at[name]; is && name != "" {
			all[i].Points, _ = joined(all[i].Points, q.Known, true)
			continue
		}
		at[name] = len(all)
		all = append(all, points.Group{Name: name, Points: q.Known})
	}
	return all
}

// count counts a question that has targets.
func (r *recall) count(q points.Question) {
	switch {
	case q.Targets.Len() == 0:
	case q.Recalled > 0:
		r.names, r.rows = append(r.names, q.Name), r.rows+q.Recalled
		r.given += q.Known.Len() - q.Recalled
	case q.Known.Len() > 0:
		r.alone++
	}
}

// note adds lines about what was found, if any of the groups is one of the data. Without groups all rows are always
// known.
func (r *recall) note(f Predictor, w *warning.Record) {
	if r.rows > 0 && f.Group != "" {
		line := fmt.Sprintf("known points: of %s (%s) the %s of the fit's data", invalid.Plural(len(r.names), "group", "groups"), invalid.First(r.names), invalid.Plural(r.rows, "row", "rows"))
		if r.given > 0 {
			line += fmt.Sprintf(" and %d of the context", r.given)
		}
		if r.alone > 0 {
			line += fmt.Sprintf("; of %s those of the context alone", invalid.Plural(r.alone, "group", "groups"))
		}
		w.Add("%s", line)
	}
	also := fmt.Sprintf("(of the data, %d of %d rows are equal to another of their group)", f.EqualRows, f.Rows)
	switch {
	case r.again > 0 && f.tellsRowsApart():
		w.Add("of the context, %s in the fit's data too, and counted once", invalid.Plural(r.again, "known point is", "known points are"))
	case r.again > 0:
		w.Add("of the context, %s may be in the fit's data too, and counted as new %s: leave out rows that the fit has", invalid.Plural(r.again, "known point", "known points"), also)
	}
	switch {
	case r.scored > 0 && f.tellsRowsApart():
		w.Add("%s of the fit's data and known: these scores say nothing of new rows; --as-new forgets them", invalid.Plural(r.scored, "target is a row", "targets are rows"))
	case r.scored > 0:
		w.Add("%s may be of the fit's data, which are known %s: their scores say nothing of new rows then; --as-new forgets them", invalid.Plural(r.scored, "target", "targets"), also)
	}
}
