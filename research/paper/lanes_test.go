package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// The mean of a random quarter of each lane deviates as that of a sample without replacement does.
func TestSplitsDeviateAsSamplesDo(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const points = 1318
	lanes := [][]float64{make([]float64, points), make([]float64, points)}
	variance := 0.0
	held := math.Round(heldShare * points)
	for _, lane := range lanes {
		for i := range lane {
			lane[i] = random.ExpFloat64()
		}
		variance += stat.Variance(lane, nil) / held * (1 - held/points) / 4 // of half the sum of two means
	}
	mean := stat.Mean(slices.Concat(lanes[0], lanes[1]), nil)
	row := splitRow(lanes, "cnp")
	// Over 20,000 splits a mean is off by 0.007 deviations, a deviation by half a percent.
	if want := math.Sqrt(variance); math.Abs(row[0]-mean) > 0.03*want || math.Abs(row[1]-want) > 0.02*want {
		t.Errorf("%v, want the mean %.4f and the deviation %.4f", row, mean, want)
	}
}

// Points lie on one of the two values of their x, and on each about equally often.
func TestPointsLieOnTheCurves(t *testing.T) {
	for name, draw := range processes {
		random := rand.New(rand.NewPCG(3, 4))
		first := 0
		for range 200 {
			c := draw(random)
			for range 10 {
				x, y := c.draw(random)
				a, b := c.modes(x)
				onA, onB := math.Abs(y-a) < 1e-6, math.Abs(y-b) < 1e-6 // a circle's ends lose half of the digits
				if x < c.lo || x > c.hi || !onA && !onB {
					t.Fatalf("%s: (%g, %g) is not on %g or %g, or outside of %g to %g", name, x, y, a, b, c.lo, c.hi)
				}
				if onA {
					first++
				}
			}
		}
		if math.Abs(float64(first)-1000) > 4*math.Sqrt(2000*0.25) { // four deviations of 2000 coins
			t.Errorf("%s: %d of 2000 points lie on the first curve", name, first)
		}
	}
}
