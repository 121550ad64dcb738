// Package formula reads what acqnp fit predicts from what: 'y ~ x1 + x2 | group'.
package formula

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/invalid"
)

// A Term is a column, or its logarithm.
type Term struct {
	Column string
	Log    bool
}

// Formula says which columns are y, x and the name of a group.
type Formula struct {
	Y, X  []Term
	Group string // "" if all rows are one group
}

const form = "'y ~ x1 + x2 | group', with names of columns; 'log(y)' takes a logarithm, and without '| group' all rows are one group"

// Parse reads a formula. An error is an *invalid.Input.
func Parse(text string) (f Formula, err error) {
	refuse := func(found string) (Formula, error) {
		return Formula{}, &invalid.Input{File: "formula", Found: found, Expected: form}
	}
	left, right, ok := strings.Cut(text, "~")
	if !ok {
		return refuse(fmt.Sprintf("%q without '~'", text))
	}
	right, group, grouped := strings.Cut(right, "|")
	f.Group = strings.TrimSpace(group)
	if grouped && f.Group == "" {
		return refuse("no column after '|'")
	}
	if f.Y, ok = terms(left); !ok {
		return refuse(fmt.Sprintf("%q before '~'", strings.TrimSpace(left)))
	}
	if f.X, ok = terms(right); !ok {
		return refuse(fmt.Sprintf("%q after '~'", strings.TrimSpace(right)))
	}
	all := append(Columns(slices.Concat(f.Y, f.X)), f.Group)
	for i, name := range all {
		if slices.Contains(all[:i], name) {
			return refuse(fmt.Sprintf("the column %q twice", name))
		}
	}
	return f, nil
}

// terms returns the terms of a sum.
func terms(text string) ([]Term, bool) {
	var all []Term
	for _, part := range strings.Split(text, "+") {
		t := Term{Column: strings.TrimSpace(part)}
		if inner, ok := strings.CutPrefix(t.Column, "log("); ok {
			if inner, ok = strings.CutSuffix(inner, ")"); !ok {
				return nil, false
			}
			t = Term{strings.TrimSpace(inner), true}
		}
		if t.Column == "" || strings.ContainsAny(t.Column, "()~|") {
			return nil, false
		}
		all = append(all, t)
	}
	return all, true
}

// Columns returns the columns of terms.
func Columns(terms []Term) []string {
	names := make([]string, len(terms))
	for i, t := range terms {
		names[i] = t.Column
	}
	return names
}

// String returns the formula as Parse reads it.
func (f Formula) String() string {
	side := func(terms []Term) string {
		parts := make([]string, len(terms))
		for i, t := range terms {
			if parts[i] = t.Column; t.Log {
				parts[i] = "log(" + t.Column + ")"
			}
		}
		return strings.Join(parts, " + ")
	}
	text := side(f.Y) + " ~ " + side(f.X)
	if f.Group != "" {
		text += " | " + f.Group
	}
	return text
}
