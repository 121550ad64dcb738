package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/serve"
	"github.com/acqnp/acqnp/internal/serve/servetest"
	"github.com/acqnp/acqnp/internal/test/must"
)

const small = `{"groups": [{"targets": {"x": [[1]]}}]}`

// listening starts a server of a CNP, whose draws are never too large, which must still answer when the test ends.
func listening(t *testing.T, change ...func(*serve.Options)) *httptest.Server {
	t.Helper()
	server, _ := serving(t, strings.NewReplacer("acqnp", "cnp", "adaptor: [8], ", "").Replace(servetest.Curve), change...)
	t.Cleanup(func() { lives(t, server) })
	return server
}

// lives fails the test unless the server answers a request.
func lives(t *testing.T, server *httptest.Server) {
	t.Helper()
	if status, answer := post(t, server.URL+"/v1/predict", small); status != 200 {
		t.Errorf("afterwards: %d %s", status, answer)
	}
}

// dial opens a connection that sends text.
func dial(t *testing.T, address, text string) *net.TCPConn {
	t.Helper()
	c := must.Get(net.Dial("tcp", address))(t)
	t.Cleanup(func() { _ = c.Close() })
	must.Get(io.WriteString(c, text))(t)
	return c.(*net.TCPConn)
}

// header returns the header of a request whose body has a number of bytes.
func header(bytes int) string {
	return fmt.Sprintf("POST /v1/predict HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n", bytes)
}

// refused reads an answer and fails the test unless it is an error in one line that starts so.
func refused(t *testing.T, from io.Reader, status int, line string) {
	t.Helper()
	r := must.Get(http.ReadResponse(bufio.NewReader(from), nil))(t)
	defer r.Body.Close()
	answer, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != status || !isLine(answer, line) {
		t.Errorf("%d %q %v, want %d %q", r.StatusCode, answer, err, status, line)
	}
}

// isLine reports whether an answer is an error in one short line that starts so.
func isLine(answer []byte, start string) bool {
	var found struct{ Error string }
	err := json.Unmarshal(answer, &found)
	return err == nil && strings.HasPrefix(found.Error, start) && !strings.Contains(found.Error, "\n") && len(found.Error) < 400
}

