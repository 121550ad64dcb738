package serve_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/serve"
	"github.com/acqnp/acqnp/internal/serve/servetest"
	"github.com/acqnp/acqnp/internal/test/must"
)

// levels returns a number of quantile levels as JSON.
func levels(n int) string { return "[" + strings.Repeat("0.25,", n-1) + "0.75]" }

// Work is counted before it begins, so that no request holds a predictor for longer than it may take.
func TestWorkIsBounded(t *testing.T) {
	server, _ := start(t, func(o *serve.Options) { o.Work = 10_000_000 })
	_, many := asked(3, 80, false)
	_, more := asked(10, 2000, false)
	for body, line := range map[string]string{
		`{"quantiles": ` + levels(200) + `, "groups": [` + many + `]}`: "work for the answer",
		`{"regions": [0.5, 0.9], "groups": [` + more + `]}`:            "work for the answer",
		`{"modes": true, "groups": [` + more + `]}`:                    "work for the answer",
		`{"draws": 100, "groups": [` + more + `]}`:                     "work for the answer",
		`{"draws": 100000, "groups": [` + many + `]}`:                  "numbers in the answer",
	} {
		if answer := says(t, server, body, 413, "expected at most "); !isLine([]byte(answer), line) {
			t.Errorf("%.300s, want %s", answer, line)
		}
	}
}

// A single target that takes minutes ends soon after its time.
func TestATargetEndsInTime(t *testing.T) {
	bnp := strings.NewReplacer("acqnp", "bnp", "representation: 8, encoder: [8], adaptor: [8], decoder: [8]", "width: 8, pre_depth: 2, post_depth: 2, decoder_depth: 2, eval_bootstraps: 200").Replace(servetest.Curve)
	_, s := serving(t, bnp, func(o *serve.Options) { o.Work, o.Time = 1<<60, 200*time.Millisecond })
	body := `{"quantiles": ` + levels(1_000_000) + `, "groups": [{"context": {"x": [[1], [2]], "y": [[1], [5]]}, "targets": {"x": [[3]]}}]}`
	answered := make(chan string, 1)
	go func() {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequestWithContext(context.Background(), "POST", "/v1/predict", strings.NewReader(body)))
		answered <- fmt.Sprint(w.Code, " ", w.Body)
	}()
	select {
	case got := <-answered:
		if !strings.HasPrefix(got, "503 ") {
			t.Errorf("%.300s", got)
		}
	case <-time.After(20 * time.Second): // a hundred times as long as it may take
		t.Error("the request goes on after its time")
	}
}

// Clients that read nothing hold their answers for a moment alone, and only as many as the memory takes.
func TestClientsThatDoNotRead(t *testing.T) {
	server := listening(t, func(o *serve.Options) { o.Memory, o.Reading = 60<<20, 200*time.Millisecond })
	_, text := asked(1, 100, false)
	body := `{"density": {"points": 4000}, "groups": [` + text + `]}` // its answer has 15 MB
	for range 6 {                                                     // for three of which there is memory at a time
		c := dial(t, server.Listener.Addr().String(), header(len(body)))
		must.Do(t, c.SetReadBuffer(4096))
		must.Get(io.WriteString(c, body))(t)
	}
	lives(t, server)
	until(t, "the end of all answers", func() bool { return metric(t, server, "acqnp_http_requests_in_flight") == 1 })
}

// An answer beyond the memory of the server is refused, and so is a body.
func TestMemoryIsBounded(t *testing.T) {
	server := listening(t, func(o *serve.Options) { o.Memory = 8 << 20 })
	_, text := asked(1, 200, false)
	for body, line := range map[string]string{
		`{"density": {"points": 2600}, "groups": [` + text + `]}`:                   "memory of the answer: found",
		`{"groups": [{"targets": {"x": [[1` + strings.Repeat(" ", 1<<19) + "]]}}]}": "found a body of more than 262144 bytes",
	} {
		if answer := says(t, server, body, 413); !isLine([]byte(answer), line) {
			t.Errorf("%.300s, want %s", answer, line)
		}
	}
}

// What the client sends wrong is its mistake, also within the framing of HTTP.
func TestMalformedChunks(t *testing.T) {
	server := listening(t)
	const header = "POST /v1/predict HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
	for _, chunks := range []string{"zz\r\n", "5\r\nabcdefgh\r\n", "-1\r\n", "ffffffffffffffffff\r\n"} {
		refused(t, dial(t, server.Listener.Addr().String(), header+chunks), 400, "body: found ")
	}
}

// served starts a server as the command does, and returns its address, a function that ends it, and what it
// says then.
func served(t *testing.T, o serve.Options) (address string, end context.CancelFunc, whole func() bool) {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	ctx, end := context.WithCancel(t.Context())
	s, ended := serve.New([]*serve.Model{model(t, "a")}, o), make(chan bool, 1)
	go func() {
		all, err := s.Serve(ctx, l)
		if err != nil {
			t.Error(err)
		}
		ended <- all
	}()
	return l.Addr().String(), end, func() bool {
		select {
		case all := <-ended:
			return all
		case <-time.After(30 * time.Second):
			t.Fatal("the server does not end")
			return false
		}
	}
}

// half sends the header of a request and a part of its body, and waits until the server has it.
func half(t *testing.T, address string) net.Conn {
	t.Helper()
	c := dial(t, address, header(len(small))+small[:20])
	until(t, "the request", func() bool {
		_, text := get(t, "http://"+address+"/metrics")
		return strings.Contains(text, "acqnp_http_requests_in_flight 2")
	})
	return c
}

// A server that is told to end answers what is under way, as long as a request may take, and then ends
// without an error.
func TestEndsAfterRequestsUnderWay(t *testing.T) {
	http.DefaultClient.CloseIdleConnections()
	o := limited()
	address, end, whole := served(t, o)
	c := half(t, address)
	end()
	until(t, "the end of the listener", func() bool {
		other, err := net.Dial("tcp", address)
		if err == nil {
			_ = other.Close()
		}
		return err != nil
	})
	must.Get(io.WriteString(c, small[20:]))(t)
	if answer, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 200") {
		t.Errorf("%s, %v", answer, err)
	}
	if !whole() {
		t.Error("a request is said to be cut")
	}
	o.Time = 300 * time.Millisecond
	address, end, whole = served(t, o)
	half(t, address) // the rest never comes
	end()
	if whole() {
		t.Error("a request that was cut is not said")
	}
}
