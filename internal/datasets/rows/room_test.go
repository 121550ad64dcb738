package rows

import (
	"errors"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/test/must"
)

// Reading goes on as long as the memory left holds a few copies of the memory in use.
func TestFilesThatFillTheMemoryAreRefused(t *testing.T) {
	content := "x,y\n" + strings.Repeat("1,2\n", 1000)
	for name, c := range map[string]struct {
		left   float64 // GB, of which each look finds one more taken
		refuse string
	}{
		"enough":     {left: 1e3},
		"not known":  {left: -1},
		"too little": {left: 7.5, refuse: "mine.csv:500: found more rows than there is memory for, expected fewer rows: reading on takes 6.0 GB, and 5.5 GB is available"},
	} {
		read := must.Get(newTable("mine.csv", strings.NewReader(content)))(t)
		held := 0.0
		read.stride = 1000 // 250 rows
		read.room = func() (float64, float64) {
			if c.left < 0 {
				return 0, 0
			}
			held += 1e9
			return held, c.left*1e9 - held
		}
		layout := Layout{X: []string{"x"}, Y: []string{"y"}}
		points, err := layout.readTable(read, layout.Y, nil)
		var bad *invalid.Input
		switch {
		case c.refuse == "" && (err != nil || points[0].Len() != 1000):
			t.Errorf("%s: %v", name, err)
		case c.refuse != "" && (!errors.As(err, &bad) || err.Error() != c.refuse):
			t.Errorf("%s: %v", name, err)
		}
	}
	if held, left := room(); held > left {
		t.Errorf("%.0f held and %.0f left in a test", held, left)
	}
}
