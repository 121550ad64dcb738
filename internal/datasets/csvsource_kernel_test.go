package datasets_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/models/kde"
)

// The widths of a kernel are those of the training points alone, in the model's units.
func TestKernelWidths(t *testing.T) {
	of := func(held float64, scale float64) kde.Widths {
		e := csvData(t, "point", 1)
		e.Data.Scale, e.Data.TrainFraction, e.Data.SplitColumn = "standard", 1, "part"
		text := "name,x,y,part\n"
		for i := range 300 {
			for _, f := range []string{"a", "b"} {
				text += fmt.Sprintf("%s,%d,%g,train\n", f, i, scale*float64(i/30%2))
				if i%10 == 0 {
					text += fmt.Sprintf("%s,%d,%g,test\n", f, i, held)
				}
			}
		}
		if err := os.WriteFile(e.Data.File, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return datasets.KernelWidths(open(t, e, ""))
	}
	first := of(0, 1)
	// y changes every 30 of 300 points: every 0.35 deviations of x.
	if first.X >= 0.35 || first.Y > 0.05 {
		t.Errorf("widths %v", first)
	}
	if other := of(-50, 1); other != first {
		t.Errorf("held-out points change the widths from %v to %v", first, other)
	}
	if other := of(0, 1000); other != first {
		t.Errorf("units change the widths from %v to %v", first, other)
	}
}
