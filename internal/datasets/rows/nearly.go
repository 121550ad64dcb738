package rows

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// decorated are numbers with something around or in them: a sign of a bound or of a currency, a minus of typographers,
// separators of thousands, a unit.
var decorated = regexp.MustCompile(`^([<>≤≥~]=?|[€$£¥₹])?\s*([-+−]?)\s*(\d[\d'’_\s\x{a0}\x{202f}]*(?:[.,]\d+)*(?:[eE][-+]?\d+)?)\s*([€$£¥₹]|[\pL°µ%‰/²³]{1,8})?$`)

// durations are times of more than a day.
var durations = regexp.MustCompile(`^(\d+):([0-5]\d)(?::([0-5]\d))?$`)

// nearly returns what a cell that is a name should be if a number is meant, "" if none is.
func nearly(cell string) string {
	if cell == "" || isLetter(cell[0]) {
		return ""
	}
	if p := durations.FindStringSubmatch(cell); p != nil {
		hours, _ := strconv.ParseFloat(p[1], 64)
		minutes, _ := strconv.ParseFloat(p[2], 64)
		seconds, _ := strconv.ParseFloat(p[3], 64) // 0 without
		return fmt.Sprintf("a time of day before 24:00 or, of a duration, a number of hours such as %.6g", hours+minutes/60+seconds/3600)
	}
	p := decorated.FindStringSubmatch(cell)
	if p == nil {
		return ""
	}
	number := strings.NewReplacer("'", "", "’", "", "_", "").Replace(strings.Join(strings.Fields(p[3]), ""))
	if thousands.MatchString(number) {
		number = strings.ReplaceAll(number, ",", "")
	}
	number = strings.ReplaceAll(number, ",", ".")
	if !isNumber(number) {
		return ""
	}
	if p[2] == "-" || p[2] == "−" {
		number = "-" + number
	}
	switch {
	case strings.ContainsAny(p[1], "<>≤≥"):
		return number + limitRemedy
	case p[1] != "":
		return number + ", without " + p[1]
	case p[4] != "":
		return number + ", without " + p[4]
	}
	return number
}
