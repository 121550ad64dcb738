package score

import (
	"fmt"
	"math"
)

// Estimate is a mean and its standard error. StdError is nil if there is only one value.
type Estimate struct {
	Mean     float64  `json:"mean"`
	StdError *float64 `json:"std_error"`
}

// String returns "mean ± standard error", or the mean alone.
func (e Estimate) String() string {
	if e.StdError == nil {
		return fmt.Sprintf("%.4f", e.Mean)
	}
	return fmt.Sprintf("%.4f ± %.4f", e.Mean, *e.StdError)
}

// A cluster is a sum of values that belong together, and their number.
type cluster struct{ sum, n float64 }

// estimate returns the mean of all values and its standard error, for clusters that are independent
// of one another: √(Σ (sum − n·mean)² · C/(C−1)) over the number of values.
func estimate(clusters []cluster) Estimate {
	var all cluster
	for _, c := range clusters {
		all.sum, all.n = all.sum+c.sum, all.n+c.n
	}
	mean, squares, count := all.sum/all.n, 0.0, float64(len(clusters))
	if count < 2 {
		return Estimate{Mean: mean}
	}
	for _, c := range clusters {
		d := c.sum - c.n*mean
		squares += d * d
	}
	stdError := math.Sqrt(squares*count/(count-1)) / all.n
	return Estimate{mean, &stdError}
}

// A running holds the mean and the squared deviations of values that come one by one (Welford).
type running struct{ n, mean, squares float64 }

func (r *running) add(v float64) {
	r.n++
	d := v - r.mean
	r.mean += d / r.n
	r.squares += d * (v - r.mean)
}

func (r running) estimate() Estimate {
	if r.n < 2 {
		return Estimate{Mean: r.mean}
	}
	stdError := math.Sqrt(r.squares / (r.n - 1) / r.n)
	return Estimate{r.mean, &stdError}
}
