package simple

import (
	"math"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// AddFarTails adds the far tails of Student's t with 2 degrees of freedom to all that a model predicts:
// parts of 10, 1,000, … 10⁹ deviations. The weights are 0.0001 in all, and such that each part adds a
// hundredth to the variance. A value that no model foresees then has a log density of −20 to −70, and not
// of about minus its square. So it does not decide the weights of a mixture alone. AddFarTails is not for
// models of log y: the exponentials would have no useful mean.
func AddFarTails(m Model) {
	switch m := m.(type) {
	case *GP:
		m.Units.Far = true
	case *Mixed:
		m.Units.Far = true
	case *Regressions:
		m.Units.Far = true
	}
}

// farTails are the deviations of the far tails, in those of a mixture.
var farTails = []float64{10, 1e3, 1e5, 1e7, 1e9}

// withFarTails adds the far tails to a mixture of Gaussians with these logits.
func withFarTails(parts []likelihood.Gaussian, logs []float64) ([]likelihood.Gaussian, []float64) {
	total := likelihood.LogSumExp(logs)
	mean, variance := 0.0, 0.0
	for i, g := range parts {
		mean += math.Exp(logs[i]-total) * g.Mean
	}
	for i, g := range parts {
		variance += math.Exp(logs[i]-total) * (g.Scale*g.Scale + (g.Mean-mean)*(g.Mean-mean))
	}
	for _, far := range farTails {
		parts = append(parts, likelihood.Gaussian{Mean: mean, Scale: far * math.Sqrt(variance)})
		logs = append(logs, total+math.Log(0.01/(far*far)))
	}
	return parts, logs
}
