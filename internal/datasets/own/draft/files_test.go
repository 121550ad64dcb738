package draft_test

import (
	"fmt"
	"math"
	"strings"
)

// A file is an awkward file, and what init says of it.
type file struct {
	name    string
	text    string
	group   string   // --group
	x, y    []string // x and y if nil
	refuses string   // part of the message; "" if the file is read
	holds   string   // part of the configuration
	says    string   // part of what is printed
}

// table returns a file of groups f0, f1, … rows has their numbers of rows.
func table(header, separator string, rows []int, row func(f, i int) []string) string {
	var b strings.Builder
	b.WriteString(header + "\n")
	for f, n := range rows {
		for i := range n {
			b.WriteString(strings.Join(row(f, i), separator) + "\n")
		}
	}
	return b.String()
}

// curve returns a row with the name of the group, x and y.
func curve(f, i int) []string {
	return []string{fmt.Sprintf("f%d", f), fmt.Sprint(i), fmt.Sprintf("%.3f", math.Sin(float64(i+f))+float64(f%3))}
}

// with returns curve's row with another cell at the given place.
func with(place int, cell func(f, i int) string) func(f, i int) []string {
	return func(f, i int) []string {
		row := curve(f, i)
		row[place] = cell(f, i)
		return row
	}
}

// also returns curve's row and a cell after it.
func also(cell func(f, i int) string) func(f, i int) []string {
	return func(f, i int) []string { return append(curve(f, i), cell(f, i)) }
}

func repeat(n, count int) []int {
	all := make([]int, count)
	for i := range all {
		all[i] = n
	}
	return all
}

// decimalComma returns curve's row with decimal commas.
func decimalComma(f, i int) []string {
	row := curve(f, i)
	row[2] = strings.Replace(row[2], ".", ",", 1)
	return row
}

