//go:build !unix

package memory

// Peak returns 0: the peak is not known on this system.
func Peak() int64 { return 0 }
