package rows

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/files/tabular"
)

// A Form says what the cells of a column are and what becomes of them before they are scaled. The
// zero value is a column of plain numbers.
type Form struct {
	// Log says that the model sees the natural logarithm of the numbers.
	Log bool
	// Shift is added before the logarithm is taken: the least positive number of the training part
	// if the column has a 0, which only columns of x may have; otherwise 0.
	Shift float64
	// Categories are the names in a column of names, in the order of their one-hot columns. The raw
	// number of a name is its index. Any other number stands for an unknown name, whose one-hot
	// columns are all 0. nil means that the column holds numbers or dates.
	Categories []string
	// Origin is the day from which dates are counted, as 2024-03-01. The raw number of a date is
	// the number of days since then. "" means that the column holds no dates.
	Origin string
	// Format says how numbers, dates or names are written: Percent for 12%, whose raw number is 12; Clock
	// for 13:30, which is 13.5; MonthFirst or DayFirst for dates such as 3/14/2026; Boolean for names that
	// are true and false, or yes and no, in any spelling.
	Format string `json:",omitempty"`

	OfFit
}

// OfFit is what the formula of acqnp fit says of a column of x beside its [Form]. Networks that are trained have no
// such columns.
type OfFit struct {
	// Periods are those after which a number comes round. A model sees the sine and the cosine of its place in
	// each and, with Trend, the number, or its logarithm, beside them.
	Periods []float64 `json:",omitempty"`
	Trend   bool      `json:",omitempty"`
	// Gaps says that a missing cell is a value, the raw number NaN.
	Gaps bool `json:",omitempty"`
	// Offset says that y grows with the column or, with Log, in proportion to it. OffsetOnly says that models do
	// not see it beside that.
	Offset     bool `json:",omitempty"`
	OffsetOnly bool `json:",omitempty"`
	// Crossed says of names that a model sees one number for each, which a stack knows: see stack.Coding.
	Crossed bool `json:",omitempty"`
	// AsLeast says of a column of y with Log that a number of 0 or less counts as the least of the data.
	AsLeast bool `json:"-"`
}

// Width returns the number of columns that the model sees.
func (f Form) Width() int {
	switch {
	case f.OffsetOnly:
		return 0
	case f.Crossed:
		return 1
	case f.Categories != nil:
		return len(f.Categories)
	case f.Periods != nil && f.Trend:
		return 1 + 2*len(f.Periods)
	case f.Periods != nil:
		return 2 * len(f.Periods)
	}
	return 1
}

// Takes reports whether the model can see the number v, or its logarithm.
func (f Form) Takes(v float64) bool { return !f.Log || f.AsLeast || v > 0 || v == 0 && f.Shift > 0 }

// Transform returns what is scaled: the logarithm of v, or v.
func (f Form) Transform(v float64) float64 {
	if f.Log {
		return math.Log(v + f.Shift)
	}
	return v
}

// Restore returns the raw value of a number that Transform returned.
func (f Form) Restore(v float64) float64 {
	if f.Log {
		return math.Exp(v) - f.Shift
	}
	return v
}

// AppendModel appends what the model sees of the raw number v to dst.
func (f Form) AppendModel(dst []float32, v, offset, scale float64) []float32 {
	if f.Categories == nil {
		return append(dst, float32((f.Transform(v)-offset)/scale))
	}
	return appendOneHot(dst, v, len(f.Categories))
}

// AppendNumbers appends what a model sees of the raw number v, before any scaling, to dst: the number,
// its logarithm, its place in its periods, a 1 in the column of a name, or the number of a crossed name. Of a missing cell
// all are NaN.
func (f Form) AppendNumbers(dst []float64, v float64) []float64 {
	if math.IsNaN(v) {
		return append(dst, slices.Repeat([]float64{v}, f.Width())...)
	}
	if f.OffsetOnly {
		return dst
	}
	if f.Crossed {
		return append(dst, v)
	}
	if f.Categories != nil {
		return appendOneHot(dst, v, len(f.Categories))
	}
	if f.Periods == nil || f.Trend {
		dst = append(dst, f.Transform(v))
	}
	for _, period := range f.Periods {
		sine, cosine := math.Sincos(2 * math.Pi * math.Mod(v, period) / period)
		dst = append(dst, sine, cosine)
	}
	return dst
}

// appendOneHot appends a column for each of n names, 1 for the name v.
func appendOneHot[T float32 | float64](dst []T, v float64, n int) []T {
	at := len(dst)
	dst = append(dst, make([]T, n)...)
	if i := int(v); v == float64(i) && 0 <= i && i < n {
		dst[at+i] = 1
	}
	return dst
}

// Raw returns the raw number of what the model sees. One-hot columns without a 1 are an unknown
// name.
func (f Form) Raw(model []float64, offset, scale float64) float64 {
	if f.Categories == nil {
		return f.Restore(offset + model[0]*scale)
	}
	for k, v := range model {
		if v == 1 {
			return float64(k)
		}
	}
	return float64(len(f.Categories))
}

// Text returns the text of a raw number, as it stands in CSV files: a name, a date or the shortest
// text that reads back as the number. That of a missing cell is empty.
func (f Form) Text(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	if f.Categories != nil && v >= 0 && v < float64(len(f.Categories)) {
		return f.Categories[int(v)]
	}
	if origin, ok := dateOf(f.Origin); ok {
		return dateText(origin, v)
	}
	switch f.Format {
	case Clock:
		return clockText(v)
	case Percent:
		return numberText(v) + "%"
	}
	return numberText(v)
}

