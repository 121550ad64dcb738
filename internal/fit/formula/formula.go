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

const form = "'y ~ x1 + x2 | group', with names of columns; 'log(y)' takes a logarithm, a name with signs stands in backticks, and without '| group' all rows are one group"

// refuse returns the error for a part of a formula, and what to write instead.
func refuse(found, expected string) error {
	return &invalid.Input{File: "formula", Found: found, Expected: expected}
}

// Parse reads a formula. An error is an *invalid.Input.
func Parse(text string) (f Formula, err error) {
	p := parser{text: text}
	if p.tokens, err = tokensOf(text); err != nil {
		return f, err
	}
	if !slices.ContainsFunc(p.tokens, func(t token) bool { return t.sign == '~' }) {
		return f, refuse(fmt.Sprintf("%q without '~'", text), form)
	}
	if f.Y, err = p.terms(); err == nil {
		err = p.take('~')
	}
	if err == nil {
		f.X, err = p.terms()
	}
	if err == nil && p.nextIs('|') {
		f.Group, err = p.group()
	}
	if err == nil && p.at < len(p.tokens) {
		err = p.unexpected()
	}
	if err != nil {
		return Formula{}, err
	}
	all := append(Columns(slices.Concat(f.Y, f.X)), f.Group)
	for i, name := range all {
		if slices.Contains(all[:i], name) {
			return Formula{}, refuse(fmt.Sprintf("the column %q twice", name), form)
		}
	}
	return f, nil
}

// A parser reads tokens.
type parser struct {
	text   string
	tokens []token
	at     int
}

// nextIs reports whether the next token is a sign.
func (p *parser) nextIs(sign byte) bool { return p.at < len(p.tokens) && p.tokens[p.at].sign == sign }

// word reports whether the next token is a name.
func (p *parser) word() bool { return p.at < len(p.tokens) && p.tokens[p.at].sign == 0 }

// take moves past a sign.
func (p *parser) take(sign byte) error {
	if !p.nextIs(sign) {
		return p.unexpected()
	}
	p.at++
	return nil
}

// terms reads a sum.
func (p *parser) terms() ([]Term, error) {
	var all []Term
	for {
		t, err := p.term()
		if err != nil {
			return nil, err
		}
		all = append(all, t)
		if !p.nextIs('+') {
			return all, nil
		}
		p.at++
	}
}

// term reads a column, or log(column).
func (p *parser) term() (t Term, err error) {
	if !p.word() {
		return t, p.unexpected()
	}
	name := p.tokens[p.at]
	p.at++
	if p.nextIs('(') && !name.quoted {
		if name.text != "log" {
			return t, p.function(name)
		}
		p.at++
		if !p.word() || p.at+1 >= len(p.tokens) || p.tokens[p.at+1].sign != ')' {
			return t, refuse("log( without one column and ')'", form)
		}
		t = Term{p.tokens[p.at].text, true}
		p.at += 2
		return t, p.plain(p.tokens[p.at-2])
	}
	return Term{Column: name.text}, p.plain(name)
}

// plain refuses what is no name of a column: a number, or a point for all columns.
func (p *parser) plain(name token) error {
	switch {
	case name.quoted:
		return nil
	case name.text == ".":
		return refuse("'.' for all columns", "their names, such as x1 + x2")
	case !strings.ContainsFunc(name.text, func(r rune) bool { return r < '0' || r > '9' }):
		return refuse("the number "+name.text, "names of columns: a constant is always part of the models, and takes no term (a column of this name stands in backticks: `"+name.text+"`)")
	}
	return nil
}

// group reads the column after '|'.
func (p *parser) group() (string, error) {
	p.at++
	if !p.word() {
		if p.at == len(p.tokens) {
			return "", refuse("no column after '|'", form)
		}
		return "", p.unexpected()
	}
	name := p.tokens[p.at]
	if p.at++; p.nextIs('/') || p.nextIs(':') || p.nextIs('+') || p.nextIs('|') {
		return "", refuse(p.textOf(p.at-1, len(p.tokens))+" after '|'", "one column: for groups within groups, write a column with both names, such as school 3 class b, and name that")
	}
	return name.text, p.plain(name)
}

// textOf returns the text of some tokens.
func (p *parser) textOf(first, end int) string {
	return strings.TrimSpace(p.text[p.tokens[first].from:p.tokens[end-1].to])
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
			if parts[i] = quoted(t.Column); t.Log {
				parts[i] = "log(" + parts[i] + ")"
			}
		}
		return strings.Join(parts, " + ")
	}
	text := side(f.Y) + " ~ " + side(f.X)
	if f.Group != "" {
		text += " | " + quoted(f.Group)
	}
	return text
}

// quoted returns a name as a formula has it: in backticks if it would be read as something else.
func quoted(name string) string {
	p := parser{text: name}
	tokens, err := tokensOf(name)
	if err == nil && len(tokens) == 1 && tokens[0].text == name && !tokens[0].quoted && p.plain(tokens[0]) == nil {
		return name
	}
	return "`" + strings.ReplaceAll(name, "`", "``") + "`"
}
