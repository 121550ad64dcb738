package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// Noise has mean 0 and deviation 1, but for the heteroscedastic kind, whose deviation grows with x. With
// 20,000 draws, means are exact to 0.03 and squares to 0.1 at 3.3 standard errors.
func TestNoiseIsCentred(t *testing.T) {
	for i, noise := range noises {
		w, sum, squares := newWorld(i, false), 0.0, 0.0
		const n = 20000
		for k := range uint64(n) {
			v := w.stray(k, 17, 4) // heteroscedastic: deviation 1 at x = 4
			sum, squares = sum+v/n, squares+v*v/n
		}
		if w.noise != noise || math.Abs(sum) > 0.03 || math.Abs(squares-1) > 0.1 {
			t.Errorf("%s: mean %v, mean square %v", w.noise, sum, squares)
		}
	}
}

// Contexts leave a target, and have the sizes that a calibration draws from.
func TestContextsLeaveATarget(t *testing.T) {
	w, seen := newWorld(1, false), map[int]bool{}
	for k := range 2000 {
		n := len(w.group(k))
		c := w.context(k, n)
		if c >= n || n < 4 || n > 24 {
			t.Fatalf("%d context points of %d", c, n)
		}
		seen[c] = true
	}
	if len(seen) != len(contexts) {
		t.Errorf("contexts of %v, want %v", seen, contexts)
	}
}

func TestRegionsHoldWhatLiesInAnInterval(t *testing.T) {
	r := row{"hdr": "-2:-1;0.5:3"}
	for y, want := range map[float64]float64{-3: 0, -2: 1, -1.5: 1, 0: 0, 0.5: 1, 3: 1, 3.1: 0} {
		if got := r.inside("hdr", y); got != want {
			t.Errorf("%v: %v", y, got)
		}
	}
}

// A summary passes exact shares, refuses those that are off by more than chance, and reads what it wrote.
func TestSummary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.csv")
	for off, want := range map[float64]bool{0: true, 0.02: false} {
		results := map[int]result{}
		for i := range 200 {
			d := 0.05 * float64(i%5-2) // deviation 0.07, standard error 0.005
			results[i] = result{"skewed", 20, 9, 0.5 + d, 0.8 + d, 0.5 + d, 0.9 + off + d, 0.5 + d, 0.9 + d, 1.1, 1, 1, 0.04, 0.07, [len(known)]coverage{}}
		}
		if err := writeResults(path, results); err != nil {
			t.Fatal(err)
		}
		read, err := readResults(path)
		if err != nil || len(read) != 200 {
			t.Fatal(err)
		}
		var text strings.Builder
		if got := summarise(&text, read, false); got != want || !strings.Contains(text.String(), "80.0 ± 0.5") || !strings.Contains(text.String(), "1.10   5.9         1.1") {
			t.Errorf("off by %v: %v\n%s", off, got, text.String())
		}
		if !summarise(&text, read, true) {
			t.Errorf("off by %v: intervals of fit may hold that", off)
		}
	}
}

// New groups of fit have 0 to 10 known points, each number in known, and data sets 3 to 2,000 groups.
func TestKnownPointsOfFit(t *testing.T) {
	least, most := 2000, 3
	for i := range 200 {
		w := newWorld(i, true)
		least, most = min(least, w.groups), max(most, w.groups)
	}
	if least > 4 || most < 1800 || least < 3 || most > 2000 {
		t.Errorf("%d to %d groups", least, most)
	}
	w, seen := newWorld(1, true), map[int]bool{}
	for k := range 400 {
		n := len(w.group(k))
		c := w.context(k, n)
		if c >= n || c > 10 {
			t.Fatalf("%d known points of %d", c, n)
		}
		seen[knownOf(c)] = true
	}
	if len(seen) != len(known) {
		t.Errorf("known points of the kinds %v", seen)
	}
}

// Intervals of one number of known points that hold too little fail, though those of all together do not.
func TestCoverageByKnownPoints(t *testing.T) {
	for off, want := range map[float64]bool{0: true, 0.1: false} {
		results := map[int]result{}
		for i := range 200 {
			d := 0.05 * float64(i%5-2)
			r := result{groups: 20}
			for k := range r.known {
				one := float64(i % 2)
				r.known[k] = coverage{8, 0.5 + d, 0.9 + d, one, min(1, float64(i%10))}
			}
			r.known[0].most -= off
			results[i] = r
		}
		var text strings.Builder
		if got := byKnown(&text, results); got != want || !strings.Contains(text.String(), "3 to 5") {
			t.Errorf("off by %v: %v\n%s", off, got, text.String())
		}
	}
}

// Of a y of 0 that has 40%, intervals take the levels that lie between their own.
func TestIntervalsTakeAPartOfAnAtom(t *testing.T) {
	r := row{"q0.05": "0", "q0.25": "0", "q0.75": "2", "q0.95": "3", "exceed0": "0.6"}
	for want, ends := range map[float64][2]string{0.15 / 0.4: {"q0.25", "q0.75"}, 0.35 / 0.4: {"q0.05", "q0.95"}} {
		if got := r.between(ends[0], ends[1], 0); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: %v of 0, expected %v", ends, got, want)
		}
	}
	if r.between("q0.25", "q0.75", 1) != 1 || r.between("q0.05", "q0.95", 4) != 0 {
		t.Error("a y above 0 lies in an interval or not")
	}
}
