package cli

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/run/version"
)

// versions is the result of version.
type versions struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

var _ = command(thisMachine, 3, newVersion)

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "Print the version of this program, that of Go which built it, and the system it is for.",
		Example: "  acqnp version\n  acqnp version --json",
		Args:    cobra.NoArgs,
		RunE: a.run(func(*cobra.Command) error {
			v := versions{version.String(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			return a.result(v, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "acqnp %s, %s, %s\n", v.Version, v.Go, v.Platform)
				return err
			})
		}),
	}
}
