package predict

import (
	"slices"
	"strconv"

	"github.com/acqnp/acqnp/internal/files/tabular"
)

// Names are how a CSV file of predictions names its rows: by function, target, x and channel.
type Names struct {
	XNames    []string                      // of the columns of x
	XText     func(c int, v float64) string // the text of a raw number of column c of x; nil for numbers
	XIsText   func(c int) bool              // whether column c of x has texts, names or dates; nil for numbers
	YNames    []string                      // of the channels of y
	Functions []Function                    // that were predicted
}

// NamesOf returns the names of the rows for what was asked.
func NamesOf(a *Asked) Names {
	return Names{XNames: a.Trained.Units.XNames, XText: a.Layout.XText, XIsText: a.Layout.XIsText, YNames: a.Trained.Units.YNames, Functions: a.Functions}
}

// typed returns the file's columns: those of header, with their kinds.
func (n Names) typed(others []tabular.Column) []tabular.Column {
	names := make([]string, len(others))
	for i, c := range others {
		names[i] = c.Name
	}
	all := make([]tabular.Column, 0, len(n.XNames)+len(others)+3)
	for i, name := range n.header(names) {
		kind := tabular.Number
		switch x := i - 2; {
		case i == 1:
			kind = tabular.Integer
		case i == 0 || x == len(n.XNames) || x < len(n.XNames) && n.XIsText != nil && n.XIsText(x):
			kind = tabular.Text
		case x > len(n.XNames):
			kind = others[x-len(n.XNames)-1].Kind
		}
		all = append(all, tabular.Column{Name: name, Kind: kind})
	}
	return all
}

// numbers returns columns of numbers.
func numbers(names ...string) []tabular.Column {
	all := make([]tabular.Column, len(names))
	for i, name := range names {
		all[i] = tabular.Column{Name: name, Kind: tabular.Number}
	}
	return all
}

// header returns the names of the file's columns: function, target, x…, channel and others. A column of x with
// the name of another column gets the prefix x_, as often as it takes to make all names different.
func (n Names) header(others []string) []string {
	taken := append([]string{"function", "target", "channel"}, others...)
	x := slices.Clone(n.XNames)
	for i, name := range x {
		for slices.Contains(taken, name) || name != n.XNames[i] && slices.Contains(x, name) {
			name = "x_" + name
		}
		x[i] = name
	}
	return slices.Concat([]string{"function", "target"}, x, []string{"channel"}, others)
}

// row appends the columns function, target, x… and channel of a target.
func (n Names) row(row []string, t Target, channel int) []string {
	f, dx := n.Functions[t.Function], len(n.XNames)
	row = append(row, f.Name, strconv.Itoa(t.Target))
	for c, v := range f.TargetX[t.Target*dx:][:dx] {
		row = append(row, n.xText(c, v))
	}
	return append(row, n.YNames[channel])
}

func (n Names) xText(c int, v float64) string {
	if n.XText != nil {
		return n.XText(c, v)
	}
	return number(v)
}
