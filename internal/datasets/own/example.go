package own

import (
	"bufio"
	"fmt"
	"io"
	"math"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/random"
)

// WriteExample writes invented data as the csv benchmark reads them: second-hand prices of products
// by age. It returns the number of products, which are the groups, and of rows. The same seed
// writes the same file.
func WriteExample(path string, seed uint64) (products, rows int, err error) {
	const sales = 80 // of each product
	products = 60
	err = files.Write(path, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		fmt.Fprintln(b, "product,age,price")
		for p := range products {
			writeSales(b, seed, p, sales)
		}
		return b.Flush()
	})
	return products, products * sales, err
}

// writeSales writes the sales of a product. Each product has its own price when new, loss of value
// per year and share of refurbished pieces. A refurbished piece costs 1.7 times as much. The noise
// is a factor whose logarithm is the sum of a normal and an exponential number, so prices vary more
// upwards than downwards.
func writeSales(w io.Writer, seed uint64, product, sales int) {
	g, step := random.New(seed, random.Data), uint64(product)
	between := func(index uint64, lo, hi float64) float64 { return lo + (hi-lo)*g.Float(step, index) }
	priceNew, loss, refurbished := between(0, 300, 600), between(1, 0.1, 0.3), between(2, 0.35, 0.65)
	for i := range uint64(sales) {
		at := 4 + 8*i // the first of the sale's random numbers: three uniform ones and a normal one
		age, price := between(at, 0.2, 6), priceNew
		if between(at+1, 0, 1) < refurbished {
			price *= 1.7
		}
		stray := 0.06*g.Normal(step, at/2+2) - 0.05*math.Log(1-between(at+2, 0, 1))
		fmt.Fprintf(w, "p%02d,%.2f,%.0f\n", product+1, age, price*math.Exp(stray-loss*age))
	}
}
