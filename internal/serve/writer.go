package serve

import (
	"net/http"
	"time"
)

// A client has Limits.Reading to take each part of an answer, and lasting for all of it. So a client that
// reads nothing does not keep the memory of its answer.
const (
	part    = 64 << 10
	lasting = 2 * time.Minute
)

// A writer writes a long answer in parts, each with a deadline.
type writer struct {
	w    http.ResponseWriter
	to   *http.ResponseController
	each time.Duration // for a part
	last time.Time     // for the whole answer
	gone bool          // whether the client took too long; the rest is dropped
}

// begun begins an answer in JSON.
func (s *Server) begun(w http.ResponseWriter, status int) *writer {
	describe(w, status)
	return &writer{w: w, to: http.NewResponseController(w), each: s.Reading, last: time.Now().Add(lasting)}
}

// flushed writes b if it is a part or more, and returns what is left of it to append to.
func (w *writer) flushed(b []byte) []byte {
	if len(b) < part {
		return b
	}
	w.write(b)
	return b[:0]
}

// write writes b before its deadline, in parts.
func (w *writer) write(b []byte) {
	for len(b) > 0 && !w.gone {
		n := min(len(b), part)
		_ = w.to.SetWriteDeadline(time.Now().Add(min(w.each, time.Until(w.last)))) // a recorder of tests has none
		if _, err := w.w.Write(b[:n]); err != nil {
			w.gone = true
		}
		b = b[n:]
	}
}
