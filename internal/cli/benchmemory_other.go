//go:build !unix

package cli

func peakMemory() int64 { return 0 }
