package serve

import (
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/run"
)

// unseen keeps the names of a request that the training did not have, by column of x. They are numbered
// after the known ones, so that different names stay different, as in a file.
type unseen map[int]*newNames

type newNames struct {
	all []string
	at  map[string]int
}

// number returns the raw number of a cell of column c of x, or what is expected.
func (u unseen) number(c int, value cell, f rows.Form) (v float64, expected string) {
	v, expected = value.number(f)
	if known := len(f.Categories); expected == "" && known > 0 && v >= float64(known) {
		if u[c] == nil {
			u[c] = &newNames{at: map[string]int{}}
		}
		name := rows.Name(value.name())
		i, found := u[c].at[name]
		if !found {
			i = len(u[c].all)
			u[c].all, u[c].at[name] = append(u[c].all, name), i
		}
		v = float64(known + i)
	}
	return v, expected
}

// text returns the text of a raw number of column c of x.
func (u unseen) text(units run.Units) func(c int, v float64) string {
	return func(c int, v float64) string {
		f := rows.FormAt(units.Scaling.XForms, c)
		if i := int(v) - len(f.Categories); f.Categories != nil && i >= 0 && u[c] != nil && i < len(u[c].all) {
			return u[c].all[i]
		}
		return f.Text(v)
	}
}
