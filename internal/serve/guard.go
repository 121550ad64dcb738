package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/invalid"
)

// guarded refuses requests that a web page of another origin makes, that reach the server under a name
// that is not its own, or that lack the token. /healthz and the page's files need no token.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.named(r.Host) {
			refuse(w, http.StatusForbidden, "found the host "+r.Host+", expected "+strings.Join(s.Hosts, " or "))
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" && !sameOrigin(origin, r.Host) {
			refuse(w, http.StatusForbidden, "found the origin "+origin+", expected that of this server")
			return
		}
		if s.Token != "" && secret(r.URL.Path) && !s.carries(r) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(w, http.StatusUnauthorized, "Authorization: found no valid token, expected Bearer TOKEN")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// secret reports whether a path needs the token.
func secret(path string) bool { return strings.HasPrefix(path, "/v1/") || path == "/metrics" }

// named reports whether the name in the Host header is one of the server's. A page that rebinds its own
// name to this address (DNS rebinding) still sends its own name, and is refused.
func (s *Server) named(host string) bool {
	if s.Hosts == nil {
		return true
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return slices.Contains(s.Hosts, strings.ToLower(strings.Trim(host, "[]")))
}

// sameOrigin reports whether an Origin header names the host that the request went to.
func sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(u.Host, host)
}

// carries reports whether a request has the token. It takes the same time for any wrong token.
func (s *Server) carries(r *http.Request) bool {
	found, is := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	a, b := sha256.Sum256([]byte(found)), sha256.Sum256([]byte(s.Token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1 && is
}

// limited bounds the body, the time and the number of requests. next gets the body.
func (s *Server) limited(next func(w http.ResponseWriter, r *http.Request, body []byte, t *ticket)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		t, ok := s.admission.enter()
		if !ok {
			s.metrics.refused.Inc()
			w.Header().Set("Retry-After", "1")
			refuse(w, http.StatusTooManyRequests, "found too many requests at a time, expected fewer; try again in a second")
			return
		}
		defer t.leave()
		body, err := s.body(w, r, t)
		if err != nil {
			fail(w, err)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), s.Time)
		defer cancel()
		next(w, r.WithContext(ctx), body, t)
	}
}

// body reads the body of a request. A large one waits until there is memory for it, and for its answer if that
// is no larger.
func (s *Server) body(w http.ResponseWriter, r *http.Request, t *ticket) ([]byte, error) {
	if e := r.Header.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		return nil, &encoded{e}
	}
	from := http.MaxBytesReader(w, r.Body, s.Body)
	var read bytes.Buffer
	read.Grow(int(min(max(r.ContentLength, 0), smallBody)) + bytes.MinRead)
	_, err := io.CopyN(&read, from, smallBody)
	if err == nil {
		ctx, cancel := context.WithTimeout(r.Context(), s.Upload)
		defer cancel()
		if err := t.grow(ctx, t.total/largeBodies); err != nil {
			return nil, err
		}
		read.Grow(int(min(max(r.ContentLength-smallBody, 0), s.Body)) + bytes.MinRead)
		_, err = read.ReadFrom(from)
	}
	if bytes.HasPrefix(read.Bytes(), []byte("\x1f\x8b")) { // without a word about it
		return nil, &encoded{"gzip"}
	}
	return read.Bytes(), unread(r.Context(), err)
}

// An encoded is the error for a body that is compressed. Its size says little about what it takes.
type encoded struct{ how string }

func (e *encoded) Error() string {
	return "found a body in " + e.how + ", expected JSON as it is, without Content-Encoding"
}

// unread returns the error for a body that could not be read. What arrives is the client's to send.
func unread(ctx context.Context, err error) error {
	var large *http.MaxBytesError
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return nil
	case errors.As(err, &large), errors.Is(err, os.ErrDeadlineExceeded):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &invalid.Input{Key: "body", Found: "fewer bytes than Content-Length", Expected: "all of them"}
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return &invalid.Input{Key: "body", Found: err.Error(), Expected: "a body as HTTP/1.1 sends it"}
}
