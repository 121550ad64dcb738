package fetch

import (
	"net/http"
	"os"
	"strings"

	"github.com/acqnp/acqnp/internal/atomicfile"
)

// partial is what an earlier try left: how much, and by what the server can tell whether it has the same file still.
type partial struct {
	bytes     int64
	validator string // an entity tag or a date, for If-Range
}

// note is the file that keeps a part's address and validator. Without it nobody could say what the part is a part of.
func (d *download) note() string { return d.part + ".from" }

// remember writes the note, before the first byte of a new part. An old part goes, lest it be taken for the new one's.
func (d *download) remember(validator string) error {
	d.discard()
	if validator == "" {
		return nil
	}
	return atomicfile.WriteBytes(d.note(), []byte(d.url+"\n"+validator+"\n"))
}

// resumable is what there is to go on from: nothing unless the part is known to come from this address.
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

// discard removes the part and its note, as far as they are there.
func (d *download) discard() {
	_ = os.Remove(d.part)
	_ = os.Remove(d.note())
	d.have = 0
}

// validator tells the server's file from any other: a strong entity tag, else the date of its last change.
func validator(r *http.Response) string {
	if tag := r.Header.Get("ETag"); tag != "" && !strings.HasPrefix(tag, "W/") {
		return tag
	}
	return r.Header.Get("Last-Modified")
}
