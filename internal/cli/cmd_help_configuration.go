package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/config"
)

func newHelpConfiguration(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "configuration",
		Short: "Explain the keys of a configuration",
		Long: `List the keys of a configuration: what they mean, the values that they accept, their defaults, and
the models, aggregations and benchmarks that use them. "--set train.steps=2000" sets a key for one
command, and so does the environment variable ACQNP_TRAIN_STEPS.

` + precedence,
		Example: `  acqnp help configuration
  acqnp help configuration --json`,
		Args: cobra.NoArgs,
		RunE: a.run(func(*cobra.Command) error {
			return a.result(config.Keys(), func(w io.Writer) error { return writeKeys(w, config.Keys()) })
		}),
	}
}

// writeKeys writes the keys for a terminal.
func writeKeys(w io.Writer, keys []config.Key) error {
	var b strings.Builder
	section := ""
	for _, k := range keys {
		if k.Section() != section {
			section = k.Section()
			fmt.Fprintf(&b, "%s\n\n", strings.ToUpper(section))
		}
		fmt.Fprintf(&b, "%s: %s\n", k.Name, k.Type)
		for _, line := range []struct{ title, text string }{
			{"", k.Help}, {"values:  ", k.Values}, {"default: ", k.Default}, {"used by: ", k.Users},
		} {
			fmt.Fprintf(&b, "  %s%s\n", line.title, wrapped(line.text, 2+len(line.title)))
		}
		fmt.Fprintln(&b)
	}
	_, err := io.WriteString(w, strings.TrimSuffix(b.String(), "\n"))
	return err
}

// wrapped breaks a text into lines that end at column 100 and, but for the first, begin at indent.
func wrapped(text string, indent int) string {
	var b strings.Builder
	column := indent
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > 100:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}
