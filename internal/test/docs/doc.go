// Package docs tests the texts and the project files: what they name exists, lines are not too
// long, and the changelog describes the version that the program states. The package has tests
// only.
package docs
