//go:build !linux || !(amd64 || arm64)

package nolocks

import "errors"

// Known says that Forbid works on this system.
const Known = false

// Forbid returns an error.
func Forbid() error { return errors.ErrUnsupported }
