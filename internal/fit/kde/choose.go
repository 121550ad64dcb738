package kde

import (
	"math"

	"github.com/acqnp/acqnp/internal/random"
)

// The widths that Choose tries, for x and y of deviation 1.
var (
	xWidths = []float64{0.06, 0.12, 0.25, 0.5, 1, 2, 4, 8}
	yWidths = []float64{0.05, 0.1, 0.2, 0.35, 0.6}
)

// Bounds of what Choose computes: the points of a function, and the pairs of points of all functions
// after which it takes no further function.
const (
	mostPoints = 1500
	mostPairs  = 4_000_000
)

// Choose returns the widths under which points are predicted best, each from the others of its
// function: those of the largest log density, with a standard normal of the weight that the kernel
// leaves. Each function is its points [n, dx+1] with y last, x and y of deviation about 1.
func Choose(functions [][]float32, dx int) Widths {
	best, most := Widths{xWidths[len(xWidths)-1], yWidths[len(yWidths)-1]}, math.Inf(-1)
	some := someOf(functions, dx+1)
	for _, x := range xWidths {
		sums := make([]float64, len(yWidths))
		for _, f := range some {
			addDensities(sums, f, dx, x)
		}
		for i, sum := range sums {
			if sum > most {
				best, most = Widths{x, yWidths[i]}, sum
			}
		}
	}
	return best
}

// someOf returns functions at random with a sample of their points [n, width].
func someOf(functions [][]float32, width int) (some [][]float32) {
	order, pairs := make([]int, len(functions)), 0
	random.New(0, random.Validation).Perm(uint64(len(functions)), order)
	for _, i := range order {
		if pairs >= mostPairs {
			break
		}
		f := sample(functions[i], width, uint64(i))
		some, pairs = append(some, f), pairs+len(f)/width*(len(f)/width)
	}
	return some
}

// sample returns at most mostPoints of a function's points [n, width], at random.
func sample(points []float32, width int, function uint64) []float32 {
	n := len(points) / width
	if n <= mostPoints {
		return points
	}
	order := make([]int, n)
	random.New(0, random.Validation).Perm(function, order)
	some := make([]float32, 0, mostPoints*width)
	for _, i := range order[:mostPoints] {
		some = append(some, points[i*width:][:width]...)
	}
	return some
}

// addDensities adds to sums, one for each of yWidths, the log densities of a function's points.
func addDensities(sums []float64, points []float32, dx int, width float64) {
	w := Widths{X: width}
	var weights []float64
	density := make([]float64, len(yWidths))
	for at := 0; at < len(points); at += dx + 1 {
		own := points[at:][:dx+1]
		weights = w.Weights(weights, points, own[:dx])
		clear(density)
		left := 1.0
		// Without the point itself, which weighs 1/(n+1), n is one less.
		others := 1 / (1 - weights[at/(dx+1)])
		for i, k := range weights {
			if k == 0 || i == at/(dx+1) {
				continue
			}
			k *= others
			left -= k
			e := float64(own[dx]) - float64(points[i*(dx+1)+dx])
			for j, y := range yWidths {
				density[j] += k / y * standardNormal(e/y)
			}
		}
		for j, d := range density {
			sums[j] += math.Log(d + max(left, 0)*standardNormal(float64(own[dx])))
		}
	}
}

func standardNormal(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) }
