package predict

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
)

// WarnOfUnknown adds a line about the groups with targets of which no point is known, if there are groups of which some
// are: those of kept, the names of the training that the predictor knows, or others of the questions. Their names may be
// mistyped. outerOf returns the outer group of a group, "" for none: known points of a group help all others in it, so that
// one without targets is no slip.
func WarnOfUnknown(questions []points.Question, kept []string, outerOf func(name string) string, w *warning.Record) {
	var unknown, idle []string
	others, helped := len(kept) > 0, map[string]bool{}
	for _, q := range questions {
		none := q.Known.Len() == 0
		others = others || !none
		helped[outerOf(q.Name)] = helped[outerOf(q.Name)] || q.Targets.Len() > 0
		switch {
		case none && q.Name != "" && q.Targets.Len() > 0:
			unknown = append(unknown, q.Name)
		case !none && q.Targets.Len() == 0:
			idle = append(idle, q.Name)
		}
	}
	if unknown == nil || !others {
		return
	}
	idle = slices.DeleteFunc(idle, func(name string) bool { return outerOf(name) != "" && helped[outerOf(name)] })
	line := fmt.Sprintf("no known point of %s (%s)", invalid.Plural(len(unknown), "group", "groups"), invalid.First(unknown))
	if kept != nil {
		line += fmt.Sprintf(": none of the %d of the data has such a name%s", len(kept), NearestNames(unknown, append(idle, kept...)))
	}
	if len(idle) > 0 {
		line += "; of " + invalid.First(idle) + " there are points and no targets"
	}
	w.Add("%s", line)
}

// mostCompared bounds the names that NearestNames compares.
const mostCompared = 10_000

// NearestNames says which of the known names the first of some unknown ones may mean, "" if there is none near.
func NearestNames(unknown, known []string) string {
	if len(known) > mostCompared {
		return ""
	}
	var all []string
	for _, name := range unknown[:min(len(unknown), invalid.Shown)] {
		for _, other := range known {
			if other != name && near(name, other) {
				all = append(all, name+" is near "+other)
				break
			}
		}
	}
	if all == nil {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}

// near reports whether a name may be another one, mistyped: numbers of one value, and other names with the same digits
// and few other letters. Of joined names, such as 3/b, both parts must be: class b of school 3 is not class a.
func near(a, b string) bool {
	outer, inner, joined := strings.Cut(a, "/")
	if otherOuter, otherInner, both := strings.Cut(b, "/"); joined && both {
		return near(outer, otherOuter) && near(inner, otherInner)
	}
	x, number := tabular.ParseNumber(a)
	if y, other := tabular.ParseNumber(b); number && other {
		return x == y
	}
	a, b = strings.ToLower(a), strings.ToLower(b)
	least := min(len(a), len(b))
	most := max(min(2, least/2), least/4)
	return max(len(a), len(b))-least <= most && invalid.Distance(a, b) <= most && digitsOf(a) == digitsOf(b)
}

// digitsOf returns the digits of a name.
func digitsOf(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, name)
}
