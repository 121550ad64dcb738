package serve

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Check asks the server at the address, on this machine, whether it is well. It returns an error if
// there is no answer within three seconds, or another one. It does not verify a certificate, whose
// name is seldom that of this machine.
func (a Address) Check(ctx context.Context) error {
	host, port, err := a.split()
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	url := a.scheme() + "://" + net.JoinHostPort(host, port) + "/healthz"
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	direct := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}
	answer, err := direct.RoundTrip(r)
	if err != nil {
		return fmt.Errorf("%s does not answer: %w", url, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s, expected 200 OK", url, answer.Status)
	}
	return nil
}
