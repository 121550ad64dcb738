package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/report/figures"
)

// What is asked of a model between the modes.
const (
	modeGroups    = 200
	modeContext   = 100
	modeTargets   = 40
	leastDistance = 0.5 // of two modes
)

// A twoCurves is a function of a process with two values of y at each x, of equal probability.
type twoCurves struct {
	lo, hi float64                           // x
	modes  func(x float64) (a, b float64)    // y
	draw   func(r *rand.Rand) (x, y float64) // a point
}

// processes are the benchmarks that have two modes, with the paper's parameters.
var processes = map[string]func(r *rand.Rand) twoCurves{
	"double-sine": func(r *rand.Rand) twoCurves {
		a1, a2, w1, w2 := 0.5+r.Float64(), 0.5+r.Float64(), 1+2*r.Float64(), 1+2*r.Float64()
		modes := func(x float64) (a, b float64) { return a1 * math.Sin(w1*x), a2 * math.Cos(w2*x) }
		return twoCurves{-2, 2, modes, func(r *rand.Rand) (x, y float64) {
			x = 4*r.Float64() - 2
			a, b := modes(x)
			return x, either(r, a, b)
		}}
	},
	"circle": func(r *rand.Rand) twoCurves {
		radius, shift := 0.5+r.Float64(), r.Float64()-0.5
		return twoCurves{shift - radius, shift + radius, func(x float64) (a, b float64) {
			h := math.Sqrt(radius*radius - (x-shift)*(x-shift))
			return shift - h, shift + h
		}, func(r *rand.Rand) (x, y float64) {
			sin, cos := math.Sincos(2 * math.Pi * r.Float64())
			return radius*cos + shift, radius*sin + shift
		}}
	},
}

func either(r *rand.Rand, a, b float64) float64 {
	if r.IntN(2) == 0 {
		return a
	}
	return b
}

// modes writes what runs predict where a curve has two values of y: how often the mean is nearer to their
// average than to either of them, and how often y is more probable at the average than at either of them.
func modes(o options, dirs []string) error {
	rows := [][]string{strings.Split("benchmark|model|train.seed|mean nearer to the average, %|mean nearer to the average, % ±|average more probable, %|average more probable, % ±", "|")}
	for _, dir := range dirs {
		r, err := open(o, dir)
		if err != nil {
			return err
		}
		draw := processes[r.Experiment.Benchmark]
		if draw == nil {
			return fmt.Errorf("%s is of %s, expected double-sine or circle", dir, r.Experiment.Benchmark)
		}
		near, likely, err := between(r, draw)
		if err != nil {
			return err
		}
		b, _ := catalogue.Find(r.Experiment.Benchmark)
		row := []string{b.Printed, strings.ToUpper(r.Experiment.Model.Name), fmt.Sprint(r.Experiment.Train.Seed)}
		for _, shares := range [][]float64{near, likely} {
			mean, deviation := stat.MeanStdDev(shares, nil)
			row = append(row, fmt.Sprintf("%.1f", 100*mean), fmt.Sprintf("%.1f", 100*stat.StdErr(deviation, float64(len(shares)))))
		}
		rows = append(rows, row)
	}
	return writeCSV(filepath.Join(o.data, "paper-modes.csv"), rows)
}

// between returns, for each function, the shares of x at which the mean is nearer to the average, and at
// which the average is more probable.
func between(r figures.Run, draw func(*rand.Rand) twoCurves) (near, likely []float64, err error) {
	random := rand.New(rand.NewPCG(splitsSeed, 1))
	for range modeGroups {
		c := draw(random)
		var q points.Question
		for range modeContext {
			x, y := c.draw(random)
			q.Known.Append(points.New(1, 1, []float64{x}, []float64{y}))
		}
		for _, x := range floats.Span(make([]float64, modeTargets+2), c.lo, c.hi)[1 : modeTargets+1] {
			if a, b := c.modes(x); math.Abs(a-b) >= leastDistance {
				q.Targets.Append(points.New(1, 1, []float64{x}, nil))
			}
		}
		nearer, higher := 0.0, 0.0
		for t, err := range r.Ask.Predict(context.Background(), []points.Question{q}) {
			if err != nil {
				return nil, nil, err
			}
			d := t.Channels[0]
			a, b := c.modes(q.Targets.X[t.Target])
			middle, mean := (a+b)/2, d.Mean()
			if math.Abs(mean-middle) < math.Min(math.Abs(mean-a), math.Abs(mean-b)) {
				nearer++
			}
			if d.LogDensity(middle) > math.Max(d.LogDensity(a), d.LogDensity(b)) {
				higher++
			}
		}
		n := float64(q.Targets.Len())
		near, likely = append(near, nearer/n), append(likely, higher/n)
	}
	return near, likely, nil
}
