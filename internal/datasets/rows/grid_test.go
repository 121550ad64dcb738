package rows_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/test/must"
)

// In a grid of two dimensions the last x varies fastest. The test also covers the limits of a grid.
func TestGridOfTwoDimensions(t *testing.T) {
	got := must.Get(rows.ParseGrid("log:1:100:2,-1:1:3", 2, nil))(t)
	if diff := cmp.Diff([]float64{1, -1, 1, 0, 1, 1, 100, -1, 100, 0, 100, 1}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := rows.ParseGrid("0:1:1001,0:1:1000", 2, nil); err == nil {
		t.Error("a grid of more than a million points was accepted")
	}
	if _, err := rows.ParseGrid("0:1e308:3", 1, nil); err == nil {
		t.Error("a grid beyond float32 was accepted")
	}
	if got, err := rows.ParseGrid("0.1:0.1:1", 1, nil); err != nil || !cmp.Equal(got, []float64{0.1}) {
		t.Errorf("found %v, error %v; want [0.1]", got, err)
	}
}

// A grid is written as the cells of its column, or in raw numbers.
func TestGridsOfDatesAndTimes(t *testing.T) {
	dates, clock, share := rows.Form{Origin: "2024-03-01"}, rows.Form{Format: rows.Clock}, rows.Form{Format: rows.Percent}
	for _, c := range []struct {
		text string
		form rows.Form
		want []float64 // nil if it is refused
	}{
		{"2024-03-01:2024-03-05:3", dates, []float64{0, 2, 4}},
		{"2024-03-01T12:00:2024-03-02T12:00:2", dates, []float64{0.5, 1.5}},
		{"0:10:2", dates, []float64{0, 10}},
		{"2024-03-05:2024-03-01:3", dates, nil},
		{"9:00:17:30:2", clock, []float64{9, 17.5}},
		{"9:15:13:2", clock, nil}, // a number of hours stands beside another one alone
		{"9:13.5:2", clock, []float64{9, 13.5}},
		{"09:00:00:17:30:00:2", clock, []float64{9, 17.5}},
		{"9:00:10:11:30:2", clock, nil}, // from 9:00 to 10:11:30, or from 9:00:10 to 11:30
		{"log:0.01:100:5", rows.Form{}, []float64{0.01, 0.1, 1, 10, 100}},
		{"log:3:3:2", rows.Form{}, []float64{3, 3}},
		{"log:0:100:5", rows.Form{}, nil},
		{"log:1:10:5", dates, nil},
		{"0:25%:2", share, []float64{0, 25}},
		{"2024-01-01:2024-12-01:12", rows.Form{}, nil},
		{"1571000000:1571010000:3", rows.Form{}, []float64{1571000000, 1571005000, 1571010000}},
	} {
		got, err := rows.ParseGrid(c.text, 1, []rows.Form{c.form})
		if (err == nil) != (c.want != nil) || !cmp.Equal(got, c.want) {
			t.Errorf("%s: found %v, error %v, expected %v", c.text, got, err, c.want)
		}
	}
}
