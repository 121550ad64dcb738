package rows

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// ParseNumber reads a number as it stands in people's files: digits with a sign, a decimal point or an exponent. What
// programming languages write beyond that is none: 1_2, 0x1p3, Inf. Every text of a user that becomes a number does so
// here. It returns an infinity for a number that float64 does not hold.
func ParseNumber(text string) (v float64, ok bool) {
	digits := false
	for i := range len(text) {
		switch c := text[i]; {
		case isDigit(c):
			digits = true
		case c == '+', c == '-', c == '.':
		case c|0x20 == 'e' && digits:
		default:
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(text, 64) // which checks their order
	return v, digits && (err == nil || math.IsInf(v, 0))
}

// isInfinite reports whether a text is an infinity as programs write it.
func isInfinite(text string) bool {
	switch strings.ToLower(strings.TrimLeft(text, "+-")) {
	case "inf", "infinity":
		return true
	}
	return false
}

var (
	// plainNumber are numbers without zeros before them, which are part of a name: 7, 7.50, .5.
	plainNumber = regexp.MustCompile(`^-?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)$`)
	// exponential are numbers as programs write the large and the small ones, 1e+06 and 1.5E7. 12e4 may be a name.
	exponential = regexp.MustCompile(`^-?[1-9](?:\.\d+[eE][+-]?|[eE][+-])\d+$`)
)

// Name returns the one spelling of a name of a group or of a column of names, so that a number names the same in all
// forms of files: 11.0, 11.00 and 1.1e+01 are 11. Zeros before a number are part of the name, as in 03. A name of a
// group in a group is spelled so on both sides of its slash.
func Name(text string) string {
	if !strings.Contains(text, "/") {
		return spelled(text)
	}
	parts := strings.Split(text, "/")
	for i, part := range parts {
		parts[i] = spelled(part)
	}
	return strings.Join(parts, "/")
}

// spelled returns the one spelling of a name without slashes.
func spelled(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || !isDigit(text[0]) && text[0] != '-' && text[0] != '.' || !strings.ContainsAny(text, ".eE-") { // most names
		return text
	}
	if exponential.MatchString(text) {
		if v, ok := ParseNumber(text); ok && v-v == 0 {
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
		return text
	}
	if !plainNumber.MatchString(text) {
		return text
	}
	whole, fraction, _ := strings.Cut(text, ".")
	if whole == "" || whole == "-" {
		whole += "0"
	}
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		return whole + "." + fraction
	}
	if whole == "-0" {
		return "0"
	}
	return whole
}
