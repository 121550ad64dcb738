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
	var markdown bool
	cmd := &cobra.Command{
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
			write := writeKeys
			if markdown {
				write = writeKeysMarkdown
			}
			return a.result(config.Keys(), func(w io.Writer) error { return write(w, config.Keys()) })
		}),
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print the page of docs/reference")
	return cmd
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

const markdownHead = `# Keys of a configuration
A configuration is a YAML file with the key "benchmark" and the sections below; see
[variants](variants.md). It needs "model.name" and "benchmark" or, for your own files,
"data.file"; every other key has a default. For the paper's benchmarks and models, defaults are the
paper's values. "--set train.steps=2000" sets a key for one command, and so does the environment
variable "ACQNP_TRAIN_STEPS".

"acqnp help configuration" prints this list; "make reference" writes this page.
`

// writeKeysMarkdown writes the keys as docs/reference/configuration.md.
func writeKeysMarkdown(w io.Writer, keys []config.Key) error {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(markdownHead, `"`, "`"))
	section := ""
	for _, k := range keys {
		if k.Section() != section {
			section = k.Section()
			fmt.Fprintf(&b, "\n## %s\n| key | meaning | type | values | default | used by |\n| --- | --- | --- | --- | --- | --- |\n", section)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", k.Name, k.Help, k.Type, k.Values, k.Default, k.Users)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
