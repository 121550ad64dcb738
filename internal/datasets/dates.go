package datasets

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	secondsPerDay = 24 * 60 * 60
	dayLayout     = "2006-01-02" // in which dates are written
)

// clockLayouts are the times that may follow a day, after a blank or a T. One without a zone is taken as
// UTC.
var clockLayouts = []string{"", " 15:04", " 15:04:05", " 15:04Z07:00", " 15:04:05Z07:00"}

// dateOf reads a date, with or without a time, as days since 1970-01-01. A month is its first day.
func dateOf(cell string) (days float64, ok bool) {
	clock := clockAt(cell)
	layout := dayLayoutOf(cell[:clock])
	if layout == "" {
		return 0, false
	}
	if clock < len(cell) {
		cell = cell[:clock] + " " + cell[clock+1:]
	}
	for _, l := range clockLayouts {
		if t, err := time.Parse(layout+l, cell); err == nil {
			return float64(t.Unix())/secondsPerDay + float64(t.Nanosecond())/1e9/secondsPerDay, true
		}
	}
	return 0, false
}

// clockAt returns the place of the blank or T between a day and a time, or the cell's length.
func clockAt(cell string) int {
	for i := 1; i+1 < len(cell); i++ {
		if (cell[i] == ' ' || cell[i] == 'T') && isDigit(cell[i-1]) && isDigit(cell[i+1]) {
			return i
		}
	}
	return len(cell)
}

// dayLayoutOf returns the layout that a day can have, or "". Days and months may be written with one
// digit. Which of the numbers is the day is clear in each layout, so 3/4/2024 has none.
func dayLayoutOf(day string) string {
	if len(day) < len("2006-01") || !isDigit(day[0]) {
		return ""
	}
	sep := day[4:5]
	switch more := strings.Contains(day[5:], sep); {
	case (sep == "-" || sep == "/" || sep == ".") && more:
		return "2006" + sep + "1" + sep + "2"
	case sep == "-" && len(day) == len("2006-01") && "1600" <= day && day < "2400": // not a part number such as 7010-03
		return "2006-01"
	case (day[1] == '.' || day[2] == '.') && strings.Count(day, ".") == 2: // a number has one
		return "2.1.2006"
	case (day[1] == '-' || day[2] == '-') && (isLetter(day[2]) || isLetter(day[3])):
		return "2-Jan-2006"
	case isLetter(day[1]) || isLetter(day[2]):
		return "2Jan2006"
	}
	return ""
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

var unclear = regexp.MustCompile(`^\d{1,2}[/-]\d{1,2}[/-](\d{2}|\d{4})([ T]\d{1,2}:.*)?$`)

// unclearDate reports whether a cell looks like a date such as 3/4/2024, whose day and month cannot be told
// apart.
func unclearDate(cell string) bool { return unclear.MatchString(cell) }

// dateText returns the date that lies days after the origin, which counts from 1970-01-01. It has a
// time, to the second, unless it is midnight.
func dateText(origin, days float64) string {
	const range32 = 1 << 31 // days; time.Unix needs a bound
	if !(math.Abs(days) < range32) {
		return strconv.FormatFloat(days, 'g', -1, 64)
	}
	t := time.Unix(int64(math.Round((origin+days)*secondsPerDay)), 0).UTC()
	if t.Truncate(24 * time.Hour).Equal(t) {
		return t.Format(dayLayout)
	}
	return t.Format("2006-01-02T15:04:05Z")
}
