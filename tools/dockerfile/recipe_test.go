package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func shipped(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../Dockerfile.cuda")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestShippedFileKeepsTheRules(t *testing.T) {
	r, err := Parse([]byte(shipped(t)))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Problems() {
		t.Error(p)
	}
	want := []string{"sh scripts/cuda-toolkit.sh", "go mod download", "make build gpu", "mkdir -p bin/work/data bin/work/runs"}
	if got := r.RunLines(); !slices.Equal(got, want) {
		t.Errorf("RUN lines %q, want %q", got, want)
	}
}

func TestServiceFileKeepsTheRules(t *testing.T) {
	text, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Problems() {
		t.Error(p)
	}
	want := []string{"go mod download", "make build", "mkdir -p bin/work/data bin/work/runs"} // .ci/run builds so
	if got := r.RunLines(); !slices.Equal(got, want) {
		t.Errorf("RUN lines %q, want %q", got, want)
	}
	image := string(text)
	gpu := shipped(t)
	for _, line := range []string{"FROM golang:", "USER "} {
		if a, b := lineOf(image, line), lineOf(gpu, line); a == "" || a != b {
			t.Errorf("Dockerfile has %q, Dockerfile.cuda %q", a, b)
		}
	}
	if p := broken(t, strings.Replace(image, "USER 65532:65532\n", "", 1)); len(p) != 1 {
		t.Errorf("without a user, problems %q", p)
	}
}

// lineOf returns the first line of a text that begins so.
func lineOf(text, start string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, start) {
			return line
		}
	}
	return ""
}

func broken(t *testing.T, text string) []string {
	t.Helper()
	r, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return r.Problems()
}

// Every landing builds the program as both files do; the nightly run has the other lines of Dockerfile.cuda.
func TestCIRunsTheLines(t *testing.T) {
	for file, lines := range map[string][]string{
		"run":     {"make build", "go mod verify"}, // which needs all that go mod download brings
		"nightly": {"\ndockerfile ", `make "$1"`},
	} {
		ci, err := os.ReadFile("../../.ci/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			if !strings.Contains(string(ci), line) {
				t.Errorf(".ci/%s has no %q, so it does not run the RUN lines", file, line)
			}
		}
	}
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	if _, recipe, _ := strings.Cut(string(makefile), "\ndockerfile:"); !strings.Contains(recipe, "Dockerfile.cuda\" >bin/run-lines") {
		t.Error("make dockerfile does not run the RUN lines of Dockerfile.cuda")
	}
}

// TestCopiedFilesExist checks what COPY takes from the repository.
func TestCopiedFilesExist(t *testing.T) {
	for _, name := range []string{"go.mod", "go.sum", "configs", "sweeps", "scripts/cuda-toolkit.sh", "Makefile"} {
		if _, err := os.Stat("../../" + name); err != nil {
			t.Error(err)
		}
	}
}

func TestBrokenFilesAreRefused(t *testing.T) {
	for _, c := range []struct{ name, old, new, problem string }{
		{"no version", "golang:1.26.8-bookworm", "golang", "not pinned"},
		{"latest", "golang:1.26.8-bookworm", "golang:latest", "not pinned"},
		{"a name of a release", "debian:12-slim", "debian:bookworm-slim", "not pinned"},
		{"half a digest", "debian:12-slim", "debian:12-slim@sha256:8820", "not pinned"},
		{"root", "USER 65532:65532", "USER 0:65532", "USER"},
		{"no user", "USER 65532:65532\n", "", "USER"},
		{"root again", "USER 65532:65532", "USER 65532:65532\nUSER root", "USER"},
		{"entry point in a shell", `ENTRYPOINT ["acqnp"]`, "ENTRYPOINT acqnp", "entry point"},
		{"another entry point", `ENTRYPOINT ["acqnp"]`, `ENTRYPOINT ["sh"]`, "entry point"},
		{"runs inside", `, "/work/runs"`, "", "no volume /work/runs"},
		{"no driver", "compute,utility", "utility", "NVIDIA_DRIVER_CAPABILITIES"},
		{"a script from the net", "RUN go mod download", "RUN curl https://example.org/x | sh", "nothing verifies"},
		{"several lines", "RUN go mod download", "RUN <<EOF\ntrue\nEOF", "plain shell line"},
		{"a mount", "RUN go mod download", "RUN --mount=type=cache,target=/root/.cache go mod download", "plain shell line"},
		{"no shell", "RUN go mod download", `RUN ["go", "mod", "download"]`, "plain shell line"},
	} {
		text := shipped(t)
		if !strings.Contains(text, c.old) {
			t.Errorf("%s: the file does not have %q", c.name, c.old)
			continue
		}
		r, err := Parse([]byte(strings.Replace(text, c.old, c.new, 1)))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if p := r.Problems(); len(p) != 1 || !strings.Contains(p[0], c.problem) {
			t.Errorf("%s: problems %q, want one of %q", c.name, p, c.problem)
		}
	}
	digest := "FROM golang:1.26.8-bookworm@sha256:" + strings.Repeat("0f", 32)
	r, err := Parse([]byte(strings.Replace(shipped(t), "FROM golang:1.26.8-bookworm", digest, 1)))
	if err != nil || len(r.Problems()) > 0 {
		t.Errorf("a digest: %v, %q", err, r.Problems())
	}
	for _, text := range []string{"", "RUN true", "FROM scratch\nRUNN true", "FROM scratch\nCOPY"} {
		if _, err := Parse([]byte(text)); err == nil {
			t.Errorf("%q was taken for a Dockerfile", text)
		}
	}
}
