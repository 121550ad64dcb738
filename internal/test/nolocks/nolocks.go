// Package nolocks makes a process see file systems without locks, for tests: flock fails with ENOLCK.
// It needs Linux on amd64 or arm64.
package nolocks
