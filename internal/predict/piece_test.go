package predict_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/test/must"
)

// Pieces hold each target once and are of like length.
func TestPiecesHoldEachTargetOnce(t *testing.T) {
	sizes := []int{1, 0, 33, 700, 64, 2000}
	groups := make([]points.Question, len(sizes))
	for i, n := range sizes {
		groups[i].Targets = points.New(2, 0, make([]float64, 2*n), nil)
	}
	for _, number := range []int{1, 2, 7, 1000} {
		next := predict.Piece{}
		for _, p := range predict.Pieces(groups, number) {
			for next.First == sizes[next.Group] {
				next = predict.Piece{Group: next.Group + 1}
			}
			if p.Group != next.Group || p.First != next.First || p.Number < 1 || p.Number > 512 {
				t.Fatalf("%d pieces: found %+v, expected one from target %d of group %d on", number, p, next.First, next.Group)
			}
			next.First += p.Number
		}
		if next.Group != len(sizes)-1 || next.First != 2000 {
			t.Errorf("%d pieces end at target %d of group %d", number, next.First, next.Group)
		}
	}
	if n := len(predict.Pieces([]points.Question{{Targets: points.New(1, 0, make([]float64, 200), nil)}}, 2)); n != 2 {
		t.Errorf("%d pieces of 200 targets for two threads", n)
	}
}

// A piece has the bits of the whole, for every model and with random levels.
func TestPiecesHaveTheBitsOfTheWhole(t *testing.T) {
	for _, name := range []string{"cnp", "canp", "bnp", "cqnp", "acqnp"} {
		o, f, g := asking(t, name), groupOf(batch(t), 0), groupOf(batch(t), 1)
		f.Targets.X = nil
		for i := range 135 {
			f.Targets.X = append(f.Targets.X, float64(i)/128)
		}
		groups := []points.Question{g, f}
		whole := collect(t, o, groups...)
		p := must.Get(o.Session(predict.Room{Context: 1, Targets: 512}))(t)
		var parts []predict.Target
		for _, piece := range predict.Pieces(groups, 4) {
			for target, err := range p.Predict(t.Context(), groups, piece) {
				must.Do(t, err)
				parts = append(parts, target)
			}
		}
		p.Close()
		if len(parts) != len(whole) {
			t.Fatalf("%s: %d targets in pieces of %d", name, len(parts), len(whole))
		}
		for i, want := range whole {
			got := parts[i]
			if got.Group != want.Group || got.Target != want.Target || !cmp.Equal(got.Channels[1].Components(), want.Channels[1].Components(), cmp.Comparer(same)) {
				t.Fatalf("%s: target %d of group %d differs in a piece", name, want.Target, want.Group)
			}
		}
	}
}

// same compares numbers, of which NaN is one.
func same(a, b float64) bool { return a == b || a != a && b != b }
