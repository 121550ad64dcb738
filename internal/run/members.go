package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/invalid"
)

// membersDir is the directory of the runs of an ensemble's networks but the first, which is trained in
// the run directory itself.
const membersDir = "members"

// MemberDir returns the run directory of network k of an ensemble, from 1 on.
func MemberDir(dir string, k int) string { return filepath.Join(dir, membersDir, strconv.Itoa(k)) }

// Members returns the runs of an ensemble's networks but the first. It returns an *invalid.Input for one
// that is missing or was not trained with the run's configuration.
func (r *Run) Members() ([]*Run, error) {
	n := r.Experiment.Train.Ensemble()
	if n == 1 {
		return nil, nil
	}
	recorded, err := Open(r.Dir) // without the flags that changed r
	if err != nil {
		return nil, err
	}
	var members []*Run
	for k := 1; k < n; k++ {
		dir := MemberDir(r.Dir, k)
		if _, err := os.Stat(filepath.Join(dir, ConfigFile)); errors.Is(err, fs.ErrNotExist) {
			return nil, &invalid.Input{File: dir, Found: "no trained network",
				Expected: fmt.Sprintf("network %d of the %d that train.ensemble_size asks for (train --resume trains it)", k, n)}
		}
		m, err := Open(dir)
		if err != nil {
			return nil, err
		}
		if d := config.ResumeDifferences(recorded.Experiment.Member(k), m.Experiment); len(d) > 0 {
			return nil, &invalid.Input{File: filepath.Join(dir, ConfigFile), Found: "another configuration than that of the ensemble (" + strings.Join(d, "; ") + ")",
				Expected: "networks that were trained together (train --overwrite trains all)"}
		}
		members = append(members, m)
	}
	return members, nil
}
