package paper

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/invalid"
)

// Status says whether a benchmark can be trained on. Its JSON form is that of acqnp data check
// --json.
type Status struct {
	Benchmark string `json:"name"`
	Ready     bool   `json:"ready"`
	Detail    string `json:"detail"`         // the data found, or the error
	Help      string `json:"help,omitempty"` // how to get the missing files; "" if none are missing
}

// Check reads the files of every benchmark from its folder in dataDir.
func Check(dataDir string) []Status {
	var all []Status
	for _, b := range catalogue.All() {
		s := Status{Benchmark: b.Name, Ready: true}
		switch b.Kind {
		case catalogue.SpeedFlow:
			s = checkSpeedFlow(b, filepath.Join(dataDir, b.Name))
		case catalogue.Images:
			s = checkImages(b, dataDir)
		case catalogue.CSV:
			s.Detail = "reads the file or directory that data.file of a configuration names"
		case catalogue.Tasks:
			s.Detail = "reads what data.tasks or data.command of a configuration names"
		default:
			s.Detail = "drawn at random, needs no files"
		}
		all = append(all, s)
	}
	return all
}

// Ready returns the statuses of the named benchmarks, in the order of names. An unknown name or a
// benchmark that is not ready is an *invalid.Input.
func Ready(all []Status, names []string) ([]Status, error) {
	var known []string
	for _, s := range all {
		known = append(known, s.Benchmark)
	}
	var picked []Status
	for _, name := range names {
		i := slices.Index(known, name)
		if i < 0 {
			return nil, &invalid.Input{File: "BENCHMARK", Found: strconv.Quote(name), Expected: "one of " + strings.Join(known, ", ")}
		}
		picked = append(picked, all[i])
	}
	for _, s := range picked {
		if !s.Ready {
			return nil, &invalid.Input{File: s.Benchmark, Found: s.Detail, Expected: "all files: " + s.Help}
		}
	}
	return picked, nil
}

// checkSpeedFlow reads both lanes.
func checkSpeedFlow(b catalogue.Benchmark, dir string) Status {
	s := Status{Benchmark: b.Name}
	lanes, err := readLanes(dir, b, b.FileNames())
	if err != nil {
		s.Detail, s.Help = err.Error(), "acqnp data fetch "+b.Name+", or put into "+dir+": "+howToGetLanes
		var bad *invalid.Input
		if errors.As(err, &bad) && strings.HasSuffix(bad.Expected, howToGetLanes) { // no need to say it twice
			s.Detail = bad.File + ": " + bad.Found
		}
		return s
	}
	s.Ready = true
	s.Detail = fmt.Sprintf("%d rows in each of %d lanes, in %s", len(lanes[0].flow), len(lanes), dir)
	return s
}

// checkImages reads the files with the default configuration.
func checkImages(b catalogue.Benchmark, dataDir string) Status {
	s, dir := Status{Benchmark: b.Name, Help: "acqnp data fetch " + b.Name}, filepath.Join(dataDir, b.Name)
	var there, absent []string
	for _, f := range b.FileNames() {
		if missing(filepath.Join(dir, f)) {
			absent = append(absent, f)
		} else {
			there = append(there, f)
		}
	}
	if len(absent) > 0 {
		s.Detail = "no " + strings.Join(absent, " and no ") + " in " + dir
		if len(there) > 0 {
			s.Detail += " (" + strings.Join(there, ", ") + " is there)"
		}
		return s
	}
	e, err := config.Parse(b.Name, fmt.Appendf(nil, "{benchmark: %s, model: {name: cnp}}", b.Name), config.Overrides{})
	if err != nil {
		s.Detail = err.Error()
		return s
	}
	train, test, err := loadImages(e, b, dataDir)
	if err != nil {
		s.Detail, s.Help = err.Error(), "remove the file, then: "+s.Help
		return s
	}
	color := ""
	if train.Channels == 3 {
		color = " in colour"
	}
	return Status{Benchmark: b.Name, Ready: true, Detail: fmt.Sprintf("%d training and %d test images of %d×%d pixels%s, in %s",
		train.count(), test.count(), train.Height, train.Width, color, dir)}
}
