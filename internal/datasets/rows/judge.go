package rows

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/invalid"
)

// A judge decides what a column of a file holds, from all its cells. It is the only one: a column is the same
// for acqnp fit, for acqnp init and for training.
type judge struct {
	found    [kinds]found
	nearly   found  // names that are nearly numbers
	limits   int    // names such as <50 and >200
	limited  extent // of these
	extent          // of numbers, dates and times of day
	low      end
	high     end
	stamps   found // numbers such as 20240301
	days     [len(dayFormats)]dayFormat
	spread   spread
	values   map[string]bool // different cells
	missing  int
	decimals decimals
}

// found are the cells of a kind.
type found struct {
	count       int
	place, cell string // of the first
	wants       string // what it should be, if it is wrong
}

// dayFormats are the formats that a date such as 3/4/2026 can have.
var dayFormats = [2]string{MonthFirst, DayFirst}

// A dayFormat are the dates of slashKind, read in one format.
type dayFormat struct {
	extent
	odd found // those that are no dates in this format
}

// An extent is the least and the largest of some numbers.
type extent struct {
	least, most float64
	any         bool
}

func (s *extent) add(v float64) {
	if !s.any {
		*s = extent{v, v, true}
	}
	s.least, s.most = min(s.least, v), max(s.most, v)
}

// and returns the extent of the numbers of both.
func (s extent) and(o extent) extent {
	if o.any {
		s.add(o.least)
		s.add(o.most)
	}
	return s
}

// add adds the cell of a column in the current row of t.
func (j *judge) add(t *table, column int) {
	cell := t.cell(column)
	if isMissing(cell) {
		j.missing++
		return
	}
	if len(j.values) <= MaxDistinct {
		j.value(t.name(column))
	}
	t.decimals = j.decimals
	m := t.meaning(column)
	if m.kind == nameKind {
		if v, side := t.limit(column); side != 0 {
			j.limits++
			j.limited.add(v)
		}
	}
	j.decimals = t.decimals
	j.found[m.kind].add(t, column, m.wants)
	if m.kind == nameKind && j.nearly.count == 0 {
		if wants := nearly(cell); wants != "" {
			j.nearly.add(t, column, wants)
		}
	}
	switch m.kind {
	case numberKind, percentKind:
		j.spread.add(m.value)
		j.extent.add(m.value)
		j.low.add(t, column, m.value, -1)
		j.high.add(t, column, m.value, 1)
		if date, is := stampOf(m.value); is {
			j.stamps.add(t, column, date)
		}
	case clockKind, dateKind:
		j.extent.add(m.value)
	case slashKind:
		for i, format := range dayFormats {
			if days, ok := slashDate(cell, format); ok {
				j.days[i].add(days)
			} else {
				j.days[i].odd.add(t, column, "a date, "+format)
			}
		}
	}
}

// value keeps a name as one of the different cells.
func (j *judge) value(name string) {
	name = name[:min(len(name), longestValue+1)]
	if j.values[name] {
		return
	}
	if j.values == nil {
		j.values = map[string]bool{}
	}
	j.values[strings.Clone(name)] = true
}

func (f *found) add(t *table, column int, wants string) {
	if f.count++; f.count == 1 {
		cell := t.cell(column)
		*f = found{1, t.place(column), strings.Clone(cell[:min(len(cell), longestValue)]), wants}
	}
}

// A spread holds the number, the mean and the sums of squared and cubed deviations of numbers that
// are seen one by one.
type spread struct{ n, mean, squares, cubes float64 }

// add adds a number.
func (m *spread) add(v float64) {
	n := m.n + 1
	d := (v - m.mean) / n
	m.cubes += d*d*d*m.n*(n-2)*n - 3*d*m.squares
	m.squares += d * d * m.n * n
	m.mean += d
	m.n = n
}

// skew returns the skewness, 0 for numbers that are alike or too far apart to say.
func (m *spread) skew() float64 {
	skew := math.Sqrt(m.n) * m.cubes / math.Pow(m.squares, 1.5)
	if math.IsNaN(skew) || math.IsInf(skew, 0) {
		return 0
	}
	return skew
}

