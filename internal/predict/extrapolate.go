package predict

import (
	"fmt"
	"strings"

	"github.com/acqnp/acqnp/internal/invalid"
)

// beyond is how far a target may lie outside the data's range before a warning: a share of its length.
const beyond = 0.05

// Extrapolation says in a line which targets lie outside the data, or have a name that the data lack:
// no model knows what is there. "" if none does.
func (f Fitted) Extrapolation(functions []Function) string {
	targets, outside := 0, make([]int, len(f.X))
	for _, fn := range functions {
		targets += len(fn.TargetX) / len(f.X)
		for i, v := range fn.TargetX {
			if c := i % len(f.X); f.unseen(c, v) {
				outside[c]++
			}
		}
	}
	var all []string
	for c, n := range outside {
		if n > 0 {
			all = append(all, fmt.Sprintf("%s of %d of %s is not among the data's%s", f.X[c], n, invalid.Plural(targets, "target", "targets"), f.seen(c)))
		}
	}
	if all == nil {
		return ""
	}
	return "predictions there extrapolate: " + strings.Join(all, "; ")
}

// unseen reports whether a value of column c is far outside the data, or a name that they lack.
func (f Fitted) unseen(c int, v float64) bool {
	if names := f.XForms[c].Categories; names != nil {
		return int(v) >= len(names)
	}
	see := func(v float64) float64 { return f.XForms[c].AppendNumbers(nil, v)[0] } // as models do: perhaps its logarithm
	low, high := see(f.Ranges[c].Low), see(f.Ranges[c].High)
	slack := beyond * (high - low)
	return see(v) < low-slack || see(v) > high+slack
}

// seen says what the data have in column c.
func (f Fitted) seen(c int) string {
	if f.XForms[c].Categories != nil {
		return " names"
	}
	return fmt.Sprintf(" %s to %s", f.XForms[c].Text(f.Ranges[c].Low), f.XForms[c].Text(f.Ranges[c].High))
}
