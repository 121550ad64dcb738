package simple

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/test/must"
)

// The covariance of a mixed model's context, with classes beside, is the same by its root as it is in full. Both are
// float64, and noises of 0.1 to 0.3 beside deviations of about 1 lose three digits.
func TestLowRankIsTheFullCovariance(t *testing.T) {
	groups := schools(6, 4, 12)
	m := must.Get(FitMixed(groups))(t).(*Mixed)
	context := m.Units.group(groups[0].WithSiblings([]points.Points{groups[1].Points, groups[2].Points, groups[3].Points}, MostOfOuter))
	low, isLow := covarianceOf(m, context)().(*ofLowRank)
	if !isLow {
		t.Fatalf("%d points, and the covariance is taken in full", context.Len())
	}
	full := &ofFullRank{prior: symmetric(covariancesOf(m, context, context))}
	noise, a := make([]float64, context.Len()), mat.NewDense(context.Len(), 2, nil)
	for i := range noise {
		noise[i] = 0.01 * float64(1+i%9)
		a.SetRow(i, []float64{math.Sin(float64(i)), 1})
	}
	if !low.factorise(noise) || !full.factorise(noise) {
		t.Fatal("a covariance is singular")
	}
	if d := low.logDet() - full.logDet(); math.Abs(d) > 1e-9*float64(len(noise)) {
		t.Errorf("logarithms of determinants differ by %g", d)
	}
	got, want := low.inverseTimes(a), full.inverseTimes(a)
	own, all := low.inverseDiagonal(), full.inverseDiagonal()
	for i := range noise {
		if d := mat.Norm(got.RowView(i), 2) - mat.Norm(want.RowView(i), 2); math.Abs(d) > 1e-8*mat.Norm(want, 2) {
			t.Errorf("row %d of a solution differs by %g", i, d)
		}
		if math.Abs(own[i]-all[i]) > 1e-9*all[i] {
			t.Errorf("diagonal %d: %.12g and %.12g", i, own[i], all[i])
		}
	}
}