// column returns the column. It leaves PerGroup to the caller.
func (j *judge) column(name string) Column {
	c := Column{Name: name, Missing: j.missing, Distinct: len(j.values), Skew: j.spread.skew()}
	if c.Distinct <= MaxDistinct {
		c.Values = slices.Sorted(maps.Keys(j.values))
	}
	j.settle(&c)
	if c.Likely = j.most(); c.Kind == DateColumn {
		c.Likely = dateKind
	}
	if c.Kind == NameColumn && c.Format == Boolean {
		for i, v := range c.Values {
			c.Values[i] = strings.ToLower(v)
		}
		slices.Sort(c.Values)
		c.Values = slices.Compact(c.Values)
		c.Distinct = len(c.Values)
	}
	return c
}

// settle decides between the kinds that a column's cells have.
func (j *judge) settle(c *Column) {
	var seen []kind
	for k, f := range j.found {
		if f.count > 0 {
			seen = append(seen, kind(k))
		}
	}
	only := func(some ...kind) bool {
		return !slices.ContainsFunc(seen, func(k kind) bool { return !slices.Contains(some, k) })
	}
	c.Least, c.Most = j.extent.least, j.extent.most
	if j.limits > 0 && only(numberKind, nameKind) && j.limits == j.found[nameKind].count && j.found[numberKind].count > 0 {
		all := j.extent.and(j.limited)
		c.Limited = &Column{Name: c.Name, Kind: NumberColumn, Missing: c.Missing, Distinct: c.Distinct, Values: c.Values, Skew: c.Skew, Least: all.least, Most: all.most}
	}
	switch {
	case len(seen) == 0:
		c.Kind = EmptyColumn
	case only(numberKind):
		c.Kind = NumberColumn
		c.Codes = codesOf(c.Name, j.low, j.high, j.found[numberKind].count, c.Distinct)
		if j.stamps.count == j.found[numberKind].count {
			c.Stamps = fmt.Sprintf("%s: %s has %s, all its numbers look like dates yyyymmdd, and it takes them for numbers: write %s for a date", j.stamps.place, c.Name, j.stamps.cell, j.stamps.wants)
		}
	case only(percentKind):
		c.Kind, c.Format = NumberColumn, Percent
	case only(clockKind):
		c.Kind, c.Format = TimeColumn, Clock
	case only(boolKind):
		c.Kind, c.Format = NameColumn, Boolean
	case only(boolKind, nameKind), only(boolKind, nameKind, wrongKind) && j.found[nameKind].count > 0:
		c.Kind = NameColumn
		c.is(j.nearly)
	case only(dateKind):
		c.Kind = DateColumn
	case only(dateKind, slashKind):
		j.settleDays(c)
	default:
		j.mixed(c, seen)
	}
}

// settleDays decides which number of dates such as 3/14/2026 is the day.
func (j *judge) settleDays(c *Column) {
	month, day := j.days[0].odd, j.days[1].odd
	c.Kind = DateColumn
	for i, format := range dayFormats {
		if other := j.days[1-i].odd; j.days[i].odd.count == 0 && other.count > 0 {
			all := j.extent.and(j.days[i].extent)
			c.Format, c.Least, c.Most = format, all.least, all.most
			return
		}
	}
	c.Kind = MixedColumn
	if month.count == 0 { // nor is there one of day
		first := j.found[slashKind]
		c.Odd, c.OddCell = first.place, first.cell
		c.Wants = "a date of which it is clear which number is the day, such as 2024-03-01 or 1.3.2024 (no cell of the column has a day above 12)"
		return
	}
	odd := month
	if day.count < month.count {
		odd = day
	}
	odd.wants += ", as in other cells of the column"
	c.is(odd)
}

// is sets the cell for which the column is mixed, or nearly one of numbers.
func (c *Column) is(odd found) { c.Odd, c.OddCell, c.Wants = odd.place, odd.cell, odd.wants }

// most returns the most frequent kind, unknownKind without cells.
func (j *judge) most() (most kind) {
	for k := range j.found {
		if j.found[k].count > j.found[most].count {
			most = kind(k)
		}
	}
	return most
}

