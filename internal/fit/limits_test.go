package fit_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/fit"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/random"
)

// poisson draws a Poisson count by the quantile of a uniform number.
func poisson(mean, level float64) (y float64) {
	for p := math.Exp(-mean); level > p; p *= mean / y {
		level -= p
		y++
	}
	return y
}

// Where counts below 5 are only known to be that, 5 repeats itself at the end of the others and is no bound: below it are the
// limits, of which a bound would leave nothing. The line on limits names the count model, which sees guesses.
func TestLimitsBelowTheLeastCount(t *testing.T) {
	t.Parallel()
	g := random.New(3, random.Data)
	var rows []string
	for k := range uint64(40) {
		mean := 9 * math.Exp(0.3*g.Normal(k, 0))
		for i := range uint64(6) {
			cell := "<5"
			if y := poisson(mean, g.Float(k, 10+i)); y >= 5 {
				cell = fmt.Sprint(y)
			}
			rows = append(rows, fmt.Sprintf("g%d,%v,%s", k, g.Float(k, 20+i), cell))
		}
	}
	var w warning.Record
	f := fitRows(t, fit.Options{Instant: true, Warnings: &w}, "g,x,y", "y ~ x | g", rows)
	if low := f.Stacks[0].Outcome.Low; low == nil || *low != 0 {
		t.Errorf("found the values %v, want counts from 0", f.Stacks[0].Outcome)
	}
	if lines := strings.Join(w.Lines(), "\n"); !strings.Contains(lines, "guesses stand for known ones in count model") {
		t.Errorf("found the lines %q, want one that names the count model", lines)
	}
}
