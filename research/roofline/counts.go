package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// Kernels with Hopper's own instructions need another nvcc than the others were recorded with.
var (
	//go:embed counts.txt
	recorded string
	//go:embed pairs.txt
	recordedPairs string
)

// A counted part of a kernel for one architecture.
type counted struct {
	kernel string
	sm     int
	name   string
	rows   int // of a tile: of a warp forward, of a block backward
	effort
}

const columns = "kernel gpu part rows instructions products shared barriers alone"

// readCounts reads what printCounts writes.
func readCounts(r io.Reader) (cs []counted, err error) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		if f := strings.Fields(line); len(f) == 0 || f[0] == "#" || f[0] == "kernel" {
			continue
		}
		var c counted
		_, err := fmt.Sscanf(line, "%s sm_%d %s %d %g %g %g %g %g", &c.kernel, &c.sm, &c.name, &c.rows,
			&c.Instructions, &c.Products, &c.Shared, &c.Barriers, &c.Alone)
		if err != nil {
			return nil, fmt.Errorf("found %q, expected %s: %w", line, columns, err)
		}
		cs = append(cs, c)
	}
	return cs, lines.Err()
}

func printCounts(to io.Writer, cs []counted) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.ReplaceAll(columns, " ", "\t"))
	for _, c := range cs {
		fmt.Fprintf(w, "%s\tsm_%d\t%s\t%d\t%g\t%g\t%g\t%g\t%g\n", c.kernel, c.sm, c.name, c.rows, c.Instructions, c.Products, c.Shared, c.Barriers, c.Alone)
	}
	return w.Flush()
}

// countFatbins counts the branch's kernels of width 128 in a directory of fatbins: all of them, or those
// that a file of counts has.
func countFatbins(dir, record string) (cs []counted, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "branch_*.fatbin"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: found no branch_*.fatbin; make fatbins writes them", dir)
	}
	if err != nil {
		return nil, err
	}
	if record != "" {
		files = slices.DeleteFunc(files, func(file string) bool { return ofPairs(file) != (record == "pairs.txt") })
	}
	for _, sm := range capabilities() {
		for _, file := range files {
			arch := fmt.Sprint("sm_", sm)
			if ofPairs(file) {
				if sm != 90 {
					continue
				}
				arch += "a"
			}
			kernels, err := disassemble(file, arch)
			if err != nil {
				return nil, err
			}
			for name, code := range kernels {
				parts, err := countKernel(name, sm, code)
				if err != nil {
					return nil, fmt.Errorf("sm_%d: %w", sm, err)
				}
				for _, c := range parts {
					c.kernel, c.sm = name, sm
					cs = append(cs, c)
				}
			}
		}
	}
	slices.SortStableFunc(cs, func(a, b counted) int {
		if a.kernel != b.kernel {
			return strings.Compare(a.kernel, b.kernel)
		}
		return a.sm - b.sm
	})
	return cs, nil
}

// ofPairs reports whether a fatbin has the kernels with Hopper's own instructions.
func ofPairs(fatbin string) bool { return strings.HasSuffix(fatbin, "_pairs.fatbin") }

// countKernel returns the parts of a kernel; none if it is not one of those that are predicted.
func countKernel(name string, sm int, code []instruction) ([]counted, error) {
	var w, rows int
	if n, _ := fmt.Sscanf(strings.Replace(name, "forward", "backward", 1), "branch_backward_f16_pairs_%d", &w); n == 1 && w == width {
		return pairParts(newProgram(name, code))
	}
	for precision, s := range splits {
		if sm < s.since || sm > s.until {
			continue
		}
		if n, _ := fmt.Sscanf(name, "branch_forward_"+precision+"_%d", &w); n == 1 && w == width {
			return forwardParts(newProgram(name, code), s)
		}
		if n, _ := fmt.Sscanf(name, "branch_backward_"+precision+"_%dx%d", &w, &rows); n == 2 && w == width {
			return backwardParts(newProgram(name, code), s, rows)
		}
	}
	return nil, nil
}

// loadCounts returns the counts of a directory of fatbins, or those that were recorded.
func loadCounts(fatbins, record string) ([]counted, error) {
	if fatbins != "" {
		return countFatbins(fatbins, record)
	}
	return readCounts(strings.NewReader(recorded + recordedPairs))
}
