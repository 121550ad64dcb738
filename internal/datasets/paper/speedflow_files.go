package paper

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/datasets/rda"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
)

// A lane is the data of one motorway lane in raw units: flow in vehicles an hour, speed in miles an
// hour.
type lane struct{ flow, speed []float64 }

// laneNames are the names of the data frames in R's file.
var laneNames = []string{"lane2", "lane3"}

// howToGetLanes says where the files come from, in one line.
const howToGetLanes = `lane2.csv and lane3.csv, or hdrcde's .rda with both. From R: install.packages("hdrcde"); ` +
	`write.csv(hdrcde::lane2, "lane2.csv"); write.csv(hdrcde::lane3, "lane3.csv")`

// readLanes reads both lanes from the files of a directory. If the catalogue's two files are not
// there, it reads the only .rda file of the directory.
func readLanes(dir string, b catalogue.Benchmark, files []string) ([]lane, error) {
	files, err := laneFiles(dir, b, files)
	if err != nil {
		return nil, err
	}
	var lanes []lane
	for _, file := range files {
		path := filepath.Join(dir, file)
		if isR(file) {
			found, err := lanesOfR(path)
			if err != nil {
				return nil, err
			}
			lanes = append(lanes, found...)
			continue
		}
		layout := rows.Layout{X: []string{"flow"}, Y: []string{"speed"}}
		points, _, err := layout.ReadTargets(path, true)
		if err != nil {
			return nil, err
		}
		lanes = append(lanes, lane{points[0].X, points[0].Y})
	}
	if len(lanes) != 2 {
		return nil, &invalid.Input{File: dir, Key: "data.files", Found: fmt.Sprintf("%d lanes in %s", len(lanes), strings.Join(files, ", ")),
			Expected: "2: two .csv files or one .rda"}
	}
	if a, b := len(lanes[0].flow), len(lanes[1].flow); a != b {
		return nil, &invalid.Input{File: dir, Found: fmt.Sprintf("lanes of %d and of %d rows", a, b), Expected: "lanes of the same length"}
	}
	return lanes, nil
}

// isR reports whether a file has the ending of R's data files.
func isR(file string) bool { return strings.EqualFold(filepath.Ext(file), ".rda") }

// laneFiles returns the names of the files to read. It refuses a file that does not exist.
func laneFiles(dir string, b catalogue.Benchmark, files []string) ([]string, error) {
	absent := slices.IndexFunc(files, func(f string) bool { return missing(filepath.Join(dir, f)) })
	if absent < 0 {
		return files, nil
	}
	if slices.Equal(files, b.FileNames()) {
		if r, err := fs.Glob(os.DirFS(dir), "*.[rR][dD][aA]"); err == nil && len(r) == 1 {
			return r, nil
		}
	}
	return nil, &invalid.Input{File: filepath.Join(dir, files[absent]), Found: "no such file",
		Expected: "the lanes, which come with: acqnp data fetch " + b.Name + ". Or put there " + howToGetLanes}
}

// lanesOfR reads the data frames lane2 and lane3 from R's file.
func lanesOfR(path string) ([]lane, error) {
	frames, err := rda.Read(path)
	if err != nil {
		return nil, err
	}
	var lanes []lane
	for _, name := range laneNames {
		frame, ok := frames[name]
		if !ok {
			return nil, &invalid.Input{File: path, Key: name, Found: "no such data frame", Expected: "the lanes lane2 and lane3"}
		}
		var columns [2][]float64
		for c, column := range []string{"flow", "speed"} {
			if columns[c], ok = frame[column]; !ok {
				return nil, &invalid.Input{File: path, Key: name + "$" + column, Found: "no such column", Expected: "a column of numbers"}
			}
			for row, v := range columns[c] {
				if !(math.Abs(v) <= math.MaxFloat32) {
					return nil, &invalid.Input{File: path, Key: fmt.Sprintf("%s$%s[%d]", name, column, row+1), Found: fmt.Sprint(v),
						Expected: "a finite number"}
				}
			}
		}
		lanes = append(lanes, lane{columns[0], columns[1]})
	}
	return lanes, nil
}
