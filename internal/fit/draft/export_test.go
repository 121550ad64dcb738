package draft

import "testing"

// LeastSteps sets the least number of steps of trials, and between their validations, for a test.
func LeastSteps(t *testing.T, n int) {
	old := leastSteps
	leastSteps = n
	t.Cleanup(func() { leastSteps = old })
}
