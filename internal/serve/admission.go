package serve

import (
	"context"
	"errors"
	"math"

	"golang.org/x/sync/semaphore"

	"github.com/acqnp/acqnp/internal/engine/device/memory"
	"github.com/acqnp/acqnp/internal/invalid"
)

// An admission bounds what all requests take together: their number, and the memory of the large ones.
//
// A request is small while its body and its answer are. It takes no memory from the bound, so that large
// requests, whose clients may write and read slowly, never hold it up. A request takes memory once, when
// it is first known to be large, and later gives back what it does not need. No request that has memory
// waits for more, so they cannot wait for one another.
type admission struct {
	slots  chan struct{} // has an element for each request that is computed or waits
	memory *semaphore.Weighted
	total  int64 // of memory, in bytes
}

func newAdmission(o Options) *admission {
	return &admission{make(chan struct{}, o.Concurrent), semaphore.NewWeighted(o.Memory), o.Memory}
}

// Bytes of a small request, of a body and of an answer.
const (
	smallBody   = 64 << 10
	smallAnswer = 512 << 10
)

// bodyFactor is how many times its size a body takes at most: its buffer while it grows, numbers of 8
// bytes that have a digit and a comma, and the places of rows.
const bodyFactor = 8

// largeBodies is the least number of large bodies that the memory holds.
const largeBodies = 4

// largestBody returns the size of the largest body for which there is memory, at most most bytes.
func largestBody(most, total int64) int64 { return min(most, total/largeBodies/bodyFactor) }

// A ticket is what a request has been admitted to.
type ticket struct {
	*admission
	has int64
}

// enter admits a request, unless there are too many.
func (a *admission) enter() (*ticket, bool) {
	select {
	case a.slots <- struct{}{}:
		return &ticket{admission: a}, true
	default:
		return nil, false
	}
}

// leave gives back all that the request has.
func (t *ticket) leave() {
	t.shrink(0)
	<-t.slots
}

// grow takes memory for a request that has none. It waits until there is enough, or until ctx ends.
func (t *ticket) grow(ctx context.Context, bytes int64) error {
	if err := t.memory.Acquire(ctx, bytes); err != nil {
		return err
	}
	t.has = bytes
	return nil
}

// shrink gives back what the request has above a number of bytes.
func (t *ticket) shrink(bytes int64) {
	if spare := t.has - bytes; spare > 0 {
		t.memory.Release(spare)
		t.has = bytes
	}
}

// answers takes memory for the answer of a request, or gives back what the answer leaves of that which
// the request has. It refuses an answer that is larger than all memory.
func (t *ticket) answers(ctx context.Context, body int, bytes float64) error {
	if t.has > 0 {
		bytes += float64(body * bodyFactor)
	}
	if bytes > float64(t.total) {
		return &tooLarge{&invalid.Input{Key: "memory of the answer", Found: memory.Size(bytes), Expected: "at most " + memory.Size(float64(t.total)) + " on this server"}}
	}
	needs := int64(math.Ceil(bytes))
	switch more := needs - t.has; {
	case t.has == 0 && needs <= smallAnswer:
		return nil
	case t.has == 0:
		return t.grow(ctx, needs)
	case more <= 0:
		t.shrink(needs)
		return nil
	case !t.memory.TryAcquire(more):
		return errBusy
	}
	t.has = needs
	return nil
}

// errBusy is the error for a request with memory that needs more than is left.
var errBusy = errors.New("found no memory left for the answer, expected a smaller request or a less busy server")
