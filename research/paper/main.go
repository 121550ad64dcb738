// Command paper makes the tables and pictures that set our figures beside the paper's. Without
// arguments it makes those that follow from other tables: the difference of each cell, with errors that
// include what a single seed varies by, the paper's claims, and the picture of all cells.
//
//	go run -C research ./paper
//
// With a word and runs it makes those that need trained weights, or evaluations:
//
//	go run -C research ./paper lanes ~/lab/runs/speed-flow/*/seed-0     # splits of speed-flow, and intervals
//	go run -C research ./paper modes ~/lab/runs/double-sine/*/seed-0    # between the modes of curves
//	go run -C research ./paper floors ~/lab/runs/splits                 # the floor of σ
//	go run -C research ./paper scores runs                              # CRPS and coverage of each cell
//	go run -C research ./paper last ~/lab/runs                          # the last checkpoints beside the last step
//	go run -C research ./paper levels ~/lab/runs                        # figure 4, left
//	go run -C research ./paper depths ~/lab/runs/lissajous/acqnp        # figure 4, right
//
// Paths are relative to research.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// options are the flags.
type options struct {
	data   string // directory of the CSV files
	images string // directory of the pictures
	sets   string // directory of the data sets
}

func main() {
	var o options
	flag.StringVar(&o.data, "data", "data", "directory of the CSV files")
	flag.StringVar(&o.images, "images", "../docs/img", "directory of the pictures")
	flag.StringVar(&o.sets, "data-dir", "../data", "directory of the data sets")
	flag.Parse()
	if err := write(o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "paper:", err)
		os.Exit(2)
	}
}

func write(o options, args []string) error {
	if len(args) == 0 {
		return tables(o)
	}
	words := map[string]func(options, []string) error{"lanes": lanes, "modes": modes, "floors": floors, "scores": scores, "last": last, "levels": levels, "depths": depths}
	do := words[args[0]]
	if do == nil || len(args) == 1 {
		return fmt.Errorf("found %q, expected lanes, modes, floors, scores, last, levels or depths, and runs", args)
	}
	return do(o, args[1:])
}

// tables writes what follows from other tables.
func tables(o options) error {
	cells, err := readCells(filepath.Join(o.data, cellsFile), asThePaper...)
	if err != nil {
		return err
	}
	if err := writeCSV(filepath.Join(o.data, "paper-differences.csv"), differences(cells)); err != nil {
		return err
	}
	claims, err := claimTable(o.data, cells)
	if err != nil {
		return err
	}
	if err := writeCSV(filepath.Join(o.data, "paper-claims.csv"), claims); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.images, "paper-cells.svg"), []byte(forest(cells)), 0o644)
}