// OfTwoNames says what the numbers of a column of y with two names mean, "" for other columns.
func (f Form) OfTwoNames(y string) string {
	if len(f.Categories) != 2 {
		return ""
	}
	return fmt.Sprintf("%s: the name %s is 0 and %s is 1, so the mean is the probability of %s", y, f.Categories[0], f.Categories[1], f.Categories[1])
}

// numberText returns the shortest text that reads back as a number, without an exponent below 1e15.
func numberText(v float64) string {
	if size := math.Abs(v); 1 <= size && size < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Number returns the raw number of a text, which is a name, a date or a number as in a cell of a CSV
// file. A name that training has not seen is an unknown name. ok is false for other texts, and for a
// number that the model cannot see.
func (f Form) Number(text string) (v float64, ok bool) {
	if f.Categories != nil {
		if f.Format == Boolean && isBool(text) {
			text = strings.ToLower(text)
		}
		text = Name(text)
		i := slices.Index(f.Categories, text)
		if i < 0 { // an older model may have another spelling
			i = slices.IndexFunc(f.Categories, func(name string) bool { return Name(name) == text })
		}
		if i < 0 {
			i = len(f.Categories)
		}
		return float64(i), text != ""
	}
	if origin, dated := dateOf(f.Origin); dated {
		days, isDate := dateOf(text)
		if !isDate {
			days, isDate = slashDate(text, f.Format)
		}
		return days - origin, isDate && f.Takes(days-origin)
	}
	if f.Format == Clock {
		if v, ok = clockOf(text); ok {
			return v, true
		}
	}
	if f.Format == Percent {
		text = strings.TrimSuffix(text, "%")
	}
	v, ok = tabular.ParseNumber(text)
	return v, ok && v-v == 0 && f.Takes(v)
}

// Used returns the form with those of its names that some raw numbers stand for, in the order of the alphabet, and the
// number in it of each name of f; a name without any is an unknown one.
func (f Form) Used(some []float64) (used Form, numbers []float64) {
	seen := make([]bool, len(f.Categories))
	for _, v := range some {
		if v == v { // not missing
			seen[int(v)] = true
		}
	}
	used, used.Categories = f, nil
	for i, name := range f.Categories {
		if seen[i] {
			used.Categories = append(used.Categories, name)
		}
	}
	slices.Sort(used.Categories)
	for _, name := range f.Categories {
		i, known := slices.BinarySearch(used.Categories, name)
		if !known {
			i = len(used.Categories)
		}
		numbers = append(numbers, float64(i))
	}
	return used, numbers
}

// equal reports whether two forms are the same.
func (f Form) equal(g Form) bool {
	return f.Log == g.Log && f.Shift == g.Shift && f.Origin == g.Origin && f.Format == g.Format && slices.Equal(f.Categories, g.Categories) &&
		f.OfFit.equal(g.OfFit)
}

func (f OfFit) equal(g OfFit) bool {
	return slices.Equal(f.Periods, g.Periods) && f.Trend == g.Trend && f.Gaps == g.Gaps && f.Offset == g.Offset && f.OffsetOnly == g.OffsetOnly && f.Crossed == g.Crossed && f.AsLeast == g.AsLeast
}

// SameForms reports whether two lists of forms are equal. nil is a list of plain numbers.
func SameForms(a, b []Form) bool {
	for i := range max(len(a), len(b)) {
		if !FormAt(a, i).equal(FormAt(b, i)) {
			return false
		}
	}
	return true
}

// Check returns an error for a form that no training writes.
func (f Form) Check() error {
	if _, ok := dateOf(f.Origin); f.Origin != "" && !ok {
		return fmt.Errorf("dates since %q", f.Origin)
	}
	fits, known := map[string]bool{"": true, Percent: f.Origin == "" && f.Categories == nil, Clock: f.Origin == "" && f.Categories == nil,
		MonthFirst: f.Origin != "", DayFirst: f.Origin != "", Boolean: f.Categories != nil}[f.Format]
	if !known || !fits {
		return fmt.Errorf("the format %q", f.Format)
	}
	if f.Categories != nil && (f.Log || f.Origin != "") || f.Log && f.Origin != "" {
		return errors.New("two meanings: categories, dates or a logarithm")
	}
	if slices.ContainsFunc(f.Periods, func(p float64) bool { return !(p > 0 && p <= math.MaxFloat32) }) || f.Periods != nil && f.Categories != nil || f.Trend && f.Periods == nil {
		return fmt.Errorf("the periods %v", f.Periods)
	}
	if f.Offset && (f.Categories != nil || f.Periods != nil || f.Gaps) || f.OffsetOnly && !f.Offset {
		return errors.New("an offset that is no number")
	}
	if f.Crossed && (f.Categories == nil || f.Gaps) {
		return errors.New("crossed cells that are no names")
	}
	if !(f.Shift >= 0 && f.Shift <= math.MaxFloat64) || f.Shift > 0 && !f.Log {
		return fmt.Errorf("a shift of %v", f.Shift)
	}
	return nil
}

// FormAt returns form i of a list such as the XForms of a [datasets.Scaling], which is nil if all columns are plain
// numbers.
func FormAt(forms []Form, i int) Form {
	if i < len(forms) {
		return forms[i]
	}
	return Form{}
}
