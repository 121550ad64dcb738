package cli_test

import (
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/cli"
)

// broken is a stream whose every call fails.
type broken struct{}

func (broken) Write([]byte) (int, error) { panic("broken stream") }

func TestAPanicIsOneLineAndOne(t *testing.T) {
	var errs strings.Builder
	code := cli.Main([]string{"data", "list"}, cli.Streams{In: strings.NewReader(""), Out: broken{}, Err: &errs})
	checkRefusal(t, "panic", outcome{code: code, err: errs.String()}, 1, "acqnp data list: internal error: broken stream")
}
