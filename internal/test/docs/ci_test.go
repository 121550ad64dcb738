package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The files that a part of .ci/nightly covers exist, so that a move does not silence what is due.
func TestNightlyCoversFilesThatExist(t *testing.T) {
	parts := regexp.MustCompile(`(?m)^# ([a-z0-9]+) \| \d+ \| (.*) \| .*\n(.*)$`).FindAllStringSubmatch(read(t, ".ci/parts"), -1)
	for _, part := range parts {
		for path := range strings.FieldsSeq(part[2]) {
			if _, err := os.Stat(filepath.Join(root, path)); err != nil {
				t.Errorf("%s: %v", part[1], err)
			}
		}
		if !strings.HasPrefix(part[3], "check_"+part[1]+"() {") {
			t.Errorf("%s: found %q, expected its function", part[1], part[3])
		}
	}
	if n := strings.Count(read(t, ".ci/parts"), "\ncheck_"); len(parts) != n {
		t.Errorf("%d parts are described, %d have a function", len(parts), n)
	}
}
