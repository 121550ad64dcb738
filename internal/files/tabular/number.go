package tabular

import (
	"math"
	"strconv"
)

// ParseNumber reads a number as it stands in people's files: digits with a sign, a decimal point or an exponent. It refuses
// what only programming languages write, such as 1_2, 0x1p3 and Inf. Every text of a user that becomes a number does so
// here. It returns an infinity for a number that float64 does not hold.
func ParseNumber(text string) (v float64, ok bool) {
	digits := false
	for i := range len(text) {
		switch c := text[i]; {
		case '0' <= c && c <= '9':
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
