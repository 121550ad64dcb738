package points_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/points"
)

// of returns n points of odd sizes, each of which says its number.
func of(n, dx, dy int) points.Points {
	p := points.Points{DX: dx, DY: dy}
	for i := range n {
		one, v := points.Points{DX: dx, DY: dy, Rows: []int{i}, Sibling: []int{i % 3}}, float64(i)
		one.X, one.Y = slices.Repeat([]float64{v}, dx), slices.Repeat([]float64{-v}, dy)
		one.Weights, one.Factor, one.Beyond = []float64{v + 0.5}, []float64{v + 1}, []float64{1 - v}
		if i%2 == 1 { // others state nothing
			one.Censored = slices.Repeat([]int8{points.Above}, dy)
		}
		p.Append(one)
	}
	return p
}

func TestEachPointKeepsWhatIsKnownOfIt(t *testing.T) {
	for _, size := range [][3]int{{0, 1, 1}, {1, 1, 0}, {3, 2, 1}, {5, 3, 2}, {7, 1, 3}, {17, 5, 1}} {
		n, dx, dy := size[0], size[1], size[2]
		p := of(n, dx, dy)
		if p.Len() != n {
			t.Fatalf("%v: %d points", size, p.Len())
		}
		at := points.Spread(n, (n+1)/2)
		slices.Reverse(at)
		some, cut := p.Take(at), p.Cut(n/3, n)
		check := func(what string, got points.Points, at []int) {
			t.Helper()
			if got.Len() != len(at) || got.DX != dx || got.DY != dy {
				t.Fatalf("%v: %s has %d points of %d and %d columns", size, what, got.Len(), got.DX, got.DY)
			}
			for k, i := range at {
				v := float64(i)
				if !slices.Equal(got.Row(k), slices.Repeat([]float64{v}, dx)) || !slices.Equal(got.RowY(k), slices.Repeat([]float64{-v}, dy)) ||
					got.Weight(k) != v+0.5 || got.Rows[k] != i || got.Factor[k] != v+1 || got.Beyond[k] != 1-v || got.Sibling[k] != i%3 || dy > 0 && got.Limit(k, dy-1) != int8(i%2)*points.Above {
					t.Errorf("%v: %s: point %d is not %d: %+v", size, what, k, i, got)
				}
			}
		}
		check("Take", some, at)
		check("Cut", cut, points.Spread(n, n)[n/3:])
		want := make([]float64, n)
		for i := range want {
			want[i] = float64(i)
		}
		for c := range dx {
			if got := p.Column(c); n > 0 && !slices.Equal(got, want) {
				t.Errorf("%v: column %d is %v", size, c, got)
			}
		}
		for c := range dy {
			for i, v := range p.ColumnY(c) {
				if v != -want[i] {
					t.Errorf("%v: column %d of y has %v for point %d", size, c, v, i)
				}
			}
		}
	}
}

// What is taken is a copy; what is cut is not, but appending to it leaves the whole as it is.
func TestWhoSharesMemory(t *testing.T) {
	p, want := of(5, 2, 1), of(5, 2, 1)
	some := p.Take([]int{0, 1})
	some.X[0], some.Y[0], some.Weights[0], some.Sibling[1] = 9, 9, 9, 9
	some.Append(of(3, 2, 1))
	first := p.Cut(0, 2)
	first.Append(of(4, 2, 1).Cut(3, 4))
	if diff := cmp.Diff(want, p); diff != "" {
		t.Error(diff)
	}
	if first.Len() != 3 || first.Rows[2] != 3 {
		t.Errorf("appended %+v", first)
	}
	p.Cut(1, 3).X[0] = 7
	if p.Row(1)[0] != 7 {
		t.Error("a cut is a copy")
	}
	var none points.Points
	none.Append(want.Cut(0, 2))
	if diff := cmp.Diff(want.Cut(0, 2), none); diff != "" {
		t.Error(diff)
	}
	if none.Append(points.Points{}); none.Len() != 2 {
		t.Errorf("appended nothing: %+v", none)
	}
}

func TestWhatIsNotKnownStaysUnknown(t *testing.T) {
	x := points.New(2, 1, []float64{1, 2, 3, 4}, nil)
	for _, p := range []points.Points{x.Take([]int{1}), x.Cut(1, 2)} {
		if diff := cmp.Diff(points.New(2, 1, []float64{3, 4}, nil), p); diff != "" {
			t.Error(diff)
		}
	}
	if (points.Points{}).Len() != 0 || x.Weight(1) != 1 || x.Side(1) != 0 {
		t.Error("a point without weights counts once and is seen")
	}
	x.Beyond = []float64{-3, 0}
	if x.Side(0) != -1 || x.Side(1) != 0 {
		t.Errorf("sides %v and %v", x.Side(0), x.Side(1))
	}
}

// A sample does not depend on the order of the points.
func TestThin(t *testing.T) {
	a := points.New(1, 1, []float64{5, 1, 3, 1, 2, 4, 0}, []float64{1, 9, 2, 8, 4, 7, 3})
	b := a.Take([]int{6, 2, 0, 3, 1, 5, 4})
	if diff := cmp.Diff(a.Thin(3), b.Thin(3)); diff != "" || a.Thin(3).Len() != 3 {
		t.Error(diff)
	}
	if diff := cmp.Diff(points.New(1, 1, []float64{0, 1, 1, 2, 3, 4, 5}, []float64{3, 8, 9, 4, 2, 7, 1}), b.Ordered()); diff != "" {
		t.Error(diff)
	}
}

func TestSiblings(t *testing.T) {
	nan := math.Inf(1)
	own, one, other := points.New(2, 1, []float64{1, 2}, []float64{nan}), points.New(2, 1, []float64{3, 4, 5, 6}, []float64{7, 8}), points.New(2, 1, []float64{0, 0}, []float64{9})
	both := own.WithSiblings([]points.Points{one, {}, other}, 100)
	want := points.New(2, 1, []float64{1, 2, 3, 4, 5, 6, 0, 0}, []float64{nan, 7, 8, 9})
	want.Sibling = []int{0, 1, 1, 3}
	if diff := cmp.Diff(want, both); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(own, both.OfGroup()); diff != "" {
		t.Error(diff)
	}
	if got := own.WithSiblings([]points.Points{one, other}, 2); got.Len() != 3 || got.OfGroup().Len() != 1 {
		t.Errorf("%d points beside, want 2", got.Len()-1)
	}
	if diff := cmp.Diff(own, own.WithSiblings(nil, 2)); diff != "" {
		t.Error(diff)
	}
	own.Factor, one.Factor, other.Factor, want.Factor = []float64{7}, []float64{1, 2}, []float64{3}, []float64{7, 1, 2, 3}
	if diff := cmp.Diff(want, own.WithSiblings([]points.Points{one, {}, other}, 100)); diff != "" {
		t.Error(diff)
	}
	if n := (points.Question{Siblings: []points.Points{one, {}, other}}).KnownOfSiblings(); n != 3 {
		t.Errorf("%d known points of siblings, want 3", n)
	}
}
