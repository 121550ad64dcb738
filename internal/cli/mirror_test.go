package cli_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
)

// mirror serves a torn file of freyface, which has no published checksum, and a wrong one of mnist.
func mirror(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/data/freyface/frey_rawface.mat":
			w.Write([]byte("MATLAB 5.0 MAT-file, torn"))
		case "/data/mnist/train-images-idx3-ubyte.gz":
			w.Write(make([]byte, 9912422)) // its size, not its sum
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/data"
}

// unasked serves redirections without end, and more than it was asked for. The HTTP client logs that.
func unasked(t *testing.T) string {
	t.Helper()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = http.ReadRequest(bufio.NewReader(c))
				_, _ = io.WriteString(c, "HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\nSSH-2.0-OpenSSH_9.2\r\n")
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}
