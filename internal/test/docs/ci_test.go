package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The files that a part of .ci/nightly covers exist, so that a move does not silence what is due.
func TestNightlyCoversFilesThatExist(t *testing.T) {
	_, rest, _ := strings.Cut(read(t, ".ci/nightly"), "\nparts='\n")
	table, _, found := strings.Cut(rest, "\n'\n")
	if !found {
		t.Fatal(".ci/nightly has no table of parts")
	}
	for line := range strings.SplitSeq(table, "\n") {
		fields := strings.Split(line, " | ")
		if len(fields) != 4 {
			t.Fatalf("found %q, expected name | minutes | files | what it checks", line)
		}
		for _, path := range strings.Fields(fields[2]) {
			if _, err := os.Stat(filepath.Join(root, path)); err != nil {
				t.Errorf("%s: %v", fields[0], err)
			}
		}
	}
}
