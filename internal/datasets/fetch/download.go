package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/progress"
)

// A download is one file, fetched from one address.
type download struct {
	file            catalogue.File
	url, path, part string
	Options
	began      bool
	have, best int64 // bytes in the part, and the most that it ever had
	size       int64 // of the whole file; −1 if not known
}

// final is an error after which another try at the same address is useless.
type final struct{ error }

func (f final) Unwrap() error { return f.error }

// run downloads and checks the file, moves it into place, and returns its size.
func (d *download) run(ctx context.Context) (int64, error) {
	defer d.Progress.End()
	failures := 0
	for wait := d.Wait; ; wait *= 2 {
		err := d.once(ctx)
		if err == nil {
			break
		}
		var f final
		switch {
		case ctx.Err() != nil:
			return 0, ctx.Err()
		case errors.As(err, &f):
			return 0, fmt.Errorf("%s: %w", d.url, f.error)
		case d.have > d.best: // there was progress: count failures from 0 again
			d.best, failures, wait = d.have, 0, d.Wait
		}
		if failures++; failures >= d.Tries {
			return 0, fmt.Errorf("%s: %w (%d tries)", d.url, err, failures)
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(wait):
		}
	}
	return d.have, d.finish()
}

// errSilent is the error for a server that sends nothing for too long.
var errSilent = errors.New("the server stopped sending")

// once requests the missing bytes and appends them to the part. Every byte received restarts the watch.
func (d *download) once(ctx context.Context) (err error) {
	ctx, hangUp := context.WithCancelCause(ctx)
	defer hangUp(nil)
	watch := time.AfterFunc(d.Stall, func() { hangUp(errSilent) })
	defer watch.Stop()
	defer func() {
		if err != nil && context.Cause(ctx) == errSilent {
			err = errSilent
		}
	}()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url, nil)
	if err != nil {
		return final{err}
	}
	request.Header.Set("Accept-Encoding", "identity") // a .gz file stays compressed
	if d.have = d.resumable(); d.have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", d.have))
	}
	client := *d.Client
	client.CheckRedirect = checkRedirect
	response, err := client.Do(request)
	if err != nil {
		return unreached(err)
	}
	defer response.Body.Close()
	if whole, err := d.accept(response); whole || err != nil {
		return err
	}
	return d.receive(response.Body, watch)
}

// checkRedirect ends redirects that lead nowhere: another try would follow the same ones.
func checkRedirect(next *http.Request, before []*http.Request) error {
	switch {
	case next.URL.Scheme != "http" && next.URL.Scheme != "https":
		return final{fmt.Errorf("the server redirected to %.200s", next.URL.Redacted())}
	case len(before) >= 10:
		return final{errors.New("stopped after 10 redirects")}
	}
	return nil
}

// resumable returns the bytes of the part that an earlier request left, or 0 if no checksum would find a part of
// another file.
func (d *download) resumable() int64 {
	info, err := os.Stat(d.part)
	if err != nil || !info.Mode().IsRegular() || d.file.SHA256 == "" {
		return 0
	}
	return info.Size()
}

// discard removes the part if it exists.
func (d *download) discard() {
	_ = os.Remove(d.part)
	d.have = 0
}

// accept checks the response, sets the size of the file and the place of the body in it, and reports whether the part
// is whole already: an earlier call may have ended between the last byte and the check.
func (d *download) accept(r *http.Response) (whole bool, err error) {
	asked := d.have
	d.size = -1
	switch r.StatusCode {
	case http.StatusOK:
		d.have, d.size = 0, r.ContentLength
	case http.StatusPartialContent:
		var start, end int64
		n, _ := fmt.Sscanf(r.Header.Get("Content-Range"), "bytes %d-%d/%d", &start, &end, &d.size)
		if asked == 0 || n != 3 || start != asked || end != d.size-1 || end < start {
			d.discard()
			return false, fmt.Errorf("the server sent the wrong part of the file: %.100q", r.Header.Get("Content-Range"))
		}
	case http.StatusRequestedRangeNotSatisfiable:
		if asked > 0 && r.Header.Get("Content-Range") == fmt.Sprintf("bytes */%d", asked) {
			return true, nil
		}
		d.discard()
		return false, errors.New("the server's file is shorter than the part downloaded before")
	default:
		err := fmt.Errorf("the server says %.100q", r.Status)
		if r.StatusCode >= 500 || r.StatusCode == http.StatusTooManyRequests || r.StatusCode == http.StatusRequestTimeout {
			return false, err
		}
		return false, final{err}
	}
	switch {
	case d.file.Bytes > 0 && d.size >= 0 && d.size != d.file.Bytes:
		d.discard()
		return false, final{fmt.Errorf("found a file of %d bytes, expected one of %d", d.size, d.file.Bytes)}
	case d.size > maxBytes:
		return false, final{fmt.Errorf("found a file of %d bytes, expected at most %d", d.size, int64(maxBytes))}
	}
	return false, nil
}

// receive writes the body to the part, from byte have on.
func (d *download) receive(body io.Reader, watch *time.Timer) (err error) {
	part, err := os.OpenFile(d.part, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return final{err}
	}
	defer func() { err = errors.Join(err, part.Close()) }()
	if err := part.Truncate(d.have); err != nil {
		return final{err}
	}
	if !d.began && d.size > 0 {
		d.Progress.Begin("fetch "+d.file.Name, "KiB", int(d.have>>10), int((d.size+1023)>>10))
		d.began = true
	}
	most := int64(maxBytes)
	switch {
	case d.size >= 0:
		most = d.size
	case d.file.Bytes > 0:
		most = d.file.Bytes
	}
	_, err = io.Copy(&counted{d, part, watch}, io.LimitReader(body, most-d.have+1))
	switch {
	case err != nil:
		return unreached(err)
	case d.have > most:
		d.discard()
		return final{fmt.Errorf("found more than %d bytes", most)}
	case d.have < d.size:
		return fmt.Errorf("the connection ended after %d of %d bytes", d.have, d.size)
	}
	return part.Sync()
}

// A counted is the part of a download. It counts what is written.
type counted struct {
	*download
	part  *os.File
	watch *time.Timer
}

func (c *counted) Write(p []byte) (int, error) {
	c.watch.Reset(c.Stall)
	n, err := c.part.Write(p)
	if c.have += int64(n); c.began {
		c.Progress.Update(progress.State{Done: int(c.have >> 10)})
	}
	if err != nil {
		err = final{err}
	}
	return n, err
}

// finish checks the complete part and gives it its final name.
func (d *download) finish() error {
	if wrong, err := fault(d.file, d.part); err != nil {
		return err
	} else if wrong != "" {
		d.discard()
		return fmt.Errorf("%s: %s; it was removed", d.url, wrong)
	}
	if err := os.Rename(d.part, d.path); err != nil {
		return err
	}
	return files.SyncDir(filepath.Dir(d.path))
}

// unreached shortens a network error. The result is final if another try would fail in the same
// way: there is no connection, or the certificate is not trusted.
func unreached(err error) error {
	var done final
	var name *net.DNSError
	var op *net.OpError
	var certificate *tls.CertificateVerificationError
	var wrapped *url.Error
	switch {
	case errors.As(err, &done):
		return done
	case errors.As(err, &name):
		return final{fmt.Errorf("no network, or no such host as %s", name.Name)}
	case errors.As(err, &op) && op.Op == "dial":
		return final{fmt.Errorf("no connection to %s (%w)", op.Addr, op.Err)}
	case errors.As(err, &certificate):
		return final{certificate}
	case errors.As(err, &wrapped): // its address is in the message already
		return wrapped.Err
	}
	return err
}
