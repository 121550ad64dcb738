package file

import (
	"github.com/acqnp/acqnp/internal/likelihood"
)

// Together says how the columns of y vary together where a number of points of the group is known: by the levels of the
// data in predictions of models that were not fitted to them.
type Together struct {
	From int `json:"from"` // the fewest known points that it is for; the next one begins where it ends
	*likelihood.Copula
}

// Copula returns how the columns of y vary together with a number of known points, nil if they are independent.
func (f *Fit) Copula(known int) *likelihood.Copula {
	if f.Together == nil {
		return nil
	}
	i := len(f.Together) - 1
	for i > 0 && f.Together[i].From > known {
		i--
	}
	return f.Together[i].Copula
}
