// Command kubernetes checks files of Kubernetes objects with the code of the API server: strict
// decoding, defaults and validation. It needs no cluster.
//
//	go run -C tools/kubernetes . FILE…
//
// It is a module of its own, since k8s.io/kubernetes brings many others.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: kubernetes FILE…")
		os.Exit(2)
	}
	failed := false
	for _, name := range os.Args[1:] {
		text, err := os.ReadFile(name)
		if err == nil {
			_, err = Check(text)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}
