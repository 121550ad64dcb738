package sweep

import (
	"bytes"
	"strconv"
	"sync"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/sweep/plan"
)

// texts makes the text of config.yaml for each run. The runs of a candidate differ only in the seed, so
// the text is made once for a candidate, and each run's seed is put in.
type texts struct {
	mu    sync.Mutex
	known map[[2]string]*around // by configuration and candidate
}

// around is the text before and after the seed.
type around struct{ before, after []byte }

// of returns the YAML text of a run.
func (t *texts) of(r plan.Run) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := [2]string{r.Config, r.Candidate}
	a := t.known[key]
	if a == nil {
		var err error
		if a, err = aroundSeed(r.Experiment); err != nil {
			return nil, err
		}
		if t.known == nil {
			t.known = map[[2]string]*around{}
		}
		t.known[key] = a
	}
	text := append(bytes.Clone(a.before), strconv.FormatUint(r.Seed, 10)...)
	return append(text, a.after...), nil
}

// aroundSeed finds the seed's place in the text of a configuration: it is where the texts with seeds 1
// and 2 differ.
func aroundSeed(e config.Experiment) (*around, error) {
	var err error
	if e.Data.File, err = datasets.AbsoluteFile(e.Data.File); err != nil { // as training has it
		return nil, err
	}
	var text [2][]byte
	for i := range text {
		e.Train.Seed = uint64(i + 1)
		if text[i], err = e.YAML(); err != nil {
			return nil, err
		}
	}
	at := 0
	for text[0][at] == text[1][at] {
		at++
	}
	return &around{before: text[0][:at], after: text[0][at+1:]}, nil
}
