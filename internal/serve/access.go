package serve

import (
	"context"
	"crypto/rand"
	"net/http"
	"regexp"
	"time"
)

// A Request is what the access log says of a request: never its data.
type Request struct {
	ID     string // of the header X-Request-ID, or drawn; the answer has it too
	Method string
	Path   string // at most 200 bytes
	Status int
	Bytes  int           // of the answer's body
	Took   time.Duration // from the header to the end of the answer
	Groups int           // that were predicted or scored
}

// requestID is what an ID of a client may be.
var requestID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

type requestKey struct{}

// begin returns the record of a request, which its context carries.
func begin(r *http.Request) (*Request, *http.Request) {
	record := &Request{ID: r.Header.Get("X-Request-ID"), Method: r.Method, Path: r.URL.Path[:min(len(r.URL.Path), 200)]}
	if !requestID.MatchString(record.ID) {
		record.ID = rand.Text()
	}
	return record, r.WithContext(context.WithValue(r.Context(), requestKey{}, record))
}

// recordOf returns the record of a request.
func recordOf(r *http.Request) *Request { return r.Context().Value(requestKey{}).(*Request) }
