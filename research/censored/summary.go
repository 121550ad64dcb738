package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
)

// A result is that of one way on one data set, of new groups with a number of known points.
type result struct {
	set                         int
	share                       float64
	way                         string
	known                       int
	targets, regret, half, most float64 // means over targets, but for their number
}

// appendResults adds the results of a data set to the file.
func appendResults(path string, all []result) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	for _, r := range all {
		cells := []string{strconv.Itoa(r.set), fmt.Sprint(r.share), r.way, strconv.Itoa(r.known)}
		for _, v := range []float64{r.targets, r.regret, r.half, r.most} {
			cells = append(cells, strconv.FormatFloat(v, 'g', 6, 64))
		}
		err = errors.Join(err, w.Write(cells))
	}
	w.Flush()
	return errors.Join(err, w.Error(), f.Close())
}

// summarise writes the regret and the shares of targets inside intervals by share, way and known points, with standard errors
// over data sets.
func summarise(out io.Writer, all []result) error {
	w := csv.NewWriter(out)
	header := []string{"below a limit", "values are", "known points", "data sets", "regret", "regret ±", "in 50%", "in 90%", "in 90% ±"}
	if err := w.Write(header); err != nil {
		return err
	}
	for _, share := range shares {
		for _, way := range ways {
			for _, n := range known {
				var of [3][]float64
				for _, r := range all {
					if r.share == share && r.way == way && r.known == n {
						of[0], of[1], of[2] = append(of[0], r.regret), append(of[1], r.half), append(of[2], r.most)
					}
				}
				if len(of[0]) == 0 {
					continue
				}
				regret, regretError := meanError(of[0])
				half, _ := meanError(of[1])
				most, mostError := meanError(of[2])
				row := []string{fmt.Sprintf("%g%%", 100*share), way, strconv.Itoa(n), strconv.Itoa(len(of[0])), fmt.Sprintf("%.3f", regret), fmt.Sprintf("%.3f", regretError),
					fmt.Sprintf("%.1f", 100*half), fmt.Sprintf("%.1f", 100*most), fmt.Sprintf("%.1f", 100*mostError)}
				if err := w.Write(row); err != nil {
					return err
				}
			}
		}
	}
	w.Flush()
	return w.Error()
}

// meanError returns the mean and its standard error.
func meanError(values []float64) (mean, se float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		se += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(se / max(n-1, 1) / n)
}
