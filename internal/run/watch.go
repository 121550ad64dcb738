package run

import (
	"sync"
	"time"
)

// A Watch looks at runs again and again. A run that is in doubt is running if the heartbeat of its claim
// moves between two looks. Its methods may be called from any goroutine.
type Watch struct {
	mu   sync.Mutex
	seen map[string]*seen // by directory
}

// seen holds what a Watch knows about a claim.
type seen struct {
	claim claim
	since time.Time // of its last heartbeat, or of the first look
	moved bool
}

// stillBeats is the number of missed heartbeats after which a claim in doubt counts as abandoned. A
// trainer that wants to take over watches longer.
const stillBeats = 3

// StateOf is the function of that name with the memory of earlier looks. A run stays in doubt for
// some heartbeats from the first look.
func (w *Watch) StateOf(dir string, evaluate bool) (State, error) {
	s, who, err := look(dir, evaluate)
	if err != nil || !s.InDoubt {
		return s, err
	}
	moved, still := w.see(dir, who.claim)
	switch {
	case still:
		s.InDoubt = false
	case moved:
		s.Phase, s.Host, s.Job = Running, who.claim.Host, who.claim.Job
		s.InDoubt, s.Failure = false, nil
	}
	return s, nil
}

// see reports whether a claim has moved since an earlier look, or has stood still for long.
func (w *Watch) see(dir string, c claim) (moved, still bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen == nil {
		w.seen = map[string]*seen{}
	}
	now := time.Now()
	before := w.seen[dir]
	switch {
	case before == nil:
		w.seen[dir] = &seen{claim: c, since: now}
		return false, false
	case before.claim != c:
		before.claim, before.since, before.moved = c, now, true
	}
	still = now.Sub(before.since) > stillBeats*c.interval()
	return before.moved && !still, still
}

// Patience returns for how long at most a run is in doubt, if it is looked at often.
func (w *Watch) Patience() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	longest := time.Duration(0)
	for _, s := range w.seen {
		longest = max(longest, stillBeats*s.claim.interval())
	}
	return longest
}
