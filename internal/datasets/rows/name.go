package rows

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/files/tabular"
)

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
		if v, ok := tabular.ParseNumber(text); ok && v-v == 0 {
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
