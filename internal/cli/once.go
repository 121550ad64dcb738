package cli

import (
	"strings"

	"github.com/spf13/pflag"
)

// addsUp reports whether a flag that is given again adds to a list.
func addsUp(f *pflag.Flag) bool {
	kind := f.Value.Type()
	return strings.HasSuffix(kind, "Slice") || strings.HasSuffix(kind, "Array") || strings.HasSuffix(kind, "List")
}

// A once is the value of a flag that takes one.
type once struct {
	pflag.Value
	given bool
}

// twice is the error for a second value.
type twice struct{ first, second string }

func (e *twice) Error() string { return "found it twice, as " + e.first + " and " + e.second }

// Set sets the value. A switch may be given again, as an alias may have it, but not with another value.
func (o *once) Set(text string) error {
	before := o.String()
	if o.given && o.Type() != "bool" {
		return &twice{before, text}
	}
	if err := o.Value.Set(text); err != nil {
		return err
	}
	if o.given && o.String() != before {
		return &twice{before, text}
	}
	o.given = true
	return nil
}
