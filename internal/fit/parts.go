package fit

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/run/version"
)

// partsFrom is the shortest fit whose model is kept: a shorter one is not worth a file.
var partsFrom = time.Second

// parts are the fitted models of a fit that has not ended, each in a file of a directory in the
// result's.
type parts struct {
	dir   string
	mutex sync.Mutex
	spent time.Duration
}

// openParts returns the parts of this fit. It refuses a directory with parts of another fit, or
// removes these if o says so.
func openParts(o Options) (*parts, error) {
	key, err := o.key()
	if err != nil {
		return nil, err
	}
	p := &parts{dir: filepath.Join(o.Out, partsPrefix+key)}
	others, err := filepath.Glob(filepath.Join(o.Out, partsPrefix+"*"))
	if err != nil {
		return nil, err
	}
	for _, other := range others {
		switch {
		case other == p.dir:
		case !o.Overwrite:
			return nil, &invalid.Input{File: "--out", Found: o.Out + " with a fit that did not end, of another file, formula, seed, budget or version of this program",
				Expected: "the same, to go on, or --overwrite to begin again"}
		default:
			if err := files.RemoveDir(other); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// key returns a hash of all that the models depend on.
func (o Options) key() (string, error) {
	f, err := files.Open(o.File, "a CSV file")
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%d\n%g\n%v\n%q\n%q\n", version.String(), o.Formula, o.Seed, o.Budget, o.Instant, o.Weights, o.Outcome)
	if _, err := io.Copy(h, f); err != nil {
		return "", files.Unreadable(o.File, "a CSV file", err)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), nil
}

// tidy removes the directory if nothing is kept.
func (p *parts) tidy() { _ = os.Remove(p.dir) } // fails if there are files

// remove removes the directory, and the temporary files that killed fits left beside it.
func (p *parts) remove() error {
	left, err := filepath.Glob(filepath.Join(filepath.Dir(p.dir), files.TempPrefix+"fit.*"))
	for _, path := range left {
		err = errors.Join(err, os.Remove(path))
	}
	return errors.Join(err, files.RemoveDir(p.dir))
}

// A column keeps the models of a column of y. It implements stack.Store.
type column struct {
	*parts
	number int
}

func (c column) path(name string) string {
	return filepath.Join(c.dir, fmt.Sprintf("%d.%s.json", c.number, strings.ReplaceAll(name, string(filepath.Separator), "-")))
}

// Load implements stack.Store. A file that cannot be read counts as absent.
func (c column) Load(name string) []byte {
	content, err := os.ReadFile(c.path(name))
	if err != nil {
		return nil
	}
	return content
}

// Save implements stack.Store.
func (c column) Save(name string, content []byte, took time.Duration) error {
	c.mutex.Lock()
	c.spent += took
	few := c.spent < partsFrom
	c.mutex.Unlock()
	if few {
		return nil
	}
	if err := os.Mkdir(c.dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return files.WriteBytes(c.path(name), content)
}
