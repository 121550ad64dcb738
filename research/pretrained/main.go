// The program of this folder is acqnp with the benchmark groups: it trains on data sets that the prior
// invents. make.py trains the network of "acqnp fit" with it.
package main

import (
	"os"
	"syscall"

	"github.com/acqnp/acqnp/internal/cli"
	"github.com/acqnp/acqnp/research/pretrained/invent"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Replace: syscall.Exec, Groups: invent.New}))
}
