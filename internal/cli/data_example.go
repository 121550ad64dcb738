package cli

import (
	"bufio"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/atomicfile"
	"github.com/acqnp/acqnp/internal/output"
	"github.com/acqnp/acqnp/internal/random"
)

type exampleOptions struct {
	out  string
	seed uint64
}

func newDataExample(a *app) *cobra.Command {
	var o exampleOptions
	cmd := &cobra.Command{
		Use:   "example --out FILE",
		Short: "Write a CSV file to try the csv benchmark with",
		Long: `Write invented data in the form that the csv benchmark reads: second-hand prices of 60 products over their age, 80
sales of each. Some sales are of refurbished pieces, which bring more, so that a product has two prices at most ages, and
few buyers pay much more than others. Equal seeds write equal files.`,
		Example: `  acqnp data example --out prices.csv
  acqnp train --config configs/csv/cqnp.yaml`,
		Args: cobra.NoArgs,
		RunE: a.run(func(*cobra.Command) error { return runDataExample(a, o) }),
	}
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "CSV `FILE` to write")
	f.Uint64Var(&o.seed, "seed", 43, "`NUMBER` that the data depend on")
	must(cmd.MarkFlagRequired("out"))
	must(cmd.MarkFlagFilename("out", "csv"))
	return cmd
}

// exampleSummary is the result of data example.
type exampleSummary struct {
	Out       string `json:"out"`
	Functions int    `json:"functions"`
	Rows      int    `json:"rows"`
	Seed      uint64 `json:"seed"`
}

func runDataExample(a *app, o exampleOptions) error {
	if err := a.checkOutputs([]output.File{{Flag: "--out", Path: o.out}}); err != nil {
		return err
	}
	const products, sales = 60, 80
	err := atomicfile.Write(o.out, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		fmt.Fprintln(b, "product,age,price")
		for p := range products {
			writeSales(b, o.seed, p, sales)
		}
		return b.Flush()
	})
	if err != nil {
		return err
	}
	s := exampleSummary{Out: o.out, Functions: products, Rows: products * sales, Seed: o.seed}
	return a.result(s, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: %d rows, the prices of %d products by their age\n", s.Out, s.Rows, s.Functions)
		return err
	})
}

// writeSales writes the sales of a product. Its price new, how fast it ages and how many pieces are sold refurbished are
// its own; those bring more by the same factor everywhere. Prices stray by a factor whose logarithm is the sum of a normal
// number and of an exponential one, so that they stray further upwards.
func writeSales(w io.Writer, seed uint64, product, sales int) {
	g, step := random.New(seed, random.Data), uint64(product)
	between := func(index uint64, lo, hi float64) float64 { return lo + (hi-lo)*g.Float(step, index) }
	priceNew, loss, refurbished := between(0, 300, 600), between(1, 0.1, 0.3), between(2, 0.35, 0.65)
	for i := range uint64(sales) {
		at := 4 + 8*i // words of this sale: three uniform numbers, and two for a normal one
		age, price := between(at, 0.2, 6), priceNew
		if between(at+1, 0, 1) < refurbished {
			price *= 1.7
		}
		stray := 0.06*g.Normal(step, at/2+2) - 0.05*math.Log(1-between(at+2, 0, 1))
		fmt.Fprintf(w, "p%02d,%.2f,%.0f\n", product+1, age, price*math.Exp(stray-loss*age))
	}
}
