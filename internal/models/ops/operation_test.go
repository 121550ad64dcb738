package ops

import "testing"

// Every operation of the table has what all engines need.
func TestTableIsComplete(t *testing.T) {
	for _, kind := range Kinds() {
		o := table[kind]
		if o.single == nil || o.double == nil {
			t.Errorf("%s: no plain kernel", kind)
		}
		if o.gradients != nil && o.shape == nil {
			t.Errorf("%s: gradients, but no shape", kind)
		}
	}
}
