// Package output checks where a command will write before the command does any work.
//
// A command names its outputs and the files that it reads. Check refuses an output that would
// destroy something else: an input, another output or a file of a run. It also refuses a directory,
// and a file that exists unless the user has agreed to replace it. It compares files, not names, so it
// sees through hard links, symbolic links and other spellings.
package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/run"
)

// File is an output of a command.
type File struct {
	Flag string // the flag that names it, such as --out
	Path string // empty if the output was not asked for
	Part string // the file of a run that it may replace: run.EvalFile, run.FitFile or ""

	Overwrite bool // it may replace a file that exists
}

// Check refuses outputs that cannot be written or would destroy something. A refusal is an
// *invalid.Input. A read-only directory and a full disk give other errors.
func Check(outputs []File, inputs ...string) error {
	var earlier []identity
	for i, o := range outputs {
		if o.Path == "" {
			earlier = append(earlier, identity{})
			continue
		}
		if err := o.check(); err != nil {
			return err
		}
		id := identify(o.Path)
		for j, other := range earlier {
			if id.same(other) {
				return o.refuse(o.Path+", which "+outputs[j].Flag+" names too", "another file")
			}
		}
		for _, path := range inputs {
			if id.same(identify(path)) {
				return o.refuse(o.Path+", which is also an input"+spelled(path, o.Path), "another file")
			}
		}
		if err := outputs[i].checkRun(); err != nil {
			return err
		}
		if !o.Overwrite && files.Replaces(o.Path) {
			return &invalid.Input{File: o.Flag, Found: o.Path + " exists; --overwrite replaces it"}
		}
		if err := files.Probe(o.Path); err != nil {
			return err
		}
		earlier = append(earlier, id)
	}
	return nil
}

// spelled returns the input's path in brackets, or "" if it is spelled like the output's.
func spelled(input, output string) string {
	if input == output {
		return ""
	}
	return " (" + input + ")"
}

// refuse returns an error that names the flag.
func (o File) refuse(found, expected string) error {
	return &invalid.Input{File: o.Flag, Found: found, Expected: expected}
}

// check refuses a path where there cannot be a file.
func (o File) check() error {
	const expected = "a file in a directory that exists"
	info, err := files.Stat(o.Path)
	switch {
	case err == nil && info.IsDir():
		return o.refuse("the directory "+o.Path, expected)
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return o.refuse(files.Reason(err)+": "+o.Path, expected)
	case os.IsPathSeparator(o.Path[len(o.Path)-1]):
		return o.refuse("no directory "+o.Path, expected)
	}
	if _, err := files.Target(o.Path); err != nil {
		return o.refuse("no directory "+filepath.Dir(o.Path), expected)
	}
	return nil
}

// identity says which file a path names.
type identity struct {
	info   fs.FileInfo // nil if there is no file
	target string      // empty if there cannot be one
}

func identify(path string) (id identity) {
	id.info, _ = files.Stat(path)
	id.target, _ = files.Target(path)
	return id
}

// same reports whether a and b are the same file. Two uses of a character device, such as
// /dev/null, are not the same: writing to it twice destroys nothing.
func (a identity) same(b identity) bool {
	if a.info != nil && b.info != nil {
		return os.SameFile(a.info, b.info) && a.info.Mode()&fs.ModeCharDevice == 0
	}
	return a.target != "" && a.target == b.target
}

// checkRun refuses an output that is a file of any run, whether or not the command reads that run.
func (o File) checkRun() error {
	target, err := files.Target(o.Path)
	if err != nil {
		return err
	}
	if dir, name, ok := run.Owner(target); ok && name != o.Part {
		return o.refuse(o.Path+", which belongs to the run "+dir, "a file outside the run, or another name")
	}
	return nil
}
