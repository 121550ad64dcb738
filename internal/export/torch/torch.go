// Package torch writes the Python program that predicts with exported weights. It needs PyTorch
// alone, and holds the code of one model: its network line by line, its likelihood and the forms of
// its columns. The units of the columns are in the metadata of the weights.
//
// The program computes in float64 what package predict computes with a network in float32.
package torch

import (
	"bytes"
	"embed"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/random"
)

//go:embed *.tmpl
var templates embed.FS

var program = template.Must(template.New("program.py.tmpl").Funcs(template.FuncMap{"join": strings.Join}).ParseFS(templates, "*.tmpl"))

// marker begins each program, so that a later export may replace it.
const marker = `"""Predicts with a network that acqnp trained`

// Path returns where the program for a file of weights is written: beside it, under a name that
// Python can import. It returns "" if the weights go to a device or a pipe.
func Path(weights string) string {
	dir, name := filepath.Split(weights)
	if info, err := os.Stat(weights); err == nil && !info.Mode().IsRegular() || files.IsStream(weights) {
		return ""
	}
	return dir + module(name) + ".py"
}

// module returns the name of the Python module for a file of weights.
func module(file string) string {
	name := strings.TrimSuffix(file, ".safetensors")
	name = regexp.MustCompile(`[^A-Za-z0-9_]`).ReplaceAllString(name, "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	return name
}

// Check returns an *invalid.Input for a file at path that Write has not written.
func Check(path string) error {
	head := make([]byte, len(marker))
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		defer f.Close()
		if n, _ := io.ReadFull(f, head); n == 0 || string(head[:n]) == marker {
			return nil
		}
	}
	return &invalid.Input{File: "--out", Found: path + ", which acqnp export did not write",
		Expected: "another name for the weights: this is the name of their Python program"}
}

// Write writes the program for the weights of a model to path, whole or not at all. weights is the
// name of their file.
func Write(path, weights string, t predict.Trained) error {
	n, err := networkOf(t.Model)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := program.Execute(&text, contentOf(t, n, filepath.Base(weights))); err != nil {
		return err
	}
	return files.WriteBytes(path, text.Bytes())
}

// content is the data of the templates. Users' texts are quoted, since they become part of a string in the
// program.
type content struct {
	Marker, Title, Module, Weights string

	Name                string // of the model
	Network             network
	Quantile, Bootstrap bool
	Levels, Bootstraps  int
	Seed                uint64
	Stream              random.Stream
	Natural             bool // levels
	Weighted            bool // Gaussians of different weights

	Columns, DY                  int      // of x and y, in raw units
	X, Y                         []string // what the columns are
	Categories, Dates, AnyLog    bool
	Log                          string // a list with True or False for each column of y, or "" if all are False
	ExampleX, ContextX, ContextY string // points
}

// Math reports whether the program needs Python's module math.
func (c content) Math() bool { return !c.Quantile || c.Log != "" }

// Texts reports whether columns hold texts.
func (c content) Texts() bool { return c.Categories || c.Dates }

func contentOf(t predict.Trained, n network, weights string) content {
	m, u := t.Model.Config(), t.Units
	c := content{
		Marker: marker, Module: module(weights), Weights: strconv.Quote(weights),
		Title: config.Named(t.Model.Name(), t.Variant) + " on " + quoted(t.Data),

		Name: m.Name, Quantile: t.Model.Quantile(), Bootstrap: t.Model.Bootstrap(),
		Network: n, Levels: t.NumTau, Bootstraps: t.Bootstraps,
		Seed: t.Seed, Stream: random.Bootstrap | random.Evaluation, Natural: t.Model.Natural(),

		Columns: len(u.XNames), DY: len(u.YNames),
	}
	c.Weighted = t.Model.Parts() > 1
	s := u.Scaling
	x, y := formsOf(s.XForms, len(u.XNames)), formsOf(s.YForms, len(u.YNames))
	for i, name := range u.XNames {
		c.X = append(c.X, described(name, x[i]))
	}
	for i, name := range u.YNames {
		c.Y = append(c.Y, described(name, y[i]))
	}
	isLog := func(f datasets.Form) bool { return f.Log }
	c.Categories = slices.ContainsFunc(x, func(f datasets.Form) bool { return f.Categories != nil })
	c.Dates = slices.ContainsFunc(slices.Concat(x, y), func(f datasets.Form) bool { return f.Origin != "" })
	c.AnyLog = slices.ContainsFunc(slices.Concat(x, y), isLog)
	if slices.ContainsFunc(y, isLog) {
		c.Log = list(y, func(f datasets.Form) string { return map[bool]string{true: "True", false: "False"}[f.Log] })
	}
	c.ExampleX = example(x, s.XOffset, s.XScale, -1, 0, 1)
	c.ContextX = example(x, s.XOffset, s.XScale, -0.5, 0.5)
	c.ContextY = example(y, s.YOffset, s.YScale, -0.5, 0.5)
	return c
}

// formsOf returns the forms of n columns. forms may be nil for plain numbers.
func formsOf(forms []datasets.Form, n int) []datasets.Form {
	if forms == nil {
		return make([]datasets.Form, n)
	}
	return forms
}

// quoted returns a text as part of a string of a program. Go's escapes are Python's too.
func quoted(text string) string {
	q := strconv.Quote(text)
	return q[1 : len(q)-1]
}

// named is the largest number of names in the description of a column.
const named = 6

// described returns what a column holds.
func described(name string, f datasets.Form) string {
	name = quoted(name)
	switch {
	case f.Categories != nil:
		names := make([]string, 0, named+1)
		for _, c := range f.Categories[:min(named, len(f.Categories))] {
			names = append(names, "'"+quoted(c)+"'")
		}
		if len(f.Categories) > named {
			names = append(names, "…")
		}
		return name + " (a name: " + strings.Join(names, " ") + ")"
	case f.Origin != "":
		return name + " (a date; a number means days since " + quoted(f.Origin) + ")"
	case f.Log:
		return name + " (the model sees its logarithm)"
	}
	return name
}

// example returns points as a list of Python, one for each of the values in the model's units.
func example(forms []datasets.Form, offset, scale []float64, at ...float64) string {
	return list(at, func(v float64) string {
		var cells []string
		for c, f := range forms {
			raw := offset[c] + v*scale[c]
			switch {
			case f.Categories != nil:
				cells = append(cells, strconv.Quote(f.Categories[0]))
				continue
			case f.Origin != "":
				cells = append(cells, strconv.Quote(f.Text(math.Round(raw))))
				continue
			case f.Log:
				raw = max(math.Exp(raw)-f.Shift, 0)
			}
			cells = append(cells, strconv.FormatFloat(raw, 'g', 3, 64))
		}
		return "[" + strings.Join(cells, ", ") + "]"
	})
}

// number returns a number with all its digits.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// list returns the text of a list.
func list[T any](values []T, text func(T) string) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = text(v)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}
