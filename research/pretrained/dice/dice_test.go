package dice_test

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/research/pretrained/dice"
)

// Numbers come from consecutive words, a normal number from the next whole pair of them.
func TestNumbersAreThoseOfTheWords(t *testing.T) {
	g := random.New(1, random.Data)
	d := dice.New(g, 5, 3)
	if got, want := d.Uniform(0, 1), g.Float(5, 3); got != want {
		t.Errorf("first number %v, want %v", got, want)
	}
	if got, want := d.Normal(), g.Normal(5, 2); got != want {
		t.Errorf("normal number %v, want %v", got, want)
	}
	if got, want := d.Below(10), g.IntN(5, 6, 10); got != want || d.Word() != 7 {
		t.Errorf("number %v before word %d, want %v before word 7", got, d.Word(), want)
	}
}

// Choices have probabilities in proportion to their weights: of 10,000, four standard errors.
func TestChoicesFollowTheirWeights(t *testing.T) {
	d := dice.New(random.New(2, random.Data), 0, 0)
	var counts [3]float64
	const n = 10000
	for range n {
		counts[d.Choose(1, 0, 3)]++
	}
	if counts[1] != 0 || math.Abs(counts[0]/n-0.25) > 4*math.Sqrt(0.25*0.75/n) {
		t.Errorf("choices %v of weights 1, 0, 3", counts)
	}
	low := 0.0
	for range n {
		if x := d.LogUniform(1, 100); x < 10 {
			low++
		} else if x >= 100 {
			t.Fatalf("%g is not below 100", x)
		}
	}
	if math.Abs(low/n-0.5) > 4*math.Sqrt(0.25/n) {
		t.Errorf("%g of %d logarithms are in the lower half", low, n)
	}
}
