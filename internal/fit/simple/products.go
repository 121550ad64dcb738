package simple

import "math"

// A product holds products of the functions of two columns, so that the curve along one depends on the other:
// x_a·x_b, and sine i of a times sine j of b for all i below Sines[0] and j below Sines[1]. If b has two values,
// its only function is x_b.
type product struct {
	Columns [2]int `json:"columns"`
	Sines   [2]int `json:"sines"` // of b 0 if it has two values
}

// Bounds of products: with more pairs of columns there are none, and the functions of all of them are about
// productsOfAll.
const (
	mostPairs     = 15
	productsOfAll = 64
	mostWithTwo   = 12 // sines of a column beside one with two values
	mostOfBoth    = 6  // sines of each of two columns
)

// products returns the pairs of columns of which at least one has more than two values, nil if there are too
// many.
func (b basis) products() (all []product) {
	for c, n := range b.Sines {
		for d, m := range b.Sines {
			if n > 0 && (m == 0 || c < d) && c != d {
				all = append(all, product{Columns: [2]int{c, d}})
			}
		}
	}
	if len(all) > mostPairs {
		return nil
	}
	for i := range all {
		p := &all[i]
		each := productsOfAll/len(all) - 1
		n, m := b.Sines[p.Columns[0]], b.Sines[p.Columns[1]]
		if m == 0 {
			p.Sines[0] = min(n, each, mostWithTwo)
			continue
		}
		root := min(max(int(math.Sqrt(float64(each))), 2), mostOfBoth)
		p.Sines = [2]int{min(n, root), min(m, root)}
	}
	return all
}

// size returns the number of functions.
func (p product) size() int { return 1 + p.Sines[0]*max(1, p.Sines[1]) }

// fill writes the functions at a point, whose columns and sines are the start of row, from dst on, and returns the
// rest of dst. starts are the places of the columns' sines in row.
func (p product) fill(dst, row []float64, starts []int) []float64 {
	a, b := p.Columns[0], p.Columns[1]
	dst[0] = row[1+a] * row[1+b]
	dst = dst[1:]
	for _, v := range row[starts[a]:][:p.Sines[0]] {
		if p.Sines[1] == 0 {
			dst[0] = v * row[1+b]
			dst = dst[1:]
			continue
		}
		for j, w := range row[starts[b]:][:p.Sines[1]] {
			dst[j] = v * w
		}
		dst = dst[p.Sines[1]:]
	}
	return dst
}

// prior sets the variances of the coefficients from at on, and returns the place after them. blend is the
// deviation of products, wave the length along each column.
func (p product) prior(out *prior, at int, reach []float64, blend, wave float64) int {
	set := func(v, byWave float64) {
		out.variance[at], out.byBlend[at], out.byWave[at] = v+1e-12, 2*v, byWave*v
		at++
	}
	set(blend*blend, 0)
	for i := range p.Sines[0] {
		first, e := spectral(i, reach[p.Columns[0]], wave)
		if p.Sines[1] == 0 {
			set(blend*blend*first, 1-e*e)
		}
		for j := range p.Sines[1] {
			second, f := spectral(j, reach[p.Columns[1]], wave)
			set(blend*blend*first*second, 2-e*e-f*f)
		}
	}
	return at
}

// spectral returns the spectral density, at the frequency of sine j, of a squared exponential kernel of
// deviation 1, and the frequency times its length wave.
func spectral(j int, reach, wave float64) (density, e float64) {
	e = wave * math.Pi * float64(j+1) / (2 * reach)
	return math.Sqrt(2*math.Pi) * wave * math.Exp(-e*e/2), e
}
