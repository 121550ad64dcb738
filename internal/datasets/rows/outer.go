package rows

import (
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/invalid"
)

// OuterOf returns the outer group of a joined name, "3" of "3/b".
func OuterOf(name string) string {
	outer, _, _ := strings.Cut(name, "/")
	return outer
}

// placeOuter finds the columns of groups in groups: both, one of joined names, or none.
func (l *Layout) placeOuter(t *table, g *grouping) (err error) {
	others := slices.Concat(l.X, l.Y)
	inner := l.Groups[0]
	joined := slices.Index(t.header, l.Outer+"/"+inner)
	if g.outer, err = t.groupColumn([]string{l.Outer}, append(others, inner)); err != nil {
		return err
	}
	if g.by, err = t.groupColumn([]string{inner}, append(others, l.Outer)); err != nil {
		return err
	}
	if g.outer >= 0 && g.by >= 0 {
		return nil
	}
	if joined >= 0 {
		g.outer, g.by = -1, joined
		return nil
	}
	if g.outer >= 0 || g.by >= 0 {
		found := t.header[max(g.outer, g.by)]
		return &invalid.Input{File: t.path, Line: t.heading.line, Found: "the column " + quote(found, 40) + " alone",
			Expected: quote(l.Outer, 40) + " and " + quote(inner, 40) + ", a group in a group (a new one needs a name too)"}
	}
	return nil
}
