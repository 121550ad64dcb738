package pretrained_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/pretrained"
	"github.com/acqnp/acqnp/internal/test/must"
)

// The card is that of the weights beside it, and its last score is the best of the curve but for chance.
func TestTheCardIsOfTheWeights(t *testing.T) {
	content := must.Get(os.ReadFile("weights.safetensors"))(t)
	c := pretrained.About()
	if got := fmt.Sprintf("%x", sha256.Sum256(content)); got != c.SHA256 {
		t.Errorf("the card is of weights %s, these are %s", c.SHA256, got)
	}
	if len(c.Curve) < 2 || c.Parameters < 1 || c.Steps != int(c.Curve[len(c.Curve)-1][0]) {
		t.Fatalf("card %+v", c)
	}
	last := c.Curve[len(c.Curve)-1]
	for _, point := range c.Curve {
		if point[1] > last[1]+3*last[2] {
			t.Errorf("step %.0f has %.3f, the last step %.3f ± %.3f", point[0], point[1], last[1], last[2])
		}
	}
}
