package formula

import (
	"fmt"
	"slices"
	"strings"
)

// A token is a sign or a name.
type token struct {
	sign     byte // 0 for a name
	text     string
	quoted   bool // the name stood in backticks
	from, to int  // in the text
}

// signs are the characters that a name has only in backticks. A minus is one after a blank or at the start.
const signs = "~+|()*:^/,"

// tokensOf splits a formula. Names without backticks may have blanks inside.
func tokensOf(text string) (tokens []token, err error) {
	for at := 0; at < len(text); {
		switch c := text[at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			at++
		case c == '`':
			name, end, ok := inBackticks(text, at)
			if !ok || name == "" {
				return nil, refuse(fmt.Sprintf("%q", text[at:]), "a name between two backticks; a backtick in it is written twice")
			}
			tokens = append(tokens, token{text: name, quoted: true, from: at, to: end})
			at = end
		case strings.IndexByte(signs, c) >= 0 || c == '-':
			tokens = append(tokens, token{sign: c, from: at, to: at + 1})
			at++
		default:
			end := at
			for end < len(text) && strings.IndexByte(signs+"`", text[end]) < 0 && !(text[end] == '-' && text[end-1] == ' ') {
				end++
			}
			name := strings.TrimSpace(text[at:end])
			tokens = append(tokens, token{text: name, from: at, to: at + len(name)})
			at = end
		}
	}
	return tokens, nil
}

// inBackticks returns the name in backticks that starts at a place, and where it ends.
func inBackticks(text string, at int) (name string, end int, ok bool) {
	for i := at + 1; i < len(text); i++ {
		switch {
		case text[i] != '`':
			name += text[i : i+1]
		case i+1 < len(text) && text[i+1] == '`':
			name += "`"
			i++
		default:
			return name, i + 1, true
		}
	}
	return "", 0, false
}

// backticks is the way out for names with signs.
const backticks = " (a column with %s in its name stands in backticks: `%s`)"

// unexpected returns the error for the token that cannot stand where it does: what it means elsewhere, and what
// to write instead.
func (p *parser) unexpected() error {
	if p.at >= len(p.tokens) {
		return refuse(fmt.Sprintf("%q, which ends too early", p.text), form)
	}
	t := p.tokens[p.at]
	// The term around the sign, for the message.
	first, end := p.at, p.at+1
	for first > 0 && !strings.ContainsRune("~+|", rune(p.tokens[first-1].sign)) {
		first--
	}
	for end < len(p.tokens) && !strings.ContainsRune("~+|", rune(p.tokens[end].sign)) {
		end++
	}
	part := p.textOf(first, end)
	out := fmt.Sprintf(backticks, string(t.sign), part)
	switch t.sign {
	case '*', ':':
		return refuse(part, "a product of columns of x, such as a*b"+out)
	case '^':
		return refuse(part, "the column alone: models find powers and curves, and a formula does not say them"+out)
	case '/':
		return refuse(part, "names of columns: write a ratio into a column of the file"+out)
	case '-':
		return refuse(part, "names of columns with + between them: what is not named is left out"+out)
	case '(':
		if inner, ok := p.bars(); ok {
			return refuse(inner, "'| group' at the end of the formula, or '| subject + item' for (1 | subject) + (1 | item): the level and the course of groups vary by themselves")
		}
		return refuse("a parenthesis before "+p.textOf(p.at, len(p.tokens)), form)
	case 0:
		return refuse(fmt.Sprintf("%q after a name", t.text), form)
	}
	return refuse(fmt.Sprintf("%q where a name should stand, in %q", t.sign, p.text), form)
}

// bars returns the part (1 | group), as other programs write groups, that starts at the current token.
func (p *parser) bars() (part string, ok bool) {
	for i := p.at; i < len(p.tokens); i++ {
		switch p.tokens[i].sign {
		case '|':
			ok = true
		case ')':
			return p.textOf(p.at, i+1), ok
		}
	}
	return "", false
}

// curves and codes are functions of other programs.
var (
	curves = strings.Fields("poly ns bs s te ti t2 spline lo I pow exp sqrt square cut scale center standardize")
	codes  = strings.Fields("C as.factor categorical ordered")
)

// function returns the error for a function of a column.
func (p *parser) function(name token) error {
	end := p.at
	for depth := 0; end < len(p.tokens); end++ {
		if p.tokens[end].sign == '(' {
			depth++
		} else if p.tokens[end].sign == ')' {
			if depth--; depth == 0 {
				break
			}
		}
	}
	part := p.textOf(p.at-1, min(end+1, len(p.tokens)))
	out := fmt.Sprintf(backticks, "parentheses", part)
	switch {
	case slices.Contains(curves, name.text):
		return refuse(part, "the column alone: models find curves and scales by themselves"+out)
	case slices.Contains(codes, name.text):
		return refuse(part, "factor(column)"+out)
	case name.text == "cbind":
		return refuse(part, "y1 + y2 before '~'"+out)
	case strings.HasPrefix(name.text, "log"):
		return refuse(part, "log(column), the natural logarithm"+out)
	}
	return refuse(part, "a column, log(column), factor(column), cyclic(column, period) or offset(column)"+out)
}
