package fetch

import (
	"net/http"
	"os"
	"strings"

	"github.com/acqnp/acqnp/internal/files"
)

// partial describes the part that an earlier download left.
type partial struct {
	bytes     int64
	validator string // entity tag or date that identifies the file to the server (If-Range)
}

// note returns the name of the file that holds the address and the validator of the part.
func (d *download) note() string { return d.part + ".from" }

// remember writes the note before the first byte of a new part. It first removes the old part,
// which the new note would not describe.
func (d *download) remember(validator string) error {
	d.discard()
	if validator == "" {
		return nil
	}
	return files.WriteBytes(d.note(), []byte(d.url+"\n"+validator+"\n"))
}

// resumable returns the part to resume from. The result is zero unless the note says that the part
// comes from this address.
func (d *download) resumable() partial {
	info, err := os.Stat(d.part)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return partial{}
	}
	content, err := os.ReadFile(d.note())
	if err != nil {
		return partial{}
	}
	from, validator, ok := strings.Cut(strings.TrimSuffix(string(content), "\n"), "\n")
	if !ok || from != d.url || validator == "" || strings.ContainsAny(validator, "\r\n") {
		return partial{}
	}
	return partial{info.Size(), validator}
}

// discard removes the part and its note if they exist.
func (d *download) discard() {
	_ = os.Remove(d.part)
	_ = os.Remove(d.note())
	d.have = 0
}

// validator returns what identifies the server's file: a strong entity tag, or else the date of its
// last change.
func validator(r *http.Response) string {
	if tag := r.Header.Get("ETag"); tag != "" && !strings.HasPrefix(tag, "W/") {
		return tag
	}
	return r.Header.Get("Last-Modified")
}
