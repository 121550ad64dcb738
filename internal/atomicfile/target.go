package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// maxLinks is how many links in a row are followed, as many as Linux follows.
const maxLinks = 40

// Target returns the path of the file that Write(path) makes: path itself, or where the symbolic
// link at path leads, whether or not a file is there. All links among the directories of the result
// are resolved, so equal files have equal targets. The directory must exist.
func Target(path string) (string, error) {
	if path == "" {
		return "", &fs.PathError{Op: "write", Path: path, Err: errors.New("an empty file name")}
	}
	at := path
	for range maxLinks {
		dir, name := filepath.Split(at)
		if dir == "" {
			dir = "."
		}
		real, err := realDir(dir)
		if err != nil {
			return "", because(path, err)
		}
		at = filepath.Join(real, name)
		link, err := os.Readlink(at)
		if err != nil { // a file, or nothing
			return at, nil
		}
		if filepath.IsAbs(link) {
			at = link
		} else {
			at = real + string(filepath.Separator) + link // not cleaned: ".." follows links
		}
	}
	return "", &fs.PathError{Op: "write", Path: path, Err: errors.New("too many symbolic links")}
}

func realDir(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	return filepath.Abs(real)
}

// resolve returns the target of path and reports whether a new file may take its place. A device, a
// pipe or a socket may not be replaced, nor may an open file without a name, which /dev/stdout or
// /dev/fd/3 can be.
func resolve(path string) (target string, replaceable bool, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		target, err = Target(path)
		return target, true, err
	case err != nil:
		return "", false, because(path, err)
	case info.IsDir():
		return "", false, &fs.PathError{Op: "write", Path: path, Err: errors.New("is a directory")}
	case !info.Mode().IsRegular() || standard(info) != nil:
		return path, false, nil
	}
	if target, err = Target(path); err != nil {
		return "", false, err
	}
	named, err := os.Stat(target)
	return target, err == nil && os.SameFile(info, named), nil
}
