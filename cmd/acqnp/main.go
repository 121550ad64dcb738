// Command acqnp trains conditional neural processes with quantile likelihoods and predicts with them.
package main

import (
	"os"
	"syscall"

	"github.com/acqnp/acqnp/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Replace: syscall.Exec}))
}
