package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/acqnp/acqnp/internal/random"
)

// noises are the kinds of noise of data sets, in turn.
var noises = []string{"skewed", "bimodal", "heteroscedastic"}

// A world draws the groups of one data set. All groups, those that train and new ones, come from the
// same distribution.
type world struct {
	g      random.Generator
	noise  string
	groups int     // to learn from
	fit    bool    // for fit: 3 to 2,000 groups, and 0 to 10 known points; otherwise 15 to 60 groups
	spread float64 // of the noise, beside a deviation of 1 between groups
	wave   float64 // of a part of the mean that is no line
	unit   float64 // of y
	zeros  bool    // y of 0 or more
}

// newWorld returns the world of data set i.
func newWorld(i int, fit bool) world {
	w := world{g: random.New(uint64(i), random.Data), noise: noises[i%len(noises)], fit: fit}
	if w.groups = 15 + w.g.IntN(0, 0, 46); fit {
		w.groups = int(math.Round(3 * math.Pow(2000.0/3, w.between(0, 4, 0, 1))))
	}
	w.spread, w.wave = w.between(0, 1, 0.2, 1), w.between(0, 2, 0, 1)
	w.unit = math.Pow(10, w.between(0, 3, -2, 4))
	return w
}

// between returns a number between lo and hi.
func (w world) between(step, index uint64, lo, hi float64) float64 {
	return lo + (hi-lo)*w.g.Float(step, index)
}

// A point is a row of a group.
type point struct{ x, y float64 }

// group returns the points of group k, 4 to 24 of them at random x from 0.5 to 10: positive, so that a
// model of log x can predict them.
func (w world) group(k int) []point {
	step := uint64(k + 1)
	level, slope, phase := w.g.Normal(step, 0), 0.1*w.g.Normal(step, 1), w.between(step, 8, 0, 2*math.Pi)
	points := make([]point, 4+w.g.IntN(step, 9, 21))
	for i := range points {
		at := uint64(16 + 8*i) // the first of the point's numbers
		x := math.Round(100*w.between(step, at, 0.5, 10)) / 100
		mean := level + slope*x + w.wave*math.Sin(x/2+phase)
		y := mean + w.spread*w.stray(step, at+1, x)
		if w.zeros {
			y = max(0, 0.5+y)
		}
		points[i] = point{x, w.unit * y}
	}
	return points
}

// stray returns the noise of a point, of deviation 1 on average.
func (w world) stray(step, at uint64, x float64) float64 {
	normal := w.g.Normal(step, at/2+2) // takes numbers from at+3 on, as at is odd
	switch w.noise {
	case "skewed":
		return -math.Log(1-w.g.Float(step, at)) - 1
	case "bimodal":
		if w.g.Float(step, at) < 0.4 {
			return 1.2 + 0.25*normal
		}
		return -0.8 + 0.25*normal
	}
	return (0.2 + 0.2*x) * normal // heteroscedastic
}

// contexts are the sizes of the contexts that a calibration draws from, with functions of up to 24 points.
var contexts = []int{0, 1, 2, 5, 10, 20}

// known are the numbers of known points by which the coverage of fit is listed: from and to.
var known = [...][2]int{{0, 0}, {1, 1}, {2, 2}, {3, 5}, {6, 10}}

// knownOf returns the place in known of a number of known points.
func knownOf(points int) int {
	for i, r := range known {
		if points <= r[1] {
			return i
		}
	}
	panic("more known points than fit is asked with")
}

// context returns the size of the context of a new group of n points: one of contexts that leaves a
// target, or for fit one of known in turn.
func (w world) context(k, n int) int {
	if r := known[k%len(known)]; w.fit {
		return min(r[0]+w.g.IntN(uint64(k+1), 10, r[1]-r[0]+1), n-1)
	}
	most := 0
	for most+1 < len(contexts) && contexts[most+1] < n {
		most++
	}
	return contexts[w.g.IntN(uint64(k+1), 10, most+1)]
}

// table returns a CSV file of groups, from the given point of each to the last but one.
func (w world) table(groups []int, part func(k, n int) (from, to int)) string {
	var b strings.Builder
	b.WriteString("g,x,y\n")
	for _, k := range groups {
		points := w.group(k)
		from, to := part(k, len(points))
		for _, p := range points[from:to] {
			fmt.Fprintf(&b, "g%d,%g,%g\n", k, p.x, p.y)
		}
	}
	return b.String()
}
