package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// maxLinks is how many symbolic links in a row Target follows: as many as Linux does.
const maxLinks = 40

// Target returns the path of the file that Write(path) creates: path itself, or the end of the
// symbolic link at path, whether or not a file exists there. The directories of the result contain
// no symbolic links, so the same file always has the same target. The directory must exist.
func Target(path string) (string, error) {
	if path == "" {
		return "", &fs.PathError{Op: "write", Path: path, Err: errors.New("an empty file name")}
	}
	if stream(path) != nil {
		return path, nil
	}
	at := path
	for range maxLinks {
		dir, name := filepath.Split(at)
		if dir == "" {
			dir = "."
		}
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			real, err = filepath.Abs(real)
		}
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

// Replaces reports whether Write(path) would replace a file that somebody made. One that a shell has
// opened for this output, as behind /dev/stdout or /dev/fd/3, is new.
func Replaces(path string) bool {
	_, err := Stat(path)
	_, replaceable, unresolved := resolve(path)
	return err == nil && unresolved == nil && replaceable && !IsStream(path)
}

// IsStream reports whether path is the name of an open file, such as /dev/stdout. The file may be a
// regular one.
func IsStream(path string) bool {
	return slices.Contains([]string{"/dev", "/dev/fd", "/proc/self/fd"}, filepath.ToSlash(filepath.Dir(path)))
}

// resolve returns the target of path and reports whether a new file may replace it. A device, a
// pipe or a socket may not be replaced. Neither may a file that is open but has no name, as behind
// /dev/stdout or /dev/fd/3.
func resolve(path string) (target string, replaceable bool, err error) {
	info, err := Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		target, err = Target(path)
		return target, true, err
	case err != nil:
		return "", false, because(path, err)
	case info.IsDir():
		return "", false, &fs.PathError{Op: "write", Path: path, Err: errors.New("is a directory")}
	case !info.Mode().IsRegular() || standard(path) != nil:
		return path, false, nil
	}
	if target, err = Target(path); err != nil {
		return "", false, err
	}
	named, err := os.Stat(target)
	return target, err == nil && os.SameFile(info, named), nil
}
