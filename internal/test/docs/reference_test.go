package docs

import (
	"bytes"
	"testing"

	"github.com/acqnp/acqnp/internal/cli"
)

const reference = "docs/reference/configuration.md"

// The reference lists the keys as the program knows them.
func TestReferenceIsWhatTheProgramPrints(t *testing.T) {
	var out, stderr bytes.Buffer
	if code := cli.Main([]string{"help", "configuration", "--markdown"}, cli.Streams{Out: &out, Err: &stderr}); code != 0 {
		t.Fatalf("acqnp help configuration --markdown: exit code %d\n%s", code, &stderr)
	}
	if out.String() != read(t, reference) {
		t.Errorf("%s is not what acqnp help configuration --markdown prints; make reference writes it", reference)
	}
}
