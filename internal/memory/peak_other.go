//go:build !unix

package memory

func Peak() int64 { return 0 }
