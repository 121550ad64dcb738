package paper

import (
	"fmt"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/simd"
)

// A covariance is a symmetric matrix [n, n], and its Cholesky factor U with UᵀU = the matrix. Of both,
// the upper half is used. A row begins at a multiple of stride, which is n rounded up to vectors, and
// is computed from the vector that holds its diagonal. So rows are whole vectors: what they hold to
// the left of the diagonal and beyond n means nothing.
type covariance struct {
	n, stride      int
	matrix, factor []float64 // [n, stride]
	distances      []float64 // [stride], scratch
}

const lanes = simd.DoubleLanes

// fill sets the matrix to the kernel's values for points at s, with the noise added to the diagonal.
func (c *covariance) fill(s []float64, k kernel, noise float64) {
	c.n, c.stride = len(s), (len(s)+lanes-1)/lanes*lanes
	c.distances = slices.Grow(c.distances[:0], c.stride)[:c.stride]
	c.matrix = slices.Grow(c.matrix[:0], c.n*c.stride)[:c.n*c.stride]
	for i, a := range s {
		from := i / lanes * lanes
		d := c.distances[from:]
		clear(d[c.n-from:])
		for j, b := range s[from:] {
			d[j] = a - b
		}
		k(c.matrix[i*c.stride+from:(i+1)*c.stride], d)
		c.matrix[i*c.stride+i] += noise
	}
}

// factorize computes the factor. With little noise and close points, rounding can make the matrix
// singular. It then adds as little to the diagonal as is needed, up to about 10⁻⁶ of the variance.
func (c *covariance) factorize() error {
	variance := c.matrix[0]
	c.factor = slices.Grow(c.factor[:0], len(c.matrix))[:len(c.matrix)]
	for jitter := 1e-12; ; jitter *= 100 {
		copy(c.factor, c.matrix)
		if c.cholesky() {
			return nil
		}
		if jitter > 2e-6 {
			return &invalid.Input{
				Key:      "data",
				Found:    fmt.Sprintf("a covariance of %d points that is not positive definite", c.n),
				Expected: "a shorter data.length_scale or more data.noise",
			}
		}
		for i := range c.n {
			c.matrix[i*c.stride+i] += jitter * variance
		}
	}
}

// block is the number of rows that cholesky computes together. It is that of LAPACK's dpotrf in gonum:
// with another one, the diagonal would be summed in another order.
const block = 64

// cholesky replaces the matrix in c.factor by its factor. It returns false if the matrix is not
// positive definite. Each number has the bits that gonum's dpotrf computes.
func (c *covariance) cholesky() bool {
	for first := 0; first < c.n; first += block {
		last := min(first+block, c.n)
		for above := 0; above < first; above += block { // so that its rows stay in the cache
			for i := first; i < last; i++ {
				c.subtract(i, above, above+block, 1)
			}
		}
		for i := first; i < last; i++ {
			if !c.finish(first, i) {
				return false
			}
		}
	}
	return true
}

// subtract subtracts from row i what the rows above..below−1 contribute to it, and then scales it.
func (c *covariance) subtract(i, above, below int, scale float64) {
	from := i / lanes * lanes
	simd.SubtractProducts(c.factor[i*c.stride+from:(i+1)*c.stride], below-above, c.columns(above, i), c.columns(above, from), scale)
}

// columns returns the columns from column j on, of the rows from row i on.
func (c *covariance) columns(i, j int) simd.Columns {
	return simd.Columns{Data: c.factor[i*c.stride+j:], Stride: c.stride}
}

// finish computes row i, of which the rows before first have been subtracted.
func (c *covariance) finish(first, i int) bool {
	at := i*c.stride + i
	square := c.factor[at]
	if i > first {
		square -= c.squares(first, i)
	}
	if !(square > 0) {
		return false
	}
	root := math.Sqrt(square)
	c.subtract(i, first, i, 1/root)
	c.factor[at] = root
	return true
}

// squares returns the sum of the squares in column i of the rows from first to i−1. It adds every
// other one to a second sum, and the last one to this, as the assembly of gonum's ddot does.
func (c *covariance) squares(first, i int) float64 {
	var even, odd float64
	column := c.factor[i:]
	for k := first; k < i-1; k += 2 {
		a := column[k*c.stride]
		even += float64(a * a)
		if k+1 < i-1 {
			b := column[(k+1)*c.stride]
			odd += float64(b * b)
		}
	}
	a := column[(i-1)*c.stride]
	return even + (odd + float64(a*a))
}