// mixed describes a column with cells of several kinds, by the first cell of the rarest.
func (j *judge) mixed(c *Column, seen []kind) {
	c.Kind, c.Least, c.Most = MixedColumn, 0, 0
	rarest, most := seen[0], j.most()
	for _, k := range seen {
		if j.found[k].count <= j.found[rarest].count {
			rarest = k
		}
	}
	if f := j.found[wrongKind]; f.count > 0 {
		c.is(f)
		return
	}
	if j.nearly.count > 0 && (j.found[numberKind].count > 0 || j.found[clockKind].count > 0) {
		c.is(j.nearly)
		return
	}
	f := j.found[rarest]
	total := 0
	for _, other := range j.found {
		total += other.count
	}
	c.Odd, c.OddCell = f.place, f.cell
	c.Wants = fmt.Sprintf("%s, as in %d of %d cells (%s)", kindWords[most], j.found[most].count, total, missingCells)
}

// WithLimits returns the column as one of y of a fit, whose cells may be limits such as <50 beside numbers: then it is one of
// numbers.
func (c Column) WithLimits() Column {
	if c.Limited == nil {
		return c
	}
	perGroup := c.PerGroup
	c = *c.Limited
	c.PerGroup = perGroup
	return c
}

// Form returns what becomes of a column of x or y of a file. It refuses a column that cannot be used: the
// error is an *invalid.Input with the cell or the reason, and the remedy.
func (c Column) Form(file string, y bool) (f Form, err error) {
	refuse := func(found, expected string) (Form, error) {
		return f, &invalid.Input{File: file, Key: c.Name, Found: found, Expected: expected}
	}
	switch {
	case c.Kind == EmptyColumn:
		return refuse("no value in any row", "values (leave the column out)")
	case c.Kind == MixedColumn, c.Kind == NameColumn && y && c.OddCell != "":
		return f, c.RefuseOdd()
	case c.Constant():
		return refuse("the same value in every row", "values that differ (leave the column out)")
	case c.Kind == NameColumn && y:
		expected := "numbers in a column of y"
		if c.Distinct == 2 {
			expected += ": code " + strings.Join(c.Values, " and ") + " as 0 and 1"
		}
		return refuse(strings.TrimSuffix("names: "+invalid.First(c.Values), ": "), expected)
	case c.Kind == NameColumn:
		return c.Names(file)
	case c.Kind == DateColumn:
		f.Origin, _ = c.Span()
	}
	f.Format = c.Format
	return f, nil
}

// RefuseOdd returns the error about the cell Odd.
func (c Column) RefuseOdd() error {
	return &invalid.Input{File: c.Odd, Key: c.Name, Found: quote(c.OddCell, 40), Expected: c.Wants}
}

// Names returns the form of a column whose cells are names, also if they look like numbers. It refuses names that a
// Scan does not keep.
func (c Column) Names(file string) (f Form, err error) {
	refuse := func(found, expected string) (Form, error) {
		return f, &invalid.Input{File: file, Key: c.Name, Found: found, Expected: expected}
	}
	if c.Distinct > MaxDistinct {
		return refuse(fmt.Sprintf("more than %d names", MaxDistinct), "fewer (leave the column out, or make its names the groups)")
	}
	for _, name := range c.Values {
		if len(name) > longestValue {
			return refuse(quote(name, 40)+", a name of more than "+invalid.Plural(longestValue, "byte", "bytes"), "shorter names (leave the column out)")
		}
	}
	f.Categories = c.Values
	if c.Kind == NameColumn {
		f.Format = c.Format
	}
	return f, nil
}

// What says in a few words what the cells of a column are.
func (c Column) What() string {
	least, most := c.Span()
	switch {
	case c.Kind == EmptyColumn:
		return "all missing"
	case c.Limited != nil:
		return c.WithLimits().What() + ", and limits such as " + c.OddCell
	case c.Kind == MixedColumn:
		return "cells of several kinds: " + quote(c.OddCell, 40) + " in " + c.Odd
	case c.Format == Percent:
		return fmt.Sprintf("percentages, %s to %s", least, most)
	case c.Kind == NumberColumn:
		return fmt.Sprintf("numbers, %s to %s", least, most)
	case c.Kind == TimeColumn:
		return fmt.Sprintf("times of day, %s to %s", least, most)
	case c.Format != "" && c.Kind == DateColumn:
		return fmt.Sprintf("dates (%s), %s to %s", c.Format, least, most)
	case c.Kind == DateColumn:
		return fmt.Sprintf("dates, %s to %s", least, most)
	case c.Distinct > MaxDistinct:
		return fmt.Sprintf("more than %d names", MaxDistinct)
	}
	return invalid.Plural(c.Distinct, "name", "names") + ": " + invalid.First(c.Values)
}
