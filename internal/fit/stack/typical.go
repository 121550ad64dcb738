package stack

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/points"
)

// A Typical says how far groups lie from the curve that all share: a quadratic of each column of x, fitted to all
// points alike. The place of a group is the median of what is left at its points, in spreads of all of them.
//
// Models doubt points that no group of the data is like, each in its own way, and then predict a place between the
// points and the data. A group that lies far beyond all of the data is therefore moved to the farthest of their
// places before models see it, and predictions of it are moved back. No group of the data lies so far. So the scores
// and weights, which are of these, are of what predicts.
type Typical struct {
	Edges  []simple.Edge `json:"edges"`  // of the columns of x
	Beta   []float64     `json:"beta"`   // of 1, and of x and x² of each column between its edges
	Spread float64       `json:"spread"` // the distance from the curve within which two thirds of all points lie
	Groups float64       `json:"groups"` // the farthest place of a group of at least LeastPlaced points
	Points float64       `json:"points"` // the farthest place of a point
}

// LeastPlaced is the number of known points that settle where a group lies.
const LeastPlaced = 3

// Bounds of a Typical: the points that the curve is fitted to, and how far a place is at least before it counts as
// unlike.
const (
	mostLiked = 5000
	unlike    = 4
)

// typicalOf returns the typical of groups, nil if their points do not determine it.
func typicalOf(groups []points.Group, seed uint64) *Typical {
	groups = sample(groups, mostLiked, seed)
	var all points.Points
	for _, g := range groups {
		all.Append(g.Points)
	}
	l := &Typical{Edges: simple.EdgesOf(groups), Spread: 1}
	l.Beta = make([]float64, 1+2*all.DX)
	times := all.Weights
	if times == nil {
		times = slices.Repeat([]float64{1}, all.Len())
	}
	weights := slices.Clone(times)
	for range 4 {
		if !l.fit(all, weights) {
			return nil
		}
		left := l.places(all)
		for i, v := range left {
			left[i] = math.Abs(v)
		}
		slices.Sort(left)
		spread := left[len(left)*2/3] // of a normal distribution, 0.97 deviations
		if l.Spread *= spread; !(l.Spread > 0) || math.IsInf(l.Spread, 0) {
			return nil
		}
		for i, v := range l.places(all) {
			weights[i] = times[i] * min(1, 2/math.Abs(v))
		}
	}
	for _, g := range groups {
		places := l.places(g.Points)
		for _, v := range places {
			l.Points = max(l.Points, math.Abs(v))
		}
		if len(places) >= LeastPlaced {
			l.Groups = max(l.Groups, math.Abs(median(places)))
		}
	}
	return l
}

// appendFeatures appends 1, and x and x² of each column, from −1 to 1 between the edges. Beyond them it appends the
// tangents there or, if the curve ends at the edges, what it is there.
func (l *Typical) appendFeatures(dst, x []float64, ends bool) []float64 {
	dst = append(dst, 1)
	for c, v := range x {
		e := l.Edges[c]
		z := 0.0
		if e.High > e.Low {
			z = (v-e.Low)/(e.High-e.Low)*2 - 1
		}
		if ends {
			z = min(max(z, -1), 1)
		}
		dst = simple.Edge{Low: -1, High: 1}.AppendPowers(dst, z, 2)
	}
	return dst
}

// fit sets Beta to the weighted least squares, in units of Spread, with a weak prior for what points do not say.
func (l *Typical) fit(g points.Points, weights []float64) bool {
	size, centre := len(l.Beta), median(slices.Clone(g.Y))
	normal, right := mat.NewSymDense(size, nil), mat.NewVecDense(size, nil)
	for i, y := range g.Y {
		row := mat.NewVecDense(size, l.appendFeatures(nil, g.Row(i), false))
		normal.SymRankOne(normal, weights[i], row)
		right.AddScaledVec(right, weights[i]*(y-centre), row)
	}
	for i := range size {
		normal.SetSym(i, i, normal.At(i, i)+1e-3)
	}
	var chol mat.Cholesky
	if !chol.Factorize(normal) {
		return false
	}
	var beta mat.VecDense
	_ = chol.SolveVecTo(&beta, right) // its error warns that a result has few exact digits
	copy(l.Beta, beta.RawVector().Data)
	l.Beta[0] += centre
	return true
}

// places returns the place of each point. Beyond the x of the data nobody knows how the curve goes on: a point between
// its tangent and its last value lies on it, and another is as far off as from the nearer of the two.
func (l *Typical) places(g points.Points) []float64 {
	all, features := make([]float64, g.Len()), []float64(nil)
	for i, y := range g.Y {
		var off [2]float64
		for k, ends := range [2]bool{false, true} {
			features = l.appendFeatures(features[:0], g.Row(i), ends)
			off[k] = y
			for j, v := range features {
				off[k] -= l.Beta[j] * v
			}
		}
		all[i] = max(min(off[0], off[1]), min(max(off[0], off[1]), 0)) / l.Spread
	}
	return all
}

// unlike reports whether the known points of a group lie farther than twice as far as those of any group of the data,
// where they lie and how far those of the data do. by is what the group is moved by, in y: 0 unless enough points
// agree.
func (l *Typical) unlike(known points.Points) (by, place, farthest float64, is bool) {
	if l == nil || known.Len() == 0 {
		return 0, 0, 0, false
	}
	places := l.places(known)
	farthest = l.Groups
	if known.Len() < LeastPlaced {
		farthest = l.Points
	}
	place = median(places)
	if !(math.Abs(place) > max(unlike, 2*farthest)) {
		return 0, place, farthest, false
	}
	for i := range places {
		places[i] = math.Abs(places[i] - place)
	}
	if known.Len() >= LeastPlaced && median(places) < math.Abs(place)/2 {
		by = (place - math.Copysign(farthest, place)) * l.Spread
	}
	return by, place, farthest, true
}

// outliers returns the numbers of the points that lie more than twice as far from the curve as any of the data.
func (l *Typical) outliers(known points.Points) (all []int) {
	if l == nil {
		return nil
	}
	for i, v := range l.places(known) {
		if math.Abs(v) > max(unlike, 2*l.Points) {
			all = append(all, i)
		}
	}
	return all
}

// check returns an error unless the numbers make a Typical of dx columns.
func (l *Typical) check(dx int) error {
	if l == nil {
		return nil
	}
	if len(l.Edges) != dx || len(l.Beta) != 1+2*dx || !(l.Spread > 0) || !(l.Groups >= 0) || !(l.Points >= 0) {
		return errors.New("a damaged curve of all groups")
	}
	return nil
}

// median returns the median of values, which it sorts. Of an even number, it is the mean of the middle two.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return values[(n-1)/2]/2 + values[n/2]/2
}
