package tables

import (
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/invalid"
)

// A Format is one way to write a summary.
type Format struct {
	Name     string
	ending   string // of files of this format
	Pictures bool   // it shows the drawings of a summary
	Write    func(Summary, io.Writer) error
}

// formats lists all formats. The first is the default.
var formats = []Format{
	{Name: "markdown", ending: ".md", Write: Summary.Markdown},
	{Name: "html", ending: ".html", Pictures: true, Write: Summary.HTML},
	{Name: "csv", ending: ".csv", Write: Summary.CSV},
}

// FormatNames returns the names of all formats.
func FormatNames() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return names
}

// FindFormat returns the format of a name. If that is "", it returns the format of the path's
// ending, or the default for a path without one. It returns an *invalid.Input for an unknown name or
// ending.
func FindFormat(name, path string) (Format, error) {
	for _, f := range formats {
		if f.Name == name || name == "" && strings.EqualFold(filepath.Ext(path), f.ending) {
			return f, nil
		}
	}
	if name == "" && filepath.Ext(path) == "" {
		return formats[0], nil
	}
	if name == "" {
		return Format{}, &invalid.Input{File: "--out", Found: strconv.Quote(path), Expected: "the ending .md, .html or .csv, or a --format"}
	}
	return Format{}, &invalid.Input{File: "--format", Found: strconv.Quote(name), Expected: "one of " + strings.Join(FormatNames(), ", ")}
}
