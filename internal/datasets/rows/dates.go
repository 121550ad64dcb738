package rows

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	secondsPerDay  = 24 * 60 * 60
	secondsPerHour = 60 * 60
	dayLayout      = "2006-01-02" // in which dates are written
	epoch          = "1970-01-01" // the origin of dates before their columns settle it
)

// clockLayouts are the times that may follow a day, after a blank or a T. One without a zone is taken as
// UTC.
var clockLayouts = []string{"", " 15:04", " 15:04:05", " 15:04Z07:00", " 15:04:05Z07:00", " 3:04 PM", " 3:04:05 PM"}

// dateOf reads a date of which it is clear which number is the day, with or without a time, as days since
// 1970-01-01. A month is its first day.
func dateOf(cell string) (days float64, ok bool) {
	return dateIn(cell, dayLayoutOf(cell[:clockAt(cell)]))
}

// dateIn reads a date whose day has a layout.
func dateIn(cell, layout string) (days float64, ok bool) {
	if layout == "" {
		return 0, false
	}
	if clock := clockAt(cell); clock < len(cell) {
		cell = cell[:clock] + " " + cell[clock+1:]
		if end := len(cell) - 1; cell[end] == 'm' || cell[end] == 'M' { // of am or pm
			cell = strings.ToUpper(cell)
		}
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

// stampOf returns the date that a number such as 20240301 may mean, from 1900 to 2100. It is a number all the same: only
// who made the file knows.
func stampOf(v float64) (date string, is bool) {
	if !(19000101 <= v && v <= 21001231) {
		return "", false
	}
	day, err := time.Parse("20060102", strconv.FormatFloat(v, 'f', -1, 64))
	return day.Format(dayLayout), err == nil
}

// slashed are dates such as 3/14/2026, whose column says which number is the day. One with two digits of the
// year is none.
var slashed = regexp.MustCompile(`^\d{1,2}([/-])\d{1,2}[/-](\d{2}|\d{4})([ T]\d{1,2}:.*)?$`)

// slashedLayouts are those of the formats MonthFirst and DayFirst, with the separator /.
var slashedLayouts = map[string]string{MonthFirst: "1/2/2006", DayFirst: "2/1/2006"}

// slashDate reads a date such as 3/14/2026 in a format.
func slashDate(cell, format string) (days float64, ok bool) {
	parts := slashed.FindStringSubmatch(cell)
	if parts == nil || slashedLayouts[format] == "" {
		return 0, false
	}
	return dateIn(cell, strings.ReplaceAll(slashedLayouts[format], "/", parts[1]))
}

// clocks are times of day such as 13:00, 9:05:30 and 1:00 PM.
var clocks = regexp.MustCompile(`^(\d{1,2}):([0-5]\d)(:[0-5]\d(?:\.\d+)?)?(?: ?([AaPp])[Mm])?$`)

// clockOf reads a time of day as hours since midnight.
func clockOf(cell string) (hours float64, ok bool) {
	parts := clocks.FindStringSubmatch(cell)
	if parts == nil {
		return 0, false
	}
	hour, _ := strconv.Atoi(parts[1])
	minutes, _ := strconv.Atoi(parts[2])
	seconds, _ := strconv.ParseFloat(strings.TrimPrefix(parts[3], ":"), 64) // 0 without seconds
	switch half := strings.ToLower(parts[4]); {
	case half != "" && (hour < 1 || hour > 12):
		return 0, false
	case half != "":
		hour = hour%12 + map[string]int{"a": 0, "p": 12}[half]
	case float64(60*(60*hour+minutes))+seconds > secondsPerDay:
		return 0, false
	}
	return float64(hour) + (float64(60*minutes)+seconds)/secondsPerHour, true
}

// clockText returns the time of day, to the second, of hours since midnight, and a number for others.
func clockText(hours float64) string {
	seconds := math.Round(hours * secondsPerHour)
	if !(seconds >= 0 && seconds <= secondsPerDay) {
		return strconv.FormatFloat(hours, 'g', -1, 64)
	}
	text := time.Unix(int64(seconds), 0).UTC().Format("15:04:05")
	if seconds == secondsPerDay {
		text = "24:00:00"
	}
	return strings.TrimSuffix(text, ":00")
}

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
