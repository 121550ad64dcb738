// Package simulated makes batches of tasks of a user's own simulator: from tasks files, or from a command that is asked
// for a batch by its number. The numbers are those that the model sees.
package simulated

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/invalid"
)

// Open returns the source of an experiment's data.tasks and data.eval_tasks, or of its data.command. An error is an
// *invalid.Input. The caller closes the source.
func Open(e config.Experiment) (*datasets.Source, error) {
	if len(e.Data.Command) > 0 {
		return openCommand(e)
	}
	ofTrain, ofEval := boundsOf(e)
	train, err := openFiles("data.tasks", e.Data.Tasks, ofTrain)
	if err != nil {
		return nil, err
	}
	eval, err := openFiles("data.eval_tasks", e.Data.EvalTasks, ofEval)
	if err == nil {
		err = sameColumns(eval.all[0], train.all[0], e.Data.EvalTasks, e.Data.Tasks)
	}
	if err != nil {
		return nil, errors.Join(err, train.close(), eval.close())
	}
	first := train.all[0]
	return &datasets.Source{Warnings: append(train.warnings, eval.warnings...), DX: first.DX, DY: first.DY, Scaling: first.Scaling,
		Train: datasets.Batches{Size: train.size, Keys: ofTrain.keys, Make: train.batch},
		Eval:  datasets.Batches{Size: eval.size, Keys: ofEval.keys, Make: eval.batch, Count: min(e.Eval.Batches, eval.count())},
		Close: func() error { return errors.Join(train.close(), eval.close()) }}, nil
}

// Files returns the existing files, and directories of files, that Open reads.
func Files(e config.Experiment) (all []string) {
	for _, path := range []string{e.Data.Tasks, e.Data.EvalTasks} {
		if _, err := os.Stat(path); path != "" && err == nil {
			all = append(all, path)
		}
	}
	return all
}

// bounds are the largest sizes of batches of one kind, and the keys that say so.
type bounds struct {
	most datasets.Size
	keys datasets.SizeKeys
}

func boundsOf(e config.Experiment) (train, eval bounds) {
	return bounds{datasets.Size{Groups: e.Train.BatchSize, Points: e.Data.Points[1], Context: e.Data.Points[1] - 1},
			datasets.SizeKeys{Groups: "train.batch_size", Points: "data.points", Context: "data.points"}},
		bounds{datasets.Size{Groups: e.Eval.BatchSize, Points: e.Eval.NumPoints, Context: e.Eval.MaxContext},
			datasets.SizeKeys{Groups: "eval.batch_size", Points: "eval.num_points", Context: "eval.max_context"}}
}

// check refuses a size beyond the bounds, of batches that name stands for.
func (b bounds) check(size datasets.Size, name string) error {
	for _, c := range []struct {
		what, key   string
		found, most int
	}{{"groups", b.keys.Groups, size.Groups, b.most.Groups}, {"points a group", b.keys.Points, size.Points, b.most.Points},
		{"known points", b.keys.Context, size.Context, b.most.Context}} {
		if c.found > c.most {
			return &invalid.Input{File: name, Found: fmt.Sprintf("a batch of %d %s", c.found, c.what), Expected: fmt.Sprintf("at most %d (%s)", c.most, c.key)}
		}
	}
	return nil
}

// sameColumns refuses tasks whose columns are not those of others.
func sameColumns(s, others *datasets.Source, path, other string) error {
	if s.DX == others.DX && s.DY == others.DY {
		return nil
	}
	return &invalid.Input{File: path, Found: fmt.Sprintf("%d columns of x and %d of y", s.DX, s.DY),
		Expected: fmt.Sprintf("%d and %d, as in %s", others.DX, others.DY, other)}
}

// files are tasks files that are read one after the other, over and over.
type files struct {
	all    []*datasets.Source
	before []int         // batches before each file, and of all
	size   datasets.Size // of the largest batch

	warnings []string
}

// openFiles opens a tasks file, or those of a directory in the order of their names.
func openFiles(key, path string, b bounds) (*files, error) {
	paths := []string{path}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		if paths, err = filepath.Glob(filepath.Join(escaped(path), "*.safetensors")); err != nil || len(paths) == 0 {
			return nil, &invalid.Input{File: path, Key: key, Found: "no file *.safetensors", Expected: "tasks files"}
		}
	}
	f, first := &files{before: []int{0}}, datasets.Batch{}
	for _, path := range paths {
		s, err := datasets.OpenTasks(path)
		if err != nil {
			return nil, errors.Join(err, f.close())
		}
		f.all = append(f.all, s)
		if err := errors.Join(sameColumns(s, f.all[0], path, paths[0]), b.check(s.Eval.Size, path)); err != nil {
			return nil, errors.Join(err, f.close())
		}
		if err := s.Eval.Make(0, &first); err != nil {
			return nil, errors.Join(err, f.close())
		}
		if first.NumTau+first.Bootstraps > 0 { // all its batches have them
			f.warnings = append(f.warnings, path+": its levels or bootstraps are left out: "+key+" takes x and y alone")
		}
		f.before = append(f.before, f.count()+s.Eval.Count)
		size := s.Eval.Size
		f.size = datasets.Size{Groups: max(f.size.Groups, size.Groups), Points: max(f.size.Points, size.Points), Context: max(f.size.Context, size.Context)}
	}
	return f, nil
}

// escaped returns a path without special meaning in a pattern.
func escaped(path string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// count returns the number of batches.
func (f *files) count() int { return f.before[len(f.before)-1] }

// batch reads batch i, counted on from the first again after the last. It leaves levels and bootstraps to the caller.
func (f *files) batch(i int, dst *datasets.Batch) error {
	i %= f.count()
	k := 0
	for i >= f.before[k+1] {
		k++
	}
	err := f.all[k].Eval.Make(i-f.before[k], dst)
	dst.NumTau, dst.Bootstraps = 0, 0
	return err
}

// close closes the files. f may be nil.
func (f *files) close() (all error) {
	if f == nil {
		return nil
	}
	for _, s := range f.all {
		all = errors.Join(all, s.End())
	}
	return all
}
