// Command dockerfile checks a Dockerfile against the project's rules (see Problems). It reads the
// file with BuildKit's parser and prints the commands of RUN, one per line. CI runs them without a
// container engine.
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
