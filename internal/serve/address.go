package serve

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
)

// TokenVariable is the environment variable with the token that requests must carry.
const TokenVariable = "ACQNP_SERVE_TOKEN"

// An Address is where a server listens.
type Address struct {
	Listen           string // HOST:PORT
	Certificate, Key string // PEM files, for HTTPS; "" for HTTP
	TokenFile        string // has the token; "": the environment has it, if there is one
}

// Options returns the options of a server at the address. An address that other machines reach needs a
// token. A server at a loopback address answers only requests for this machine's own names.
func (a Address) Options() (Options, error) {
	o := Options{Limits: DefaultLimits()}
	var err error
	if o.Token, err = a.token(); err != nil {
		return o, err
	}
	host, _, err := a.split()
	if err != nil {
		return o, err
	}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		o.Hosts = []string{"localhost", "127.0.0.1", "::1"}
		if host != "localhost" && host != "127.0.0.1" && host != "::1" {
			o.Hosts = append(o.Hosts, strings.ToLower(host))
		}
		return o, nil
	}
	if o.Token == "" {
		return o, &invalid.Input{File: "--listen", Found: a.Listen + ", which other machines reach, without a token",
			Expected: "a token in " + TokenVariable + " or in --token-file FILE, or 127.0.0.1"}
	}
	return o, nil
}

// split returns the host and the port.
func (a Address) split() (host, port string, err error) {
	if host, port, err = net.SplitHostPort(a.Listen); err != nil {
		err = &invalid.Input{File: "--listen", Found: a.Listen, Expected: "HOST:PORT, such as 127.0.0.1:8080"}
	}
	return host, port, err
}

// token returns the token, without spaces around it.
func (a Address) token() (string, error) {
	if a.TokenFile == "" { // a secret that was made with echo ends with a newline
		return strings.TrimSpace(os.Getenv(TokenVariable)), nil
	}
	content, err := files.Read(a.TokenFile, "a file with a token", 1<<16)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(content))
	if token == "" || strings.ContainsAny(token, "\r\n") {
		return "", &invalid.Input{File: a.TokenFile, Found: invalid.Plural(len(strings.Fields(token)), "word", "words"), Expected: "one line with a token"}
	}
	return token, nil
}

// Open opens the listener of the address, with TLS if it has a certificate.
func (a Address) Open() (net.Listener, error) {
	var pair tls.Certificate
	if a.Certificate != "" {
		var err error
		if pair, err = tls.LoadX509KeyPair(a.Certificate, a.Key); err != nil {
			return nil, &invalid.Input{File: a.Certificate, Found: err.Error(), Expected: "a certificate, and its key in " + a.Key}
		}
	}
	l, err := net.Listen("tcp", a.Listen)
	if err != nil {
		found := err.Error()
		if errors.Is(err, syscall.EADDRINUSE) {
			found = a.Listen + ", where another program listens"
		}
		return nil, &invalid.Input{File: "--listen", Found: found, Expected: "a free address of this machine; with port 0 the system chooses one", Cause: err}
	}
	if a.Certificate == "" {
		return l, nil
	}
	return tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}), nil
}

// URL returns the address of a listener's page.
func (a Address) URL(l net.Listener) string { return a.scheme() + "://" + l.Addr().String() + "/" }

func (a Address) scheme() string {
	if a.Certificate != "" {
		return "https"
	}
	return "http"
}

// maxRuns is the largest number of runs of a server.
const maxRuns = 100

// Names returns short names of run directories: as many of their last folders as tell them apart. It
// returns an *invalid.Input for a directory that is named twice.
func Names(dirs []string) ([]string, error) {
	if len(dirs) > maxRuns {
		return nil, &invalid.Input{File: "--run", Found: strconv.Itoa(len(dirs)) + " runs", Expected: "at most " + strconv.Itoa(maxRuns)}
	}
	paths := make([]string, len(dirs))
	for i, dir := range dirs {
		var err error
		if paths[i], err = filepath.Abs(dir); err != nil {
			return nil, err
		}
	}
	for n := 1; ; n++ {
		names, seen, whole := make([]string, len(dirs)), map[string]bool{}, true
		for i, path := range paths {
			folders := strings.Split(filepath.ToSlash(path), "/")
			names[i] = strings.Join(folders[max(0, len(folders)-n):], "/")
			seen[names[i]], whole = true, whole && n >= len(folders)
		}
		if len(seen) == len(dirs) {
			return names, nil
		}
		if whole {
			return nil, &invalid.Input{File: "--run", Found: "a directory twice", Expected: "each run once"}
		}
	}
}
