package rows

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/invalid"
)

// letters is a file without an end and without a line break.
type letters struct{ read int }

func (l *letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	l.read += len(p)
	if l.read > 1<<30 {
		return 0, errors.New("read a gigabyte of one row")
	}
	return len(p), nil
}

func TestTableRefusesARowWithoutEnd(t *testing.T) {
	for start, want := range map[string]string{
		"":                "f.csv:1: found a row of more than 16 MiB",
		"x,y\n1,2\n3,":    "f.csv:3: found a row of more than 16 MiB",
		"x,y\n1,2\n\"3,4": "f.csv:3: found a row of more than 16 MiB",
	} {
		table, err := newTable("f.csv", io.MultiReader(strings.NewReader(start), &letters{}))
		for err == nil {
			err = table.next()
		}
		var bad *invalid.Input
		if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("after %q: error %v, want %s", start, err, want)
		}
	}
}
