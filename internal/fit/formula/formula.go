// Package formula reads what acqnp fit predicts from what: 'y ~ x1 + x2 | group'.
package formula

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/invalid"
)

// A Term is a column, and how it is seen.
type Term struct {
	Column string
	Log    bool    // its logarithm
	Factor bool    // its cells are names, also those that look like numbers
	Period float64 // it comes round after so much; 0 for a column that does not
	Rest   bool    // '.': all columns that the formula does not name; see Formula.Named
}

// Formula says which columns are y, x and the name of a group.
type Formula struct {
	Y, X     []Term   // no X: y ~ 1
	Products [][]Term // terms of X of which the table of an analyst has the products: a:b
	Offset   []Term   // columns that y is known to grow with: see file.Columns
	Group    string   // "" if all rows are one group
	Outer    string   // the groups that those of Group are in, 'outer/group'; "" for one level
	// Crossed is a column of names that groups share, 'group + names': the items that subjects see; "" for none.
	Crossed string
}

const form = "'y ~ x1 + x2 | group', with names of columns; 'log(y)' takes a logarithm, '| school/class' is for classes in schools, '| subject + item' for items that subjects share, a name with signs stands in backticks, 'y ~ 1' has no x, and without '| group' all rows are one group"

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
	if err = p.outcomes(&f); err == nil {
		err = p.take('~')
	}
	if err == nil {
		err = p.terms(&f)
	}
	if err == nil && p.nextIs('|') {
		err = p.groups(&f)
	}
	if err == nil && p.at < len(p.tokens) {
		err = p.unexpected()
	}
	if err != nil {
		return Formula{}, err
	}
	return f, f.check()
}

// check refuses a column that is named twice: but for an offset, which may be one of x too, and for a column beside its
// periods.
func (f Formula) check() error {
	twice := func(name string) error { return refuse(fmt.Sprintf("the column %q twice", name), form) }
	for i, t := range f.X {
		if slices.ContainsFunc(f.X[:i], func(o Term) bool { return o.Column == t.Column && (o.Period == t.Period || o.Factor || t.Factor) }) {
			return twice(t.Column)
		}
	}
	x := slices.Compact(slices.Sorted(slices.Values(Columns(f.X))))
	for _, own := range [][]string{slices.Concat(Columns(f.Y), x, f.groupColumns()), slices.Concat(Columns(f.Y), Columns(f.Offset), f.groupColumns())} {
		for i, name := range own {
			if slices.Contains(own[:i], name) {
				return twice(name)
			}
		}
	}
	return nil
}

