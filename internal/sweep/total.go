package sweep

import (
	"fmt"
	"strings"
	"time"

	"github.com/acqnp/acqnp/internal/run"
)

// show shows how far the sweep has come.
func (p *pool) show() {
	p.mu.Lock()
	share, text := p.total(time.Now())
	p.mu.Unlock()
	p.Board.Total(share, text)
}

// share returns the share of the work that is done. Every run has the same weight, and counts by the
// share of its steps. The caller holds the pool's lock.
func (p *pool) share() float64 {
	done := 0.0
	for _, m := range p.runs {
		switch {
		case m.over():
			done++
		case m.steps > 0: // else not known yet
			done += float64(m.step) / float64(m.steps)
		}
	}
	return done / float64(max(len(p.runs), 1))
}

// total returns the share of the work that is done, and the state of the sweep in words. The caller
// holds the pool's lock.
func (p *pool) total(now time.Time) (share float64, text string) {
	count := map[string]int{}
	for _, m := range p.runs {
		switch {
		case m.phase == run.Done:
			count["done"]++
		case m.failure != nil:
			count["failed"]++
		case m.dropped:
			count["dropped"]++
		case m.busy:
			count["running"]++
		case m.phase == run.Running:
			count["running elsewhere"]++
		default:
			count["waiting"]++
		}
	}
	share = p.share()
	if p.began.IsZero() {
		p.began, p.first = now, share
	}
	parts := []string{fmt.Sprintf("sweep: %d of %d done", count["done"], len(p.runs))}
	for _, name := range []string{"running", "running elsewhere", "waiting", "dropped", "failed"} {
		if count[name] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[name], name))
		}
	}
	if gained := share - p.first; gained > 0 && share < 1 && p.Plan.Halving == nil { // which drops runs of a sudden
		parts = append(parts, seconds(now.Sub(p.began).Seconds()*(1-share)/gained)+" left")
	}
	return share, strings.Join(parts, ", ")
}
