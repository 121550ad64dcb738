//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package run

// lock does nothing: this system has no flock.
func lock(string) (unlock func(), err error) { return func() {}, nil }