// Named returns the formula with those of a file's columns that it does not name in the place of '.'.
func (f Formula) Named(columns []string) Formula {
	at := slices.IndexFunc(f.X, func(t Term) bool { return t.Rest })
	if at < 0 {
		return f
	}
	named := slices.Concat(Columns(f.Y), Columns(f.X), Columns(f.Offset), f.groupColumns())
	var rest []Term
	for _, name := range columns {
		if !slices.Contains(named, name) {
			rest = append(rest, Term{Column: name})
		}
	}
	f.X = slices.Replace(slices.Clone(f.X), at, at+1, rest...)
	return f
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

// outcomes reads the sum before '~'.
func (p *parser) outcomes(f *Formula) error {
	var left Formula
	if err := p.terms(&left); err != nil {
		return err
	}
	f.Y = left.X
	if len(f.Y) == 0 || left.Offset != nil || left.Products != nil || slices.ContainsFunc(f.Y, func(t Term) bool { return t.Factor || t.Period > 0 || t.Rest }) {
		return refuse(p.textOf(0, p.at)+" before '~'", "columns or log(column), of numbers")
	}
	return nil
}

// terms reads a sum into X, Products and Offset. A 1 in it is the constant, which all models have.
func (p *parser) terms(f *Formula) error {
	for {
		switch {
		case p.wordIs("1"):
			p.at++
		case p.wordIs("offset") && p.signAt(p.at+1) == '(':
			t, err := p.offset()
			if err != nil {
				return err
			}
			f.Offset = append(f.Offset, t)
		default:
			if err := p.product(f); err != nil {
				return err
			}
		}
		if !p.nextIs('+') {
			return nil
		}
		p.at++
	}
}

// product reads a term, a:b or a*b. The columns of a product are among X, whether they are named beside it or not.
func (p *parser) product(f *Formula) error {
	first := p.at
	t, err := p.term()
	if err != nil {
		return err
	}
	factors, sign := []Term{t}, p.signAt(p.at)
	if sign != '*' && sign != ':' {
		if !f.inProduct(t) {
			f.X = append(f.X, t)
		}
		return nil
	}
	for p.nextIs(sign) {
		p.at++
		if t, err = p.term(); err != nil {
			return err
		}
		factors = append(factors, t)
	}
	part := p.textOf(first, p.at)
	if p.nextIs('*') || p.nextIs(':') {
		return refuse(part+" and another sign", "a*b*c, or a:b + b:c")
	}
	for i, t := range factors {
		if t.Rest || slices.ContainsFunc(factors[:i], func(other Term) bool { return other.Column == t.Column }) || len(factors) > mostFactors {
			return refuse(part, fmt.Sprintf("a product of 2 to %d different columns, by their names", mostFactors))
		}
		if !slices.Contains(f.X, t) {
			f.X = append(f.X, t)
		}
	}
	f.multiply(factors, sign == '*')
	return nil
}

// mostFactors bounds the columns of a product.
const mostFactors = 3

// inProduct reports whether a product has named the term already.
func (f *Formula) inProduct(t Term) bool {
	return slices.ContainsFunc(f.Products, func(factors []Term) bool { return slices.Contains(factors, t) })
}

// multiply adds the product of some terms, after those of fewer of them if all are asked for.
func (f *Formula) multiply(factors []Term, all bool) {
	if all && len(factors) > 2 {
		for left := len(factors) - 1; left >= 0; left-- {
			f.multiply(slices.Delete(slices.Clone(factors), left, left+1), true)
		}
	}
	if !slices.ContainsFunc(f.Products, func(other []Term) bool { return slices.Equal(other, factors) }) {
		f.Products = append(f.Products, factors)
	}
}

// wordIs reports whether the next token is a word without backticks.
func (p *parser) wordIs(text string) bool {
	return p.word() && !p.tokens[p.at].quoted && p.tokens[p.at].text == text
}

// signAt returns the sign of a token, 0 for none.
func (p *parser) signAt(at int) byte {
	if at < len(p.tokens) {
		return p.tokens[at].sign
	}
	return 0
}

// offset reads offset(column) or offset(log(column)).
func (p *parser) offset() (t Term, err error) {
	p.at += 2
	if t, err = p.term(); err == nil && (t.Factor || t.Period > 0 || t.Rest || !p.nextIs(')')) {
		err = refuse("offset( without one column, or log(column), and ')'", form)
	}
	p.at++
	return t, err
}

// term reads a column, or a function of one.
func (p *parser) term() (t Term, err error) {
	if !p.word() {
		return t, p.unexpected()
	}
	name := p.tokens[p.at]
	p.at++
	if p.nextIs('(') && !name.quoted {
		return p.call(name)
	}
	if name.text == "." && !name.quoted {
		return Term{Column: ".", Rest: true}, nil
	}
	return Term{Column: name.text}, p.plain(name)
}

// call reads log(column), factor(column) or cyclic(column, period).
func (p *parser) call(name token) (t Term, err error) {
	if !slices.Contains([]string{"log", "factor", "cyclic"}, name.text) {
		return t, p.function(name)
	}
	if p.at++; !p.word() {
		return t, refuse(name.text+"( without one column and ')'", form)
	}
	column := p.tokens[p.at]
	t = Term{Column: column.text, Log: name.text == "log", Factor: name.text == "factor"}
	if p.at++; name.text == "cyclic" {
		const expected = "cyclic(column, period), such as cyclic(hour, 24): a number above 0 in the units of the column"
		if !p.nextIs(',') || p.signAt(p.at+1) != 0 || p.at+1 == len(p.tokens) {
			return t, refuse("cyclic("+column.text+" without a period", expected)
		}
		period := p.tokens[p.at+1].text
		if t.Period, _ = tabular.ParseNumber(period); !(t.Period > 0 && t.Period <= math.MaxFloat32) {
			return t, refuse("the period "+period, expected)
		}
		p.at += 2
	}
	if !p.nextIs(')') {
		return t, refuse(name.text+"( without one column and ')'", form)
	}
	p.at++
	return t, p.plain(column)
}

// plain refuses what is no name of a column: a number, or a point for all columns.
func (p *parser) plain(name token) error {
	switch {
	case name.quoted:
		return nil
	case name.text == ".":
		return refuse("'.' for all columns", "their names, such as x1 + x2")
	case !strings.ContainsFunc(name.text, func(r rune) bool { return r < '0' || r > '9' }):
		return refuse("the number "+name.text, "names of columns: a constant is part of every model, and y ~ 1 has it alone (a column of this name stands in backticks: `"+name.text+"`)")
	}
	return nil
}

// groups reads the column after '|', or two: outer/group, or group + crossed.
func (p *parser) groups(f *Formula) (err error) {
	first := p.at + 1
	if f.Group, err = p.group(); err == nil && p.nextIs('/') {
		f.Outer = f.Group
		f.Group, err = p.group()
	} else if err == nil && p.nextIs('+') {
		f.Crossed, err = p.group()
	}
	if err == nil && (p.nextIs('/') || p.nextIs(':') || p.nextIs('+') || p.nextIs('|')) {
		return refuse(p.textOf(first, len(p.tokens))+" after '|'", "one column, or school/class for classes in schools, or subject + item for items that subjects share")
	}
	return err
}

// group reads the column after a sign.
func (p *parser) group() (string, error) {
	p.at++
	if !p.word() {
		if p.at == len(p.tokens) {
			return "", refuse("no column after '"+string(p.tokens[p.at-1].sign)+"'", form)
		}
		return "", p.unexpected()
	}
	name := p.tokens[p.at]
	p.at++
	return name.text, p.plain(name)
}

// groupColumns returns the columns of groups.
func (f Formula) groupColumns() []string {
	return slices.DeleteFunc([]string{f.Outer, f.Group, f.Crossed}, func(name string) bool { return name == "" })
}

// Groups returns the names of the columns of groups as one: class, school/class, or "".
func (f Formula) Groups() string {
	if f.Outer != "" {
		return f.Outer + "/" + f.Group
	}
	return f.Group
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

// String returns the term as Parse reads it.
func (t Term) String() string {
	name := quoted(t.Column)
	switch {
	case t.Rest:
		return "."
	case t.Log:
		return "log(" + name + ")"
	case t.Factor:
		return "factor(" + name + ")"
	case t.Period > 0:
		return "cyclic(" + name + ", " + strconv.FormatFloat(t.Period, 'g', -1, 64) + ")"
	}
	return name
}

// String returns the formula as Parse reads it.
func (f Formula) String() string {
	side := func(terms []Term) (parts []string) {
		for _, t := range terms {
			parts = append(parts, t.String())
		}
		return parts
	}
	right := side(f.X)
	if len(right) == 0 {
		right = []string{"1"}
	}
	for _, factors := range f.Products {
		right = append(right, strings.Join(side(factors), ":"))
	}
	for _, t := range f.Offset {
		right = append(right, "offset("+t.String()+")")
	}
	text := strings.Join(side(f.Y), " + ") + " ~ " + strings.Join(right, " + ")
	if f.Group != "" {
		text += " | "
		if f.Outer != "" {
			text += quoted(f.Outer) + "/"
		}
		text += quoted(f.Group)
		if f.Crossed != "" {
			text += " + " + quoted(f.Crossed)
		}
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
