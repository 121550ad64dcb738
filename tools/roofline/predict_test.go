package main

import "testing"

// TestTargets holds the shapes of the kernels to the targets of a step of ACQNP in ms, and to 0.1 GB
// of gradients of the parameters through the L2.
func TestTargets(t *testing.T) {
	targets := map[string]float64{"T4": 18, "A100": 1.8, "H200": 0.8}
	for _, c := range chips {
		target, ok := targets[c.name]
		if ms := c.step(); ok && ms > target {
			t.Errorf("%s: %.2f ms, the target is %g", c.name, ms, target)
		}
		bytes := 0.0
		for _, b := range branches {
			bytes += 2 * newStationary(c, b).sums()
		}
		if bytes >= 0.1e9 {
			t.Errorf("%s: %.3f GB of gradients pass through the L2", c.name, bytes/1e9)
		}
	}
}
