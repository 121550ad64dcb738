// Command dockerfile reads a Dockerfile with BuildKit's own parser: it refuses one that breaks the project's rules (see
// Problems), and prints its RUN lines, one a line, so that CI runs just what a container engine would.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: dockerfile FILE")
		os.Exit(2)
	}
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	r, err := Parse(text)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
	problems := r.Problems()
	for _, p := range problems {
		fmt.Fprintf(os.Stderr, "%s: %s\n", os.Args[1], p)
	}
	if len(problems) > 0 {
		os.Exit(1)
	}
	for _, line := range r.RunLines() {
		fmt.Println(line)
	}
}
