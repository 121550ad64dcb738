package tables

import (
	"path/filepath"
	"strings"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/run"
)

// isOwn reports whether a benchmark is the user's own data.
func isOwn(name string) bool {
	b, ok := catalogue.Find(name)
	return ok && b.Kind == catalogue.CSV
}

// file returns the path of the run's own data, or "" if there is none or it is unknown.
func (r Run) file() string {
	if r.Config == nil || r.Config.Data.File == "" {
		return ""
	}
	return filepath.ToSlash(filepath.Clean(r.Config.Data.File))
}

// steps returns the number of steps that training was to take. If that is unknown, it returns the
// step of the checkpoint, or 0.
func (r Run) steps() int {
	switch {
	case r.Config != nil:
		return r.Config.Train.Steps
	case r.Eval.Weights.Step != nil:
		return *r.Eval.Weights.Step
	}
	return 0
}

// dataNames returns a name for each path of own data: its last element. Paths with the same last
// element keep as many elements as tell them apart.
func dataNames(runs []Run) map[string]string {
	names := map[string]string{}
	for _, r := range runs {
		if file := r.file(); file != "" {
			names[file] = ""
		}
	}
	for file := range names {
		elements := strings.Split(file, "/")
		for n := 1; n <= len(elements); n++ {
			names[file] = strings.Join(elements[len(elements)-n:], "/")
			if alone(names, file, names[file]) {
				break
			}
		}
	}
	return names
}

// alone reports whether no path but file ends in the elements of name.
func alone(names map[string]string, file, name string) bool {
	for other := range names {
		if other != file && strings.HasSuffix("/"+other, "/"+name) {
			return false
		}
	}
	return true
}

// likelihoods returns the log-likelihoods of the context and of the targets: of own data in raw
// units, of others in the model's.
func likelihoods(e run.Eval) (context, target run.Estimate) {
	if isOwn(e.Benchmark) && e.Raw != nil {
		return e.Raw.ContextLL, e.Raw.TargetLL
	}
	return e.ContextLL, e.TargetLL
}
