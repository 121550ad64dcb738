package predict

import (
	"cmp"
	"iter"
	"regexp"
	"slices"
	"strconv"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/points"
)

// Names are how a CSV file of predictions names its rows: by group, target, x, what else a file of targets
// says of a row, and channel.
type Names struct {
	XNames    []string                      // of the columns of x; "" for one that files do not have
	XText     func(c int, v float64) string // the text of a raw number of column c of x; nil for numbers
	XIsText   func(c int) bool              // whether column c of x has texts, names or dates; nil for numbers
	YNames    []string                      // of the channels of y
	Questions []points.Question             // that were predicted
	Group     string                        // the column with the name of the group; "" for group
	Others    rows.Company                  // of the targets
}

// NamesOf returns the names of the rows for what was asked.
func NamesOf(a *Asked) Names {
	about := a.About()
	return Names{XNames: about.Units.XNames, XText: a.Layout.XText, XIsText: a.Layout.XIsText, YNames: about.Units.YNames,
		Questions: a.Questions, Group: cmp.Or(a.Others.Group, about.Group), Others: a.Others}
}

// typed returns the file's columns: those of header, with their kinds.
func (n Names) typed(others []tabular.Column) []tabular.Column {
	kindOf := func(number bool) tabular.Kind {
		if number {
			return tabular.Number
		}
		return tabular.Text
	}
	kinds := []tabular.Kind{tabular.Text, tabular.Integer}
	for c, name := range n.XNames {
		if name != "" {
			kinds = append(kinds, kindOf(n.XIsText == nil || !n.XIsText(c)))
		}
	}
	for c := range n.Others.Names {
		kinds = append(kinds, kindOf(!slices.ContainsFunc(n.Others.Rows, func(row []string) bool { return !plainNumber.MatchString(row[c]) })))
	}
	kinds, names := append(kinds, tabular.Text), make([]string, len(others))
	for i, c := range others {
		kinds, names[i] = append(kinds, c.Kind), c.Name
	}
	all := make([]tabular.Column, len(kinds))
	for i, name := range n.header(names) {
		all[i] = tabular.Column{Name: name, Kind: kinds[i]}
	}
	return all
}

// plainNumber are cells that a column of numbers holds without loss, or none.
var plainNumber = regexp.MustCompile(`^(-?(0|[1-9]\d{0,14})(\.\d{1,15})?)?$`)

// header returns the names of the file's columns: the group, target, x…, the targets' other columns, channel and
// others. The column of the groups with the name of another column gets the prefix group_, one of x x_, one of the
// targets file_, as often as it takes to make all names different.
func (n Names) header(others []string) []string {
	taken, group := append([]string{"target", "channel"}, others...), cmp.Or(n.Group, "group")
	for slices.Contains(taken, group) {
		group = "group_" + group
	}
	taken = append(taken, group)
	free := func(names []string, prefix string) []string {
		found := slices.Clone(names)
		for i, name := range found {
			for slices.Contains(taken, name) || name != names[i] && slices.Contains(found, name) {
				name = prefix + name
			}
			found[i] = name
		}
		return found
	}
	x := free(rows.InFiles(n.XNames), "x_")
	taken = append(taken, x...)
	return slices.Concat([]string{group, "target"}, x, free(n.Others.Names, "file_"), []string{"channel"}, others)
}

// row appends the columns group, target, x…, others… and channel of a target.
func (n Names) row(row []string, t Target, channel int) []string {
	q := n.Questions[t.Group]
	row = append(row, q.Name, strconv.Itoa(t.Target))
	for c, v := range q.Targets.Row(t.Target) {
		switch {
		case n.XNames[c] == "":
		case n.XText != nil:
			row = append(row, n.XText(c, v))
		default:
			row = append(row, number(v))
		}
	}
	if len(n.Others.Names) > 0 {
		row = append(row, n.Others.Rows[q.Targets.Rows[t.Target]]...)
	}
	return append(row, n.YNames[channel])
}

// An inOrder writes the rows of targets, which come group by group, in the order of the file of targets.
// It holds those that come before their turn.
type inOrder struct {
	Names
	to   tabular.Writer
	at   int // of the current target, −1 if it is in its turn whenever it comes
	next int
	held map[int][][]string
}

// target writes the rows of a target.
func (o *inOrder) target(t Target, rows iter.Seq[[]string]) error {
	o.at = -1
	if o.Others.Group != "" { // otherwise each group has the same targets, or none is of a file
		o.at = o.Questions[t.Group].Targets.Rows[t.Target]
	}
	for row := range rows {
		if err := o.put(row); err != nil {
			return err
		}
	}
	if o.at != o.next {
		return nil
	}
	for more := true; more; _, more = o.held[o.next] {
		for _, row := range o.held[o.next] {
			if err := o.to.Write(row); err != nil {
				return err
			}
		}
		delete(o.held, o.next)
		o.next++
	}
	return nil
}

// put writes a row of the current target, or holds it.
func (o *inOrder) put(row []string) error {
	if o.at < 0 || o.at == o.next {
		return o.to.Write(row)
	}
	if o.held == nil {
		o.held = map[int][][]string{}
	}
	o.held[o.at] = append(o.held[o.at], slices.Clone(row))
	return nil
}
