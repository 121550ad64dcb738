package datatest

import (
	"os"
	"path/filepath"
	"testing"
)

// CSV writes a file for a test and returns its path.
func CSV(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "points.csv")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