var awkward = []file{
	{name: "one group", text: table("g,x,y", ",", repeat(60, 1), curve), holds: "split: point"},
	{name: "one group, named", text: table("g,x,y", ",", repeat(60, 1), curve), group: "g", holds: "split: point"},
	{name: "three groups", text: table("g,x,y", ",", repeat(9, 3), curve), group: "g", holds: "split: point"},
	{name: "four short groups", text: table("g,x,y", ",", repeat(9, 4), curve), group: "g", holds: "split: group"},
	{name: "four long groups", text: table("g,x,y", ",", repeat(40, 4), curve), group: "g", holds: "split: point"},
	{name: "groups of 2 to 40 points", text: table("g,x,y", ",", []int{2, 3, 40, 9, 2, 5, 11, 1}, curve), group: "g", holds: "split: group"},
	{name: "one point each", text: table("g,x,y", ",", repeat(1, 30), with(1, func(f, i int) string { return fmt.Sprint(f) })), group: "g",
		refuses: "without --group, all rows are one group"},
	{name: "one point each, as one group", text: table("g,x,y", ",", repeat(1, 30), with(1, func(f, i int) string { return fmt.Sprint(f) })), holds: "split: point"},
	{name: "few rows", text: table("g,x,y", ",", repeat(3, 3), curve), group: "g", refuses: "9 rows without missing cells, expected at least 10"},
	{name: "a header alone", text: "g,x,y\n", refuses: "row"},
	{name: "an empty file", text: "", refuses: "header"},
	{name: "a constant x", text: table("g,x,y", ",", repeat(9, 9), with(1, func(f, i int) string { return "7" })), group: "g",
		refuses: "the same value in every row, expected values that differ (leave the column out)"},
	{name: "a constant y", text: table("g,x,y", ",", repeat(9, 9), with(2, func(f, i int) string { return "7" })), group: "g", refuses: "(leave the column out)"},
	{name: "an empty column", text: table("g,x,y,z", ",", repeat(9, 9), also(func(f, i int) string { return "" })), group: "g", x: []string{"x", "z"},
		refuses: "a missing cell in every row"},
	{name: "a column twice", text: table("g,x,y", ",", repeat(9, 9), curve), group: "g", x: []string{"x", "y"}, refuses: "the column \"y\" twice"},
	{name: "two columns of one name", text: table("g,x,x,y", ",", repeat(9, 9), func(f, i int) []string { return append([]string{"f"}, curve(f, i)...) }), group: "g", refuses: "x"},
	{name: "a column that is not there", text: table("g,x,y", ",", repeat(9, 9), curve), group: "group", refuses: "group"},
	{name: "names that collide with output columns", text: table("group,target,value", ",", repeat(9, 9), curve), group: "group", x: []string{"target"}, y: []string{"value"},
		holds: "x: [target]"},
	{name: "names that YAML reads otherwise", text: table("no,null,#y: 1", ",", repeat(9, 9), curve), group: "no", x: []string{"null"}, y: []string{"#y: 1"}, holds: "split: group"},
	{name: "names of groups that are numbers", text: table("g,x,y", ",", repeat(9, 9), with(0, func(f, i int) string { return fmt.Sprint(f) })), group: "g", holds: "split: group"},
	{name: "5,000 groups", text: table("g,x,y", ",", repeat(3, 5000), curve), group: "g", holds: "valid_fraction: 0.02"},
	{name: "missing cells", text: table("g,x,y", ",", repeat(9, 9), with(2, func(f, i int) string { return []string{"", "NA", "1.5", "2", "0.3"}[(f+i)%5] })), group: "g",
		holds: "missing: drop", says: "numbers, 0.3 to 2; 32 missing"},
	{name: "a group without a complete row", text: table("g,x,y", ",", repeat(9, 9), with(2, func(f, i int) string { return map[bool]string{true: "NA", false: fmt.Sprint(i * f)}[f == 4] })), group: "g", holds: "missing: drop"},
	{name: "nothing but missing cells", text: table("g,x,y", ",", repeat(9, 9), with(2, func(f, i int) string { return "NA" })), group: "g", refuses: "a missing cell in every row"},
	{name: "categories of 200 values", text: table("g,x,y,city", ",", repeat(40, 10), also(func(f, i int) string { return fmt.Sprintf("city %d", (f*40+i)%200) })), group: "g", x: []string{"x", "city"},
		holds: "categories: [city]"},
	{name: "categories of 2,000 values", text: table("g,x,y,city", ",", repeat(40, 50), also(func(f, i int) string { return fmt.Sprintf("city %d", f*40+i) })), group: "g", x: []string{"x", "city"},
		refuses: "more than 1000 names"},
	{name: "a category of each group", text: table("g,x,y,sex", ",", repeat(9, 9), also(func(f, i int) string { return []string{"f", "m"}[f%2] })), group: "g", x: []string{"x", "sex"},
		holds: "categories: [sex]"},
	{name: "names as y", text: table("g,x,y", ",", repeat(9, 9), with(2, func(f, i int) string { return []string{"yes", "no"}[(f+i)%2] })), group: "g", refuses: "found names: no, yes, expected numbers in a column of y: code no and yes as 0 and 1"},
	{name: "dates", text: table("g,x,y", ",", repeat(9, 9), with(1, func(f, i int) string { return fmt.Sprintf("2024-03-%02d", i+1) })), group: "g", holds: "x: [x]"},
	{name: "times", text: table("g,x,y", ",", repeat(9, 9), with(1, func(f, i int) string { return fmt.Sprintf("2024-03-01 %02d:30", i+1) })), group: "g", holds: "x: [x]"},
	{name: "dates with points", text: table("g;x;y", ";", repeat(9, 9), func(f, i int) []string {
		row := decimalComma(f, i)
		row[1] = fmt.Sprintf("%d.3.2024", i+1)
		return row
	}), group: "g", holds: "x: [x]", says: "dates, 2024-03-01 to 2024-03-09, as days since the first"},
	{name: "dates as Americans write them", text: table("g,x,y", ",", repeat(9, 9), with(1, func(f, i int) string { return fmt.Sprintf("3/%d/2024 1:05 PM", 2*i+1) })), group: "g",
		holds: "x: [x]", says: "dates (month/day/year), 2024-03-01T13:05:00Z to 2024-03-17T13:05:00Z, as days since the first"},
	{name: "percentages", text: table("g,x,y", ",", repeat(9, 9), with(1, func(f, i int) string { return fmt.Sprintf("%d.5%%", i) })), group: "g", says: "percentages, 0.5% to 8.5%"},
	{name: "times of day", text: table("g,x,y", ",", repeat(9, 9), with(1, func(f, i int) string { return fmt.Sprintf("%d:30", i+6) })), group: "g", says: "times of day, 06:30 to 14:30, as hours"},
	{name: "a BOM", text: "\ufeff" + table("g,x,y", ",", repeat(9, 9), curve), group: "g", holds: "group: g"},
	{name: "semicolons", text: table("g;x;y", ";", repeat(9, 9), curve), group: "g", holds: "group: g"},
	{name: "tabs", text: table("g\tx\ty", "\t", repeat(9, 9), curve), group: "g", holds: "group: g"},
	{name: "decimal commas", text: table("g;x;y", ";", repeat(9, 9), decimalComma), group: "g", holds: "group: g"},
	{name: "decimal commas between commas", text: table("g,x,y", ",", repeat(9, 9), func(f, i int) []string {
		row := decimalComma(f, i)
		row[2] = `"` + row[2] + `"`
		return row
	}), group: "g", refuses: "decimal commas need semicolons between the columns"},
	{name: "Windows' line ends", text: strings.ReplaceAll(table("g,x,y", ",", repeat(9, 9), curve), "\n", "\r\n"), group: "g", holds: "group: g"},
	{name: "times from 0", text: table("g,x,y", ",", repeat(9, 9), with(1, func(f, i int) string { return fmt.Sprintf("%g", float64(i*i*i)/4) })), group: "g", holds: "log: [x]"},
	{name: "a skewed y", text: table("g,x,y", ",", repeat(9, 9), with(2, func(f, i int) string { return fmt.Sprintf("%.4f", math.Exp(math.Sin(float64(i*i+f))*3)) })), group: "g", holds: `log: ["y"]`},
	{name: "a line with too few cells", text: table("g,x,y", ",", repeat(9, 9), curve) + "f1,2\n", group: "g", refuses: "83"},
}