// metric returns a number of the server's metrics.
func metric(t *testing.T, server *httptest.Server, name string) float64 {
	t.Helper()
	_, text := get(t, server.URL+"/metrics")
	m := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (.*)$`).FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	return must.Get(strconv.ParseFloat(m[1], 64))(t)
}

// until waits for a condition.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 3000 {
		if holds() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("waited for %s, which did not come", what)
}

// A body that ends too early is refused. If the client has gone as well, nothing is left of it.
func TestHalfRequests(t *testing.T) {
	server := listening(t, func(o *serve.Options) { o.Concurrent = 1 })
	ended := func() float64 {
		return metric(t, server, `acqnp_http_request_duration_seconds_count{route="/v1/predict"}`)
	}
	for i, half := range []string{header(100), header(100) + small[:20], "POST /v1/predict HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n" + small[:8]} {
		c := dial(t, server.Listener.Addr().String(), half)
		must.Do(t, c.CloseWrite())
		refused(t, c, 400, "body: found fewer bytes than Content-Length")
		c = dial(t, server.Listener.Addr().String(), half)
		_ = c.Close()
		until(t, "the end of both requests", func() bool { return ended() == float64(2*(i+1)) })
	}
	_ = dial(t, server.Listener.Addr().String(), "POST /v1/pre").Close()
	until(t, "an empty queue", func() bool { return metric(t, server, "acqnp_http_requests_in_flight") == 1 })
}

// A body that comes slowly is refused at the deadline; a header that does so ends the connection.
func TestSlowRequests(t *testing.T) {
	server := listening(t, func(o *serve.Options) { o.Upload = 300 * time.Millisecond })
	for text, answered := range map[string]bool{header(1000): true, "GET /healthz HTTP/1.1\r\nX-Slow: ": false} {
		c := dial(t, server.Listener.Addr().String(), text)
		stopped := make(chan struct{})
		go func() { // a byte at a time, until the connection ends
			defer close(stopped)
			for {
				if _, err := c.Write([]byte(" ")); err != nil {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		}()
		from := bufio.NewReader(c)
		if answered {
			refused(t, from, 408, "found a body that arrives too slowly")
		}
		if rest, _ := io.ReadAll(from); len(rest) > 0 && answered {
			t.Errorf("after the answer: %q", rest)
		}
		<-stopped
	}
}

// When a client goes, the work for it is abandoned and its place in the queue is free again. A server
// with one place would refuse the last request otherwise, and one that went on would take minutes.
func TestKilledClients(t *testing.T) {
	server := listening(t, func(o *serve.Options) {
		o.Concurrent, o.Numbers, o.Work, o.Memory, o.Time = 1, 1<<30, 1<<60, 1<<60, time.Hour
	})
	for options, targets := range map[string]int{`"quantiles": [0.5]`: 90_000, `"density": {"points": 2000}`: 50_000, `"draws": 1000`: 9000} {
		_, many := asked(10, targets, false)
		ctx, kill := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			r, err := http.NewRequestWithContext(ctx, "POST", server.URL+"/v1/predict", strings.NewReader(`{`+options+`, "groups": [`+many+`]}`))
			if err == nil {
				_, err = http.DefaultClient.Do(r)
			}
			ended <- err
		}()
		until(t, "the request", func() bool { return metric(t, server, "acqnp_http_requests_in_flight") == 2 })
		time.Sleep(50 * time.Millisecond) // it is likely being computed; the test holds if it is not
		kill()
		<-ended
		until(t, "the end of the work", func() bool { return metric(t, server, "acqnp_http_requests_in_flight") == 1 })
		lives(t, server)
	}
	if metric(t, server, `acqnp_http_requests_total{code="499",route="/v1/predict"}`) == 0 {
		t.Error("no request was abandoned")
	}
}

// Headers that are too long, and paths and hosts of any text, are refused in short.
func TestBadHeaders(t *testing.T) {
	server := listening(t, func(o *serve.Options) { o.Hosts = []string{"127.0.0.1"} })
	long := strings.Repeat("a", 50_000)
	refused(t, dial(t, server.Listener.Addr().String(), "GET /healthz HTTP/1.1\r\nHost: "+long+"\r\n\r\n"), 403, "found the host aaa")
	refused(t, dial(t, server.Listener.Addr().String(), "GET /v1/"+long+" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), 404, "found the path /v1/aaa")
	refused(t, dial(t, server.Listener.Addr().String(), "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://"+long+"\r\n\r\n"), 403, "found the origin http://aaa")
	refused(t, dial(t, server.Listener.Addr().String(), strings.ToUpper(long)+" /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), 405, "found the method AAA")
	r, err := http.ReadResponse(bufio.NewReader(dial(t, server.Listener.Addr().String(), "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "+strings.Repeat(long, 2)+"\r\n\r\n")), nil)
	if err != nil || r.StatusCode != 431 {
		t.Errorf("a header of 100 kB: %v %v", r, err)
	}
}

// Large bodies wait while some are under way; small ones do not wait for them.
func TestLargeBodiesWait(t *testing.T) {
	server := listening(t)
	body := strings.Replace(small, "[[1]]", "[[1]"+strings.Repeat(" ", 1<<19)+"]", 1)
	var slow []*net.TCPConn
	for range 4 {
		slow = append(slow, dial(t, server.Listener.Addr().String(), header(len(body))+body[:1<<19-1000]))
	}
	until(t, "four large bodies", func() bool { return metric(t, server, "acqnp_http_requests_in_flight") == 5 })
	lives(t, server)
	for _, c := range slow {
		must.Get(io.WriteString(c, body[1<<19-1000:]))(t)
		r, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || r.StatusCode != 200 {
			t.Errorf("%v %v", r, err)
		}
	}
	for range 9 {
		if status, answer := post(t, server.URL+"/v1/predict", body); status != 200 {
			t.Errorf("%d %s", status, answer)
		}
	}
}

// Large answers wait for one another, and all come.
func TestLargeAnswers(t *testing.T) {
	server := listening(t)
	_, text := asked(1, 200, false)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if status, answer := post(t, server.URL+"/v1/predict", `{"density": {"points": 2600}, "groups": [`+text+`]}`); status != 200 {
				t.Errorf("%d %.200s", status, answer)
			}
		})
	}
	all.Wait()
}
