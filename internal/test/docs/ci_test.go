package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// nightlyParts returns the table of .ci/nightly: name, minutes, files and what a part checks.
func nightlyParts(t *testing.T) (parts [][]string) {
	t.Helper()
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
		for i, f := range fields {
			fields[i] = strings.TrimSpace(f)
		}
		parts = append(parts, fields)
	}
	return parts
}

// The files that a part of the nightly run covers exist, so that a move does not silence its warning, and
// the part is a target of the Makefile.
func TestNightlyCoversFilesThatExist(t *testing.T) {
	makefile := read(t, "Makefile")
	for _, part := range nightlyParts(t) {
		for _, path := range strings.Fields(part[2]) {
			if _, err := os.Stat(filepath.Join(root, path)); err != nil {
				t.Errorf("%s: %v", part[0], err)
			}
		}
		target := part[0]
		if target == "onnx" {
			target = "onnx-check"
		}
		if !strings.Contains(makefile, "\n"+target+":") {
			t.Errorf("the Makefile has no target %s", target)
		}
	}
}

// docs/nightly.csv has rows of parts that exist, in their order.
func TestTheNightlyRecordIsOfItsParts(t *testing.T) {
	var names []string
	for _, part := range nightlyParts(t) {
		names = append(names, part[0])
	}
	rows := strings.Split(strings.TrimSpace(read(t, "docs/nightly.csv")), "\n")
	if rows[0] != "part,result,date,commit,seconds" {
		t.Errorf("header %q", rows[0])
	}
	form, last := regexp.MustCompile(`^([a-z-]+),(passed|failed),\d{4}-\d\d-\d\d,[0-9a-f]{10},\d+$`), -1
	for _, row := range rows[1:] {
		m := form.FindStringSubmatch(row)
		if m == nil {
			t.Errorf("row %q", row)
			continue
		}
		at := slices.Index(names, m[1])
		if at <= last {
			t.Errorf("%s is no part of .ci/nightly, or out of order", m[1])
		}
		last = at
	}
}
